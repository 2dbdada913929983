"""Gymnasium's view of one hand or match: one seat learns, agents play the others: :class:`UnoEnv`.

Registered as ``uno_env/Uno-v0``: ``gymnasium.make("uno_env/Uno-v0", rules="starter", opponents=["greedy"])``. Many
games at once: ``gymnasium.make_vec("uno_env/Uno-v0", num_envs=1024)``, see :mod:`uno_env.envs.vector_env`.
"""

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.error import ResetNeeded

from uno_env.actions import checked_id, number_of
from uno_env.common.calls import Interruptible, exclusive, exclusive_step
from uno_env.common.numbers import checked_seed
from uno_env.core.record import ILLEGAL, NOBODY, RUNNING
from uno_env.core.rules.reward import write_rewards
from uno_env.envs import single_agent_options as single
from uno_env.envs.hand_length import HandLengthCheck
from uno_env.envs.opponents import Opponents
from uno_env.envs.single_game import dealing_options, draw_seed, rendered
from uno_env.game import Game
from uno_env.history import history_for
from uno_env.render.frames import MODES, checked_mode
from uno_env.rules import Rules


@single.lists_options
class UnoEnv(Interruptible, gymnasium.Env[Any, Any]):
    """One hand of UNO, or one match, as one seat sees it; agents play the other seats inside ``reset`` and ``step``.

    **Observation** float32 or uint8 [D]: what the seat may see (:mod:`uno_env.observation`). **Action**: an id from 0
    to A − 1 (:mod:`uno_env.actions`). ``info["action_mask"]``, int8 [A], marks what may be done now, as
    :meth:`action_masks` does; when the episode is over it marks nothing. Raises ValueError if an argument is not
    allowed.

    **Reward**: 0 until the hand (the match) ends, also on another's move; then this seat's
    (:mod:`uno_env.core.rules.reward`): +1 if it won, −1 / (players − 1) if another did. A hand that nobody can finish,
    or that takes ``max_decisions``, is truncated with 0. Hands that end before the seat has decided anything are dealt
    again.

    **Info** has the same keys at every step, all of them numbers beside the mask. At the end of the episode
    ``is_success`` (bool) says whether the seat won; ``winner`` (int) is the winner's relative seat, counted to its left
    (0 is itself, −1 nobody); ``points`` (int) are its points of the last hand; ``end`` (int) is why that ended, an
    index into ``uno_env.END_NAMES``. Before, they are False, −1, 0 and 0 (``running``). In a match there is also
    ``score`` (int), its points so far.

    One thread at a time may use it; a call during another one is refused with RuntimeError.

    Args:
        render_mode: what :meth:`render` gives, of what the learner's seat may know: None, ``ansi`` (text), ``svg`` (a
            picture, as text), ``rgb_array`` (the picture as pixels) or ``human`` (the text is printed after each
            call).

    The other arguments are the fields of :class:`uno_env.envs.single_agent_options.SingleAgentOptions`; with
    ``seat=None`` the first seat is drawn from the seed.

    Attributes:
        game: the :class:`Game` that is played, hidden cards included.
        seat: the learner's seat.
    """

    metadata: dict[str, Any] = {"render_modes": list(MODES), "render_fps": 2}

    def __init__(
        self,
        rules: Rules | str | Mapping[str, Any] = "starter",
        opponents: Any = ("random-play",),
        seat: int | None = None,
        *,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        self.options = single.SingleAgentOptions(rules, opponents, seat, **options)
        self.rules = self.options.rules_in_force
        self._record = self.rules.record_for(self.options.match, self.options.reward)
        self.seat = 0 if self.options.seat is None else int(self.options.seat)
        self.opponents = Opponents(opponents, self.rules)
        self.observation_space = self.options.observation_form.space()
        self.action_space = spaces.Discrete(number_of(self.rules))
        self.render_mode = checked_mode(render_mode)
        self.game = Game(self.rules, match=self.options.match)
        self._next_seed: int | None = None
        self._over = True
        self._illegal_actions = 0
        self._earned = 0.0
        self._hand_length = HandLengthCheck(self.rules)

    def action_masks(self) -> npt.NDArray[np.int8]:
        """The learner's legal actions, int8 [A]; a copy."""
        return self.options.observation_form.mask_of_seat(self.game, self.seat, self._real_mask())

    def _real_mask(self) -> npt.NDArray[np.int8]:
        return np.zeros(number_of(self.rules), np.int8) if self._over else self.game.action_mask()

    def __repr__(self) -> str:
        return f"<UnoEnv: {self.game!r}, seat {self.seat} against {self.opponents!r}>"

    @exclusive
    def reset(self, *, seed: int | None = None, options: Mapping[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Deal, and let the others play until the learner has to decide.

        Args:
            seed: seed of the cards, the learner's first seat and the opponents: the first hand is that of
                ``Game(rules, seed)``. Later resets without a seed continue its sequence; if there was none so far,
                a random seed is used. After a call that was interrupted, the hand is the next one of that sequence,
                and the opponents restart from its seed.
            options: ``deck``, the order of the cards, and ``dealer``, a seat, both as for :class:`Game` and for this
                episode's first hand only; others are ignored.

        Raises:
            ValueError: an argument is not allowed, and the hand being played goes on as it was; or under these rules,
                or with this deck, the learner does not get to decide anything.
        """
        deck, dealer = dealing_options(options)
        seed = None if seed is None else checked_seed(seed)  # Gymnasium wants an int
        start = self._next_seed if seed is None else seed
        fresh = draw_seed(self.np_random) if start is None else start
        course = self.game.dealt(fresh, deck, dealer)
        begins = seed is not None or start is None or bool(self._unready)
        with self._changing("reset"):
            self.game.play(course)
            if seed is not None:
                super().reset(seed=seed)
            if begins:
                self._reseed(fresh)
            self._next_seed = draw_seed(self.np_random)
            self._play_to_learner(given=deck is not None or dealer is not None)
        self._show()
        return self._observe(), self._info()

    def _reseed(self, seed: int) -> None:
        """Restart the opponents' random generators and choose the learner's seat, from a seed."""
        self.opponents.reset(seed)
        if self.options.seat is None:
            self.seat = int(self.np_random.integers(self.rules.players))

    def _play_to_learner(self, given: bool) -> None:
        """Play a hand that was just dealt until the learner has to decide. If the learner never has to, deal another
        hand.
        """
        for _ in range(single.MAX_UNSEEN_HANDS):
            if self.options.seat is None:
                self.seat = (self.seat + 1) % self.rules.players
            self._over, self._illegal_actions, self._earned = True, 0, 0.0
            self._play_others()
            if not self.game.over:
                self._over = False
                return
            if given:
                raise ValueError("with this deck or dealer the hand is over before the learner has decided anything")
            self.game.deal(self._next_seed or 0)
            self._next_seed = draw_seed(self.np_random)
        raise ValueError(single.NEVER_ASKED)

    @exclusive_step
    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Act, and let the others play until the learner has to decide again.

        Raises:
            IllegalActionError: the action is illegal and is refused; nothing was played.
            ValueError: there is no such action; nothing was played.
            gymnasium.error.ResetNeeded: no episode is running.
        """
        self._check_ready("step", ResetNeeded)
        if self._over:
            raise ResetNeeded("no hand is being played: call reset() to deal one")
        real = self.options.observation_form.real_action(self.game, self.seat, checked_id(action, self.rules))
        if not self._real_mask()[real] and self.options.illegal_action in ("raise", "rules"):
            self.game.check(real)
        self._unready = "step() was interrupted"
        chosen = self._judge(real)
        if chosen is not None:
            self._act(chosen)
            self._over = True  # unless the others get through
            self._play_others()
        cut = self._illegal_actions >= self.options.most_illegal_actions
        self._over = self.game.over or cut
        self._hand_length.hands += cut
        insisted = cut and self.options.illegal_action == "penalty"
        truncated = insisted or (self.game.over and self.game.end not in ("went_out", "illegal"))
        reward, self._earned = self._earned, 0.0
        self._unready = ""
        self._show()
        self._hand_length.warn_if_due()
        return self._observe(), reward, self._over and not truncated, truncated, self._info(cut)

    def render(self) -> Any:
        """Show what the learner's seat may know of the table as ``render_mode`` says; :func:`uno_env.render.frame`."""
        return rendered(self.game, self.seat, self.render_mode)

    def _observe(self) -> Any:
        return self.options.observation_form.of_seat(self.game, self.seat, self._real_mask())

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()

    def _judge(self, action: int) -> int | None:
        """Return the action that is played, or None. An illegal one is charged for or refused."""
        if self.game.action_mask()[action] or self.options.illegal_action in ("raise", "rules"):
            self._illegal_actions = 0
            return action
        self._earned += self.options.reward_of_illegal_action
        if self.options.illegal_action == "random":
            return int(self.np_random.choice(self.game.legal_actions()))
        self._illegal_actions += 1
        return None

    def _play_others(self) -> None:
        """Let the opponents decide until it is the learner's turn to, or the game is over."""
        game = self.game
        while not game.over and game.to_move != self.seat:
            agent = self.opponents.at((game.to_move - self.seat) % self.rules.players)
            mask = game.action_mask()
            shown = (each[None] for each in history_for(agent, game.events, game.to_move))
            chosen = np.asarray(agent.act_batch(game.observe(game.to_move, "uint8")[None], mask[None], *shown))
            action = int(chosen[0]) if chosen.shape == (1,) and chosen.dtype.kind in "iu" else -1
            if not (0 <= action < len(mask) and mask[action]):
                raise ValueError(f"the opponent {agent!r} chose action {action}, which is not legal")
            self._act(action)

    def _act(self, action: int) -> None:
        hands = self.game.hands_played
        self.game.step(action)
        self._hand_length.decisions += 1
        if self.game.over or self.game.hands_played > hands:
            self._hand_length.hands += 1
            rewards = np.zeros(self.rules.players, np.float32)
            write_rewards(self.game.record, self._record, rewards)
            self._earned += float(rewards[self.seat])

    def _info(self, cut: bool = False) -> dict[str, Any]:
        """Return the info dict; with ``cut``, illegal actions have ended the episode."""
        game, counts = self.game, self._over and not cut
        winner = game.winner if counts and game.winner is not None else NOBODY
        info = {
            "action_mask": self.action_masks(),
            "is_success": winner == self.seat,
            "winner": NOBODY if winner == NOBODY else (winner - self.seat) % self.rules.players,
            "points": game.points[self.seat] if counts else 0,
            "end": ILLEGAL if cut else int(game.record.end) if self._over else RUNNING,
        }
        return {**info, "score": game.scores[self.seat]} if game.match else info
