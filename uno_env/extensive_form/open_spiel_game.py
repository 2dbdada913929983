"""UNO as a game of OpenSpiel, named ``python_uno``; importing this module registers it. Needs the extra ``bench``.

    import pyspiel
    import uno_env.openspiel

    game = pyspiel.load_game("python_uno(rules=mini)")
    game = pyspiel.load_game("python_uno", {"rules": "duel", "players": 3, "hand_size": 5, "stacking": "same"})

Parameters: ``rules`` is a preset (``duel`` if not given), and every field of :class:`uno_env.Rules` is a parameter too;
one that is not given (``""``, or −1) is as in the preset. Flags are written 0 and 1, a deck as its name or as a text of
cards, ``reflexes`` as a text of weights. The rules' chance must be one that :mod:`uno_env.extensive_form.position`
spells out.

Actions are those of the edition's catalogue (:mod:`uno_env.actions`). Chance moves are kinds of cards, 0 to 57 in the
first edition, and seats, from 58 on there.
Returns are the rewards of a hand: +1 for the winner, −1 shared by the others, 0 for all if it is cut off.

Information states have perfect recall. Their tensor has room for every decision, so there is one only if
``max_decisions`` is at most :data:`LONGEST_TENSOR`; there always is a string. Observations are those of
:mod:`uno_env.observation`, as float32.

``resample_from_infostate`` deals anew what the player to move does not know, each order as likely: it draws no
conclusions from what others played. Such a state has no ``history``: its past is only what that player saw of it.
"""

from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pyspiel

from uno_env import actions as catalogue
from uno_env.core.observe.layout import layout_of, scales_in
from uno_env.core.record import ALL_PHASE_NAMES, DRAWN, FLAGS, NUMBERS, phases_of
from uno_env.editions.edition import Edition
from uno_env.events import Event
from uno_env.extensive_form.chance import chance_move_text, number_of_moves
from uno_env.extensive_form.growing import shows_discards
from uno_env.extensive_form.information_state import Entry
from uno_env.extensive_form.position import ExtensiveForm, Position
from uno_env.observation import number_of_columns
from uno_env.rules import Rules, as_rules

NAME = "python_uno"
LONGEST_TENSOR = 400
"""Most decisions for which an information state has a tensor."""

AS_PRESET = -1
"""Stands for what the preset says, where a parameter is a number."""

PARAMETERS: dict[str, str | int] = {
    "rules": "duel",
    **{field.name: AS_PRESET if field.name in (*FLAGS, *NUMBERS) else "" for field in fields(Rules)},
}
"""Parameters of the game and their defaults."""


def _game_type(tensor: bool) -> Any:
    return pyspiel.GameType(
        short_name=NAME,
        long_name="UNO",
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=10,
        min_num_players=2,
        provides_information_state_string=True,
        provides_information_state_tensor=tensor,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=PARAMETERS,
    )


class UnoGame(pyspiel.Game):
    """One hand of UNO by given rules; see the module for the parameters. Raises ValueError if one is not allowed."""

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        given = dict(params or {})
        self.rules = rules_of(given)
        self.form = ExtensiveForm(self.rules)
        info = pyspiel.GameInfo(
            num_distinct_actions=len(catalogue.texts(self.rules)),
            max_chance_outcomes=number_of_moves(self.form.edition),
            num_players=self.rules.players,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=self.rules.max_decisions,
        )
        super().__init__(_game_type(self.rules.max_decisions <= LONGEST_TENSOR), info, given)

    def new_initial_state(self) -> "UnoState":
        """The state before the deal."""
        return UnoState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> "UnoObserver":
        """An observer, which shows states to players. Raises ValueError if it is not offered."""
        return UnoObserver(self.form, iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False), params)


class UnoState(pyspiel.State):
    """A state of a hand: a position of its extensive form, which is :attr:`position`."""

    def __init__(self, game: UnoGame) -> None:
        super().__init__(game)
        self.position = game.form.root

    @property
    def position(self) -> Position:
        """The position after the moves of the state."""
        before, moves, after = self._positions
        return after if self.move_number() >= moves else before  # a move that was interrupted was not counted

    @position.setter
    def position(self, position: Position) -> None:
        self._positions = position, 0, position

    def current_player(self) -> int:
        """The player to move, or OpenSpiel's number for chance or the end."""
        if self.position.is_chance:
            return int(pyspiel.PlayerId.CHANCE)
        if self.position.over:
            return int(pyspiel.PlayerId.TERMINAL)
        return self.position.to_move

    def _legal_actions(self, player: int) -> list[int]:
        return self.position.legal_actions()

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Chance moves and their probabilities."""
        return self.position.chance_moves()

    def _apply_action(self, action: int) -> None:
        before = self.position
        self._positions = before, self.move_number() + 1, before.move(action)

    def _action_to_string(self, player: int, action: int) -> str:
        form = self.position.form
        if player == pyspiel.PlayerId.CHANCE:
            return chance_move_text(action, form.edition)
        return catalogue.name(action, form.rules)

    def is_terminal(self) -> bool:
        """Return whether the hand is over."""
        return self.position.over

    def returns(self) -> list[float]:
        """Rewards of the hand by player, 0 until it is over."""
        return self.position.rewards()

    def resample_from_infostate(self, player_id: int, probability_sampler: Callable[[], float]) -> "UnoState":
        """A state that looks the same to the player. Raises ValueError if it is not this player's move."""
        if player_id != self.position.to_move:
            raise ValueError(f"player {player_id} is not to move: only who is can imagine another state")
        state: UnoState = self.get_game().new_initial_state()
        state.position = self.position.resample(probability_sampler)
        return state

    def __str__(self) -> str:
        seen = "\n".join(self.position.seen)
        waiting, edition = self.position.chance, self.position.form.edition
        if waiting is None:
            return seen
        return f"{seen}\nchance: {[chance_move_text(card, edition) for card in waiting.cards]}"


class UnoObserver:
    """Writes what a player knows of a state into ``tensor``, whose parts are ``dict``.

    With perfect recall, the parts are ``player`` (one-hot), ``phase`` (what this player decides, one-hot), ``drawn``
    (the card just drawn that may be played, one-hot) and ``events``, a row for the deal and each decision:

    ======== ======= ===============================================================================
    part     columns meaning
    ======== ======= ===============================================================================
    who      players who decided, one-hot by place to the left; nobody if that is not told
    action   132     what was done, one-hot; nothing for the deal and what is not told
    sizes    players cards held afterwards by place, in tenths
    asked    players who is asked about a missing call, one-hot by place
    top      58      the top card, one-hot
    hand     58      own cards by kind
    known    58 each cards known of each other player by place, by kind
    out      players who was put out, by place
    discards 58      the discard pile by kind
    ======== ======= ===============================================================================

    Other editions have other numbers of actions and kinds. The last two parts are there only if more cards than those
    that are laid can come to lie in the open: by mercy, or with a Discard All.

    If ``max_decisions`` is above :data:`LONGEST_TENSOR`, ``tensor`` is None and ``dict`` is empty: there is text only.

    Without, the only part is ``observation``, float32 as in :mod:`uno_env.observation`. Factored, the sections of the
    other kind are 0: private are the own hand, the card just drawn and the cards known of others, and all of it when
    the player is asked what the others do not know of. What is public is what an onlooker sees, with places counted
    from player 0.

    Raises:
        ValueError: perfect recall is asked for in one kind alone, everybody's secrets, nothing at all, or parameters.
    """

    def __init__(self, form: ExtensiveForm, iig_obs_type: Any, params: Any) -> None:
        if params:
            raise ValueError(f"observers take no parameters, not {params!r}")
        if iig_obs_type.private_info == pyspiel.PrivateInfoType.ALL_PLAYERS:
            raise ValueError("an observer tells what one player knows: ask for SINGLE_PLAYER, not ALL_PLAYERS")
        self._recalls = bool(iig_obs_type.perfect_recall)
        self._public = bool(iig_obs_type.public_info)
        self._private = iig_obs_type.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
        if (self._recalls and not (self._public and self._private)) or not (self._public or self._private):
            raise ValueError("an observer with perfect recall tells all of SINGLE_PLAYER, one without something")
        kinds, phases = len(form.edition.kinds), len(phases_of(form.edition))
        shapes: dict[str, tuple[int, ...]] = {"observation": (number_of_columns(form.rules),)}
        if self._recalls:
            shapes = {
                "player": (form.players,),
                "phase": (phases,),
                "drawn": (kinds,),
                "events": (form.rules.max_decisions + 1, sum(_entry_widths(form))),
            }
        self.dict: dict[str, npt.NDArray[np.float32]] = {}
        self.tensor: npt.NDArray[np.float32] | None = None
        if self._recalls and form.rules.max_decisions > LONGEST_TENSOR:
            return
        self.tensor = np.zeros(sum(int(np.prod(shape)) for shape in shapes.values()), np.float32)
        start = 0
        for name, shape in shapes.items():
            end = start + int(np.prod(shape))
            self.dict[name] = self.tensor[start:end].reshape(shape)
            start = end

    def set_from(self, state: UnoState, player: int) -> None:
        """Write what the player knows. Raises ValueError if there is no tensor."""
        if self.tensor is None:
            raise ValueError(f"information states have a tensor only if max_decisions is at most {LONGEST_TENSOR}")
        position = state.position
        if not self._recalls:
            self.tensor[:] = self._seen(position, player) * scales_in(position.form.edition)
            return
        self.tensor.fill(0)
        self.dict["player"][player] = 1
        if (question := position.question_to(player)) is not None:
            phase, drawn = question
            self.dict["phase"][phases_of(position.form.edition).index(ALL_PHASE_NAMES[phase])] = 1
            if phase == DRAWN:
                self.dict["drawn"][drawn] = 1
        entries = list(position.visible_entries(player))
        for row, entry in zip(self.dict["events"], reversed(entries), strict=False):
            _write_entry(row, entry, player, position.form)

    def string_from(self, state: UnoState, player: int) -> str:
        """The player's knowledge, as a text."""
        if self._recalls:
            return state.position.information_state(player)
        row = self._seen(state.position, player)
        return _observation_text(row, player if self._private else None, state.position.form)

    def _seen(self, position: Position, player: int) -> npt.NDArray[np.uint8]:
        """An observation, or its public or private part."""
        row = position.observe(player) if self._private else position.observe_public()
        is_private = _private_columns(position.form.edition)
        if not self._private:
            row[is_private] = 0
        elif not self._public and not position.is_asked_alone(player):
            row[~is_private] = 0
        return row


def rules_of(parameters: Mapping[str, Any]) -> Rules:
    """The rules of the game's parameters. Raises ValueError if a value is not allowed."""
    given = {name: value for name, value in parameters.items() if value != PARAMETERS.get(name)}
    preset = given.pop("rules", PARAMETERS["rules"])
    for name in FLAGS:
        if name in given:
            given[name] = _flag(name, given[name])
    if "reflexes" in given:
        given["reflexes"] = _weights(given["reflexes"])
    return as_rules({"preset": preset, **given})


def _flag(name: str, value: Any) -> bool | str:
    numbers = range(len(FLAGS[name]))
    if value not in numbers:
        raise ValueError(f"{name}={value!r} is not allowed: choose {' or '.join(map(str, numbers))}")
    return FLAGS[name][value]


def _weights(text: str) -> list[int]:
    try:
        return [int(weight) for weight in text.split()]
    except ValueError:
        raise ValueError(f"reflexes={text!r} is not allowed: write whole numbers with spaces between") from None


def _entry_widths(form: ExtensiveForm) -> list[int]:
    """The columns of each part of an entry."""
    players, kinds = form.players, len(form.edition.kinds)
    widths = [players, len(catalogue.texts(form.rules)), players, players, kinds, kinds, (players - 1) * kinds]
    return [*widths, *((players, kinds) if shows_discards(form) else (0, 0))]


def _write_entry(row: npt.NDArray[np.float32], entry: Entry, player: int, form: ExtensiveForm) -> None:
    players, kinds = entry.hands.shape
    ends = np.cumsum(_entry_widths(form))
    who, action, sizes, asked, top, hand, known, out, discards = np.split(row, ends[:-1])
    event: Event = entry.event
    who[(event.seat - player) % players] = 1
    if event.action is not None:
        action[event.action] = 1
    sizes[:] = np.roll(entry.event.held, -player) * 0.1
    if entry.asked >= 0:
        asked[(entry.asked - player) % players] = 1
    top[event.top] = 1
    hand[:] = entry.hands[player]
    for owner, kind in entry.known_to(player):
        known[((owner - player) % players - 1) * kinds + kind] += 1
    if len(discards):
        out[[(other - player) % players for other in event.put_out]] = 1
        discards[:] = entry.discards


def _observation_text(row: npt.NDArray[np.uint8], player: int | None, form: ExtensiveForm) -> str:
    """The sections of an observation without the rules in force, each with its numbers that are not 0."""
    texts = ["public" if player is None else f"player {player}"]
    rules_start = len(row) - len(form.rules_columns)
    for section in layout_of(form.edition).values():
        columns = row[section.columns]
        if section.start < rules_start and columns.any():
            places = np.flatnonzero(columns).tolist()
            texts.append(f"{section.name} " + " ".join(f"{place}:{columns[place]}" for place in places))
    return "; ".join(texts)


@cache
def _private_columns(edition: Edition) -> npt.NDArray[np.bool_]:
    """The columns of an observation with facts that not all players know, bool [D]."""
    private = np.zeros(len(scales_in(edition)), bool)
    for name in ("hand", "drawn_colour", "drawn_symbol", "known"):
        private[layout_of(edition)[name].columns] = True
    return private


pyspiel.register_game(_game_type(tensor=True), UnoGame)
