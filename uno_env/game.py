"""One game as a friendly object: :class:`Game`."""

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from uno_env import actions as catalogue
from uno_env.common.calls import Exclusive, exclusive, exclusive_step
from uno_env.common.copies import read_only
from uno_env.common.numbers import checked_flag, checked_seed, checked_whole, is_whole
from uno_env.common.spelling import names_arguments
from uno_env.core.loops.single_game import ILLEGAL, NO_ROOM, act, observe, observe_scaled
from uno_env.core.observe.layout import scales_in
from uno_env.core.observe.unseen import show_to
from uno_env.core.record import ALL_PHASE_NAMES, END_NAMES, OVER, records_of
from uno_env.core.record import ILLEGAL as ENDED_ILLEGALLY
from uno_env.core.rng import stream
from uno_env.core.rules.deal import clear_match, deal_hand
from uno_env.core.rules.reward import write_rewards
from uno_env.editions import edition_for
from uno_env.events import Event, asks_unseen, let_go_event, player_name
from uno_env.game_state.course import Course
from uno_env.game_state.playouts import play_out
from uno_env.game_state.saved_game import from_values, read_document, replay_actions, to_values, write_document
from uno_env.game_state.stacked_deal import deal_stacked
from uno_env.invariants import find_faults
from uno_env.observation import rules_columns
from uno_env.rules import Rules, as_rules

_FINISHED = "the hand is over: no more actions can be done"


class IllegalActionError(ValueError):
    """An action that may not be done now; the game is as it was."""


@names_arguments
class Game(Exclusive):
    """One hand of UNO, or one match.

    One thread at a time may use it; a call during another one is refused with RuntimeError. After a call that was
    interrupted it is as before that call, or as after it. Raises ValueError if an argument is not allowed.

    Args:
        rules: :class:`Rules`, a preset's name, or a mapping of fields.
        seed: the game depends on it and on the actions alone. A game with seed s is dealt as
            game 0 of ``BatchedGames(…, seed=s)``.
        deck: order of the cards, next one first, as a text (``"r5 g+2 w"``) or kinds; cards are dealt one by one
            beginning at the dealer's left, then the first discard is turned, the rest is the draw pile. Cards of the
            deck that are not listed follow in random order.
        dealer: seat that deals, instead of the rules' way to choose one.
        players: number of players, if not that of ``rules``.
        match: play hand after hand until the match is won (GUIDE.md 9.2).
    """

    def __init__(
        self,
        rules: Rules | str | Mapping[str, Any] = "classic",
        seed: int = 0,
        deck: str | list[int] | None = None,
        dealer: int | None = None,
        players: int | None = None,
        match: bool = False,
    ) -> None:
        self.rules = as_rules(rules, players)
        self.match = checked_flag("match", match)
        self._lay_out()
        self.deal(seed, deck, dealer)

    @property
    def side(self) -> int:
        """The side of the cards that counts: 0, or 1 for the dark side (GUIDE.md 14)."""
        return int(self._array["side"].sum())  # empty where cards have one side

    def _lay_out(self) -> None:
        """Prepare the arrays that stay the same for all hands."""
        self._rules, self._match_rules = self.rules.array_for(match=False), self.rules.array_for(self.match)
        rules = np.empty((2, 2), self._rules.dtype)  # to concatenate arrays of so many fields takes ten times as long
        rules[:], rules[1, 1] = self._rules, self._match_rules[0]
        self._step_rules = tuple(rules)  # by ``match``, which is set to False where a finished hand stays on show
        edition = edition_for(self.rules)
        self._dtype, self._scales = records_of(edition).game, scales_in(edition)
        columns = rules_columns(self.rules)
        self._row = np.zeros(len(self._scales), np.uint8)
        self._row[len(self._row) - len(columns) :] = columns

    @exclusive
    def deal(self, seed: int = 0, deck: str | list[int] | None = None, dealer: int | None = None) -> None:
        """Deal a new hand, the first of a match; see the class for the arguments. Raises ValueError if an argument is
        not allowed; the game is as it was.
        """
        self._course = self.dealt(seed, deck, dealer)

    def dealt(self, seed: int, deck: str | list[int] | None = None, dealer: int | None = None) -> Course:
        """Return the deal of :meth:`deal`, for :meth:`play`; the game stays as it is. Raises ValueError if an argument
        is not allowed.
        """
        return self._dealt(int(stream(np.uint64(checked_seed(seed)), np.uint64(0))), deck, dealer)

    @exclusive
    def play(self, course: Course) -> None:
        """Go on with what :meth:`dealt` of a game under the same rules gave. Raises ValueError if it is something else;
        the game is as it was.
        """
        if not isinstance(course, Course):
            raise ValueError(f"{type(course).__name__} is no deal: give what dealt() gave")
        self._course = course

    @classmethod
    def from_rng(cls, rules: Rules, rng: int) -> Self:
        """The hand that :meth:`uno_env.BatchedGames.deal` deals from a state of the generator, 0 to 2**64 − 1."""
        game = cls(rules)
        game._course = game._dealt(checked_seed(rng), None, None)
        return game

    def _dealt(self, rng: int, deck: str | list[int] | None, dealer: int | None) -> Course:
        array = np.zeros(1, self._dtype)
        array["rng"] = rng
        clear_match(array[0], self._rules[0])
        if deck is None and dealer is None:
            deal_hand(array[0], self._rules[0])
        else:
            deal_stacked(array[0], self.rules, deck, dealer)
        return Course(array, self._rules)

    @property
    def history(self) -> list[int]:
        """Ids of the actions since the deal (in a match since its first deal), in a new list."""
        return self._course.history

    @property
    @exclusive
    def events(self) -> list[Event]:
        """Events since the deal, see :mod:`uno_env.events`; of a match, since its first deal."""
        return self._course.events(self.rules)

    @property
    def _array(self) -> Any:
        return self._course.array

    def _number(self, name: str) -> int:
        """A field of the record, as Python's own number."""
        value: int = self._course.array[name].item()
        return value

    @property
    def players(self) -> int:
        """Number of players; seats are 0 to ``players`` − 1."""
        return self.rules.players

    @property
    def record(self) -> Any:
        """The whole state, hidden cards included: a NumPy record with the fields of ``core/record.py``, read-only."""
        return read_only(self._array)[0]

    def __repr__(self) -> str:
        how = self.end if self.winner is None else f"{player_name(self.winner)} won"
        state = how if self.over else f"{player_name(self.to_move)} to move"
        what = "Match" if self.match else "Game"
        return f"<{what} by {self.rules!r}: {len(self.history)} decisions, {state}>"

    @property
    def to_move(self) -> int:
        """Seat that decides now, −1 when the hand is over."""
        return self._number("to_move")

    @property
    def over(self) -> bool:
        """True if the hand is over."""
        return self._number("phase") == OVER

    @property
    def phase(self) -> str:
        """The phase: one of :data:`uno_env.core.record.ALL_PHASE_NAMES`, ``over`` at the end."""
        return ALL_PHASE_NAMES[self._number("phase")]

    @property
    def winner(self) -> int | None:
        """Seat that went out, in a match the one that has won it; or None."""
        winner = self._number("match_winner" if self.match else "winner")
        return winner if winner >= 0 else None

    @property
    def end(self) -> str:
        """The end of the hand: ``went_out`` (with mercy also if one player is left), ``stalled``, ``max_decisions`` or
        ``illegal``; ``running`` until then."""
        return END_NAMES[self._number("end")]

    @property
    def hand_winner(self) -> int | None:
        """Seat that went out in the last finished hand, or None."""
        winner = self.record.last_winner if self.match and self.hands_played else self.record.winner
        return int(winner) if winner >= 0 else None

    @property
    def hand_end(self) -> str:
        """The end of the last finished hand, one of the values of :attr:`end`."""
        running_match = self.match and self.hands_played and self.record.end != ENDED_ILLEGALLY
        return END_NAMES[self.record.last_end if running_match else self.record.end]

    @property
    def points(self) -> list[int]:
        """Points of the last finished hand by seat."""
        return [int(points) for points in self.record.points[: self.players]]

    @property
    def scores(self) -> list[int]:
        """Points of the match so far by seat."""
        return [int(score) for score in self.record.scores[: self.players]]

    @property
    def hands_played(self) -> int:
        """Finished hands of the match."""
        return self._number("hands_played")

    def rewards(self) -> list[float]:
        """Reward of each seat, all 0 until the hand or match is over (see :mod:`uno_env.core.rules.reward`)."""
        reward = np.zeros(self.players, np.float32)
        if self.over:
            write_rewards(self._array[0], self._match_rules[0], reward)
        return [float(value) for value in reward]

    def legal_actions(self) -> list[int]:
        """Ids of the legal actions of the player to move, ascending; empty when the hand is over."""
        return self._course.mask.nonzero()[0].tolist()

    def legal_names(self) -> list[str]:
        """The same as texts: ``["r5", "w:g", "draw"]``."""
        return [catalogue.name(action, self.rules) for action in self.legal_actions()]

    def action_mask(self) -> npt.NDArray[np.int8]:
        """Mark the legal actions of the player to move; int8 [A] of 0 and 1, a copy."""
        return self._course.mask.astype(np.int8)

    @exclusive_step
    def step(self, action: int | str) -> None:
        """The player to move acts.

        Args:
            action: an id, or its text (``"r5"``).

        Raises:
            IllegalActionError: it may not be done now, and the rules refuse such actions; the game is as it was.
            ValueError: it is no action at all, or the hand is over; the game is as it was.
        """
        try:
            chosen = catalogue.checked(action, self.rules)
        except ValueError as error:
            raise ValueError(_FINISHED if self.over else str(error)) from None
        course, rules = self._course, self._step_rules[self.match]
        result = act(course.array, rules, chosen, course.mask, course.log, course.length)
        if result == NO_ROOM:
            course.make_room()
            act(course.array, rules, chosen, course.mask, course.log, course.length)
        elif result < ILLEGAL:
            self.check(chosen)

    def check(self, action: int | str) -> None:
        """Raise what :meth:`step` would raise for an action. The game stays as it is."""
        action = catalogue.checked(action, self.rules)
        if self.over:
            raise ValueError(_FINISHED)
        if not self._course.mask[action] and self.rules.illegal_action == "raise":
            allowed = ", ".join(self.legal_names())
            raise IllegalActionError(
                f"action {catalogue.name(action, self.rules)!r} ({action}) is illegal now: legal are {allowed}"
            )

    def observe(self, seat: int, obs_dtype: str = "float32") -> npt.NDArray[Any]:
        """A seat's observation: float32 or uint8 [D], a copy; see :mod:`uno_env.observation`.

        While another seat is asked what only certain cards allow, see :meth:`shown_to`. Raises ValueError if there is
        no such seat, or ``obs_dtype`` is neither ``float32`` nor ``uint8``.
        """
        self._check_seat(seat)
        if obs_dtype not in ("float32", "uint8"):
            raise ValueError(f"obs_dtype={obs_dtype!r} is not allowed: choose 'float32' or 'uint8'")
        games = self._games_shown_to(seat)
        if obs_dtype == "uint8":
            row = self._row.copy()
            observe(games, self._rules, seat, row)
            return row
        seen = np.empty(len(self._row), np.float32)
        observe_scaled(games, self._rules, seat, self._row, self._scales, seen)
        return seen

    def _games_shown_to(self, seat: int) -> Any:
        """The record as a seat may know it, [1]."""
        if self._number("to_move") == seat or not asks_unseen(self._array, self._rules[0]):
            return self._array
        games = np.empty(1, self._dtype)
        show_to(self._array[0], self._rules[0], seat, games[0])
        return games

    def shown_to(self, seat: int) -> Self:
        """Return the game as a seat (−1: an onlooker) may see it. Do not hand it to the seat, since it holds all cards.

        Where another is asked what only certain cards allow (to answer a penalty, to play the card just drawn, to jump
        in), it is a copy in which the chance is let go (:mod:`uno_env.core.observe.unseen`); else the game itself.
        """
        if not is_whole(seat, -1, -1):
            self._check_seat(seat)
        if (games := self._games_shown_to(seat)) is self._array:
            return self
        shown = self.clone()
        shown._course.show(games, self._rules, let_go_event(self._array, games, self.rules), self.rules)
        return shown

    def hand(self, seat: int) -> list[int]:
        """Kinds of the cards that a seat holds, in ascending order."""
        self._check_seat(seat)
        held = self._array["seats"]["hand"][0, seat].astype(int)
        return np.repeat(np.arange(len(held)), held).tolist()

    @exclusive
    def clone(self) -> Self:
        """An independent copy of the game, its generator included: it goes on identically under the same actions."""
        twin = type(self).__new__(type(self))
        twin.rules, twin.match, twin._rules, twin._match_rules = self.rules, self.match, self._rules, self._match_rules
        twin._step_rules, twin._row, twin._course = self._step_rules, self._row.copy(), self._course.copy()
        twin._dtype, twin._scales = self._dtype, self._scales
        return twin

    @exclusive
    def playouts(self, number: int, seed: int = 0) -> npt.NDArray[np.float32]:
        """Rewards of copies of the game that are played to their end, all in one call into compiled code.

        Every legal action is chosen with the same probability; the game itself stays as it is. All copies have the
        game's own hidden cards and generator: what differs between them are the actions.

        Args:
            number: how many, 1 or more.
            seed: seed of the actions.

        Returns:
            float32 [number, players], by seat; see :mod:`uno_env.core.rules.reward`.

        Raises:
            ValueError: an argument is not allowed.
        """
        rewards = np.zeros((checked_whole("number", number, 1), self.players), np.float32)
        play_out(self._array, self._match_rules, checked_seed(seed), rewards)
        return rewards

    def render(self, seat: int | None = None, colour: bool = False) -> str:
        """The table as text, of all hands (``seat=None``) or for a seat; see :func:`uno_env.render.ansi`."""
        from uno_env.render import ansi

        return ansi(self, seat, colour)

    def __str__(self) -> str:
        return self.render()

    def _repr_svg_(self) -> str:
        """The table with all hands as a picture, for notebooks."""
        from uno_env.render import frame

        return str(frame(self, None, "svg"))

    def _repr_html_(self) -> str:
        """The same, as wide as there is room, with a text for those who do not see it."""
        from uno_env.render.frames import html_image

        return html_image(self)

    @exclusive
    def to_json(self) -> str:
        """The rules, the deal, every action and the state, hidden cards included, as JSON."""
        return write_document(self.rules, self.match, self._course.start, self.history, self._array)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The game of a text made by :meth:`to_json`; it goes on identically. Raises ValueError if the text is no saved
        game, or of another version, or its state is impossible.
        """
        saved = read_document(text)
        game = cls.__new__(cls)
        game.rules, game.match = Rules.from_dict(saved["rules"]), saved["match"]
        game._lay_out()
        start = from_values(saved["start"], game.rules)
        faults = find_faults(start[0], game.rules)
        if faults:
            raise ValueError(f"the saved game begins with an impossible state: {'; '.join(faults)}")
        game._course = Course(start, game._rules)
        replay_actions(game, saved["actions"])
        if to_values(game._array, game.rules) != saved["state"]:
            raise ValueError("the saved state is not what its deal and actions lead to")
        return game

    def start(self) -> Self:
        """The same hand as it was dealt, before any action."""
        first = self.clone()
        first._course = Course(self._course.start.copy(), self._rules)
        return first

    def _check_seat(self, seat: Any) -> None:
        if not is_whole(seat, 0, self.players - 1):
            raise ValueError(f"seat={seat!r} is no seat of {self.players} players: 0 to {self.players - 1}")
