"""The PettingZoo view of one hand or match: :func:`env`, :func:`raw_env`, :func:`parallel_env`.

Registered as ``uno_env/uno-v0``: ``pettingzoo.make("aec", "uno_env/uno-v0", rules="duel")``.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils.conversions import turn_based_aec_to_parallel
from pettingzoo.utils.wrappers import AssertOutOfBoundsWrapper, OrderEnforcingWrapper

from uno_env.actions import checked_id, number_of
from uno_env.common.calls import Interruptible, exclusive, exclusive_step
from uno_env.common.copies import DeepCopyMixin
from uno_env.common.numbers import is_whole
from uno_env.common.spelling import names_arguments
from uno_env.core.observe.encode import encode
from uno_env.core.observe.layout import scales_in
from uno_env.core.record import END_NAMES, NOBODY, RUNNING
from uno_env.core.rules.reward import write_rewards
from uno_env.editions import edition_for
from uno_env.envs.hand_length import HandLengthCheck
from uno_env.envs.single_game import dealing_options, draw_seed, rendered
from uno_env.envs.symmetric_form import SymmetricForm
from uno_env.events import player_name
from uno_env.game import Game
from uno_env.observation import highest_values, rules_columns
from uno_env.render.frames import MODES, Frame, checked_mode
from uno_env.rules import Rules, as_rules

Observation = Any
"""A mapping of arrays, or an array."""


def env(
    rules: Rules | str | Mapping[str, Any] = "classic",
    players: int | None = None,
    render_mode: str | None = None,
    **options: Any,
) -> AECEnv[str, Observation, int | None]:
    """The environment with PettingZoo's standard wrappers; see :class:`raw_env` for the arguments.

    The wrappers refuse calls before ``reset`` and actions outside the action space. Whether an action that is only
    illegal now is refused or ends the hand is a rule, ``illegal_action``.
    """
    return _OrderEnforcingWrapper(_OutOfBoundsWrapper(raw_env(rules, players, render_mode, **options)))


def parallel_env(*arguments: Any, **options: Any) -> ParallelEnv[str, Observation, int | None]:
    """:func:`env` by PettingZoo's conversion to its parallel interface; see :class:`raw_env` for the arguments.

    Each step returns observations of all agents, and plays the action of the agent to move. The mask of that agent is
    the only one that is not all zeros. The actions of the others are ignored.
    """
    return turn_based_aec_to_parallel(env(*arguments, **options))


@names_arguments
class raw_env(Interruptible, AECEnv[str, Observation, int | None]):  # noqa: N801  (PettingZoo's name)
    """One hand of UNO, or one match, between ``player_0`` … ``player_{n-1}``, the seats.

    The player to move is ``agent_selection``. Some are asked only because of a card that they hold (to answer a
    penalty, to play the card just drawn, to jump in), so that ``agent_selection``, and how often :meth:`step` is
    called, tell of that card: an interface that names who acts cannot hide it. Observations, histories and renderings
    for a seat do (:meth:`uno_env.Game.shown_to`): players who get nothing else learn nothing of it.

    One thread at a time may use it; a call during another one is refused with RuntimeError. Raises ValueError if an
    argument is not allowed.

    **Observation**: ``{"observation": float32 [D], "action_mask": int8 [A]}``: what the agent's seat may see
    (:mod:`uno_env.observation`, relative to that seat) and which of the actions (:mod:`uno_env.actions`) it may do now;
    the mask of an agent that is not to move is all 0. Both are copies. ``obs_dtype``, ``encoding`` and ``history``
    choose other forms. With ``mask_in_observation=False`` the observation is the array alone, a ``Box``, as tools want
    it that know no mappings (SuperSuit), and the mask is ``action_mask`` in the infos.

    **Action**: an id from 0 to A − 1; None once the hand is over. An illegal one is refused with an error and the state
    stays as it was (``illegal_action="raise"``), costs its player two cards and the turn (``"penalty"``), or ends the
    hand with −1 for its player (``"terminate"``).

    **Rewards**: 0 until the hand (the match) ends; then +1 for the winner and −1 shared equally by the others
    (:mod:`uno_env.core.rules.reward`), for all agents at once. A hand that nobody can finish, or that takes
    ``max_decisions``, is truncated with 0 for all.

    **Infos** have the same keys at every step, all of them int beside the mask. In the step that ends a hand,
    ``points`` are the agent's points of the hand, ``winner`` is the seat that won it (−1: nobody), an index into
    ``possible_agents``, and
    ``end`` is why it ended, an index into ``uno_env.END_NAMES``; in all other steps they are 0, −1 and 0 (``running``).
    In a match there are also ``score``, the agent's points so far, and ``match_winner``, the seat that won the match,
    −1 until it is over and if nobody did.

    Args:
        render_mode: what :meth:`render` gives: None, ``ansi`` (text), ``svg`` (a picture, as text), ``rgb_array`` (the
            picture as pixels, which is what PettingZoo's ``RecordVideo`` wants) or ``human`` (the text is
            printed after each step).
        render_seat: whose view is rendered: ``to_move`` (the agent selected), a seat, or ``all`` (every hand is shown).

    The other arguments are the fields of these names of
    :class:`uno_env.envs.single_agent_options.SingleAgentOptions`.

    Attributes:
        game: the :class:`Game` that is played, hidden cards included.
    """

    metadata: dict[str, Any] = {
        "name": "uno_v0",
        "render_modes": list(MODES),
        "is_parallelizable": False,
        "render_fps": 2,
    }

    def __init__(
        self,
        rules: Rules | str | Mapping[str, Any] = "classic",
        players: int | None = None,
        render_mode: str | None = None,
        render_seat: int | str = "to_move",
        match: bool = False,
        reward: str = "outcome",
        obs_dtype: str = "float32",
        encoding: str = "vector",
        history: int = 0,
        mask_in_observation: bool = True,
        symmetry: bool = False,
    ) -> None:
        super().__init__()
        self.rules = as_rules(rules, players)
        self._rules = self.rules.record_for(match, reward)
        self.render_mode = checked_mode(render_mode)
        self.render_seat = _checked_view(render_seat, self.rules.players)
        self.game = Game(self.rules, match=match)
        self._hand_length = HandLengthCheck(self.rules)
        self._form = SymmetricForm(self.rules, obs_dtype, encoding, history, mask_in_observation, symmetry=symmetry)
        self._mask_in_infos = not mask_in_observation
        self.possible_agents = [player_name(seat) for seat in range(self.rules.players)]
        self.agents: list[str] = []
        self._rng = np.random.default_rng()
        self._next_seed = draw_seed(self._rng)
        self.observation_spaces = {agent: self._form.space() for agent in self.possible_agents}
        self.action_spaces = {agent: spaces.Discrete(number_of(self.rules)) for agent in self.possible_agents}
        self.state_space = _state_space(self.rules)

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Space of an agent's observations, always the same object. Raises ValueError if there is no such agent."""
        self._seat(agent)
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Space of an agent's actions, always the same object. Raises ValueError if there is no such agent."""
        self._seat(agent)
        return self.action_spaces[agent]

    def __repr__(self) -> str:
        return f"<uno_env.raw_env: {self.game!r}>"

    @exclusive
    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Deal a new hand.

        Args:
            seed: the first hand is that of ``Game(rules, seed)``; later resets without a seed continue its sequence,
                whatever was played. If there was no seed so far, a random one is used.
            options: ``deck``, the order of the cards, and ``dealer``, a seat, both as for :class:`Game` and for this
                hand only; others are ignored.

        Raises:
            ValueError: an argument is not allowed; the hand being played goes on as it was.
        """
        deck, dealer = dealing_options(options)
        course = self.game.dealt(self._next_seed if seed is None else seed, deck, dealer)
        with self._changing("reset"):
            self.game.play(course)
            if seed is not None:
                self._rng = np.random.default_rng(seed)
            self._begin()
            self._next_seed = draw_seed(self._rng)

    def _begin(self) -> None:
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = self._infos(hand_over=False)
        self.agent_selection = player_name(self.game.to_move)
        self._skip_agent_selection = None

    @exclusive_step
    def step(self, action: int | None) -> None:
        """The selected agent acts; once the hand is over, each agent is stepped with None to leave. Raises
        IllegalActionError if the rules refuse the action now, and ValueError if it is no action at all, or there is
        nothing to be decided; the state is as it was.
        """
        self._check_ready("step")
        if not self.agents:
            raise ValueError("no hand is being played: call reset() to deal one")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            if action is not None:
                raise ValueError(f"the hand is over: step {agent} with None, not {action!r}")
            with self._changing("step"):
                self._was_dead_step(None)
            return
        game, hands = self.game, self.game.hands_played if self.game.match else 0
        chosen = self._form.real_action(game, game.to_move, checked_id(action, self.rules))
        game.check(chosen)
        self._unready = "step() was interrupted"
        game.step(chosen)
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        over = game.over
        hand_over = over or (game.match and game.hands_played > hands)
        self.infos = self._infos(hand_over)
        self._hand_length.decisions += 1
        self._hand_length.hands += hand_over
        if hand_over:
            self._finish_hand()
        if over:
            self._finish()
        else:
            self.agent_selection = player_name(game.to_move)
        self._accumulate_rewards()
        self._unready = ""
        self._hand_length.warn_if_due()
        if self.render_mode == "human":
            self.render()

    def _finish_hand(self) -> None:
        """A hand is over: rewards."""
        reward = np.zeros(self.rules.players, np.float32)
        write_rewards(self.game.record, self._rules, reward)
        for seat, agent in enumerate(self.agents):
            self.rewards[agent] = float(reward[seat])

    def _infos(self, hand_over: bool) -> dict[str, dict[str, Any]]:
        """The infos of all agents, after a step that ended a hand or one that did not."""
        game = self.game
        ended = END_NAMES.index(game.hand_end) if hand_over else RUNNING
        shared = {"winner": _seat_or_nobody(game.hand_winner if hand_over else None), "end": ended}
        if game.match:
            shared["match_winner"] = _seat_or_nobody(game.winner)
        points = game.points if hand_over else [0] * self.rules.players
        return {
            agent: {
                "points": points[seat],
                **shared,
                **({"score": game.scores[seat]} if game.match else {}),
                **({"action_mask": self._shown_mask_of(seat)} if self._mask_in_infos else {}),
            }
            for seat, agent in enumerate(self.agents)
        }

    def _finish(self) -> None:
        """The hand or match is over, for all agents at once."""
        ended = self.game.end in ("went_out", "illegal")
        for agent in self.agents:
            self.terminations[agent], self.truncations[agent] = ended, not ended
        self.agent_selection = self.agents[0]

    def observe(self, agent: str) -> Observation:
        """An agent's observation and action mask, as new arrays. Raises ValueError if there is no such agent, or a call
        was interrupted.
        """
        self._check_ready("observe")
        seat = self._seat(agent)
        return self._form.of_seat(self.game, seat, self._mask_of(seat))

    def _mask_of(self, seat: int) -> npt.NDArray[np.int8]:
        return self.game.action_mask() if seat == self.game.to_move else np.zeros(number_of(self.rules), np.int8)

    def _shown_mask_of(self, seat: int) -> npt.NDArray[np.int8]:
        return self._form.mask_of_seat(self.game, seat, self._mask_of(seat))

    @exclusive
    def state(self) -> npt.NDArray[np.float32]:
        """Everything on the table, hidden cards included, as float32 [players · D + 129] (193 in No Mercy).

        The observations of all seats from seat 0 on, here with what the others are asked in secret, then the draw pile,
        next card first, as (kind + 1) / 58 with 0 for no card (divided by the number of the edition's kinds), then 1 if
        the last Wild Draw Four was a bluff. Raises ValueError if a call was interrupted: the environment must be reset.
        """
        self._check_ready("state")
        record = self.game.record
        edition = edition_for(self.rules)
        pile = np.zeros(edition.most_cards, np.float32)
        cards = record.pile[record.pile_next : record.pile_end]
        pile[: len(cards)] = (cards + 1) / np.float32(len(edition.kinds))
        scales, columns = scales_in(edition), rules_columns(self.rules)
        rows = np.zeros((self.rules.players, len(scales)), np.uint8)
        rows[:, -len(columns) :] = columns
        for seat, row in enumerate(rows):
            encode(record, self._rules, seat, row)
        return np.concatenate([(rows * scales).ravel(), pile, [np.float32(record.bluffed)]])

    def render(self) -> Frame:
        """Show the table as ``render_mode`` and ``render_seat`` say; see :func:`uno_env.render.frame`."""
        return rendered(self.game, self._viewer(), self.render_mode)

    def close(self) -> None:
        """Do nothing: no window and no file is open."""

    def _viewer(self) -> int | None:
        if self.render_seat == "all":
            return None
        return self._seat(self.agent_selection) if self.render_seat == "to_move" else int(self.render_seat)

    def _seat(self, agent: str) -> int:
        if agent not in self.possible_agents:
            raise ValueError(f"{agent!r} is no agent: there are {', '.join(self.possible_agents)}")
        return self.possible_agents.index(agent)

    def __str__(self) -> str:
        return "uno_v0"


class _OrderEnforcingWrapper(DeepCopyMixin, OrderEnforcingWrapper[str, Observation, int | None]):
    """PettingZoo's wrapper, but its shallow copies do not share what is wrapped."""

    def __str__(self) -> str:
        return str(self.env)

    def __repr__(self) -> str:
        return repr(self.env.unwrapped).replace("uno_env.raw_env", "uno_env.env", 1)


class _OutOfBoundsWrapper(AssertOutOfBoundsWrapper[str, Observation, int | None]):
    """PettingZoo's wrapper, but its error names the action and what is allowed."""

    def step(self, action: int | None) -> None:
        if self.agents and not self.env.unwrapped.game.over:
            checked_id(action, self.rules)
        self.env.step(action)


def _seat_or_nobody(seat: int | None) -> int:
    return NOBODY if seat is None else seat


def _checked_view(render_seat: Any, players: int) -> int | str:
    if render_seat in ("to_move", "all"):
        return render_seat
    if not is_whole(render_seat, 0, players - 1):
        raise ValueError(
            f"render_seat={render_seat!r} is not allowed: choose 'to_move', 'all', or a seat from 0 to {players - 1}"
        )
    return render_seat


def _state_space(rules: Rules) -> spaces.Box:
    high = np.concatenate(
        [*[highest_values(rules)] * rules.players, np.ones(edition_for(rules).most_cards + 1, np.float32)]
    )
    return spaces.Box(np.zeros_like(high), high, dtype=np.float32)
