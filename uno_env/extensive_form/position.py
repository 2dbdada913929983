"""One hand in extensive form: every chance a move of its own, and what each seat has seen as a text.

:class:`Position` is to trees of the game what :class:`uno_env.Game` is to play. The engine is the same
(:mod:`uno_env.extensive_form.explicit_chance`); the hidden draw pile is here no order but a multiset. Each card that
is dealt or drawn, and each seat that chance picks, is a *chance move* with its probability. Cards of a kind are one
outcome.

What is chance: the dealer (``random``; ``high_card`` is as uniform, since all cards go back), cards dealt, the first
discard, cards drawn, who is asked next about a missing UNO call, who slaps a 6 last, and the hands after a Wild Shuffle
Hands. Deals without a card that may lie first are dealt again (GUIDE.md 3.3): they do not occur here, and the others
are that much more likely. RLCard's game is not played here: it renews the pile before it is empty.
"""

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from uno_env.common.numbers import checked_whole, is_whole
from uno_env.core.legal import legal_actions
from uno_env.core.loops.single_game import LEGAL
from uno_env.core.observe.encode import encode
from uno_env.core.observe.unseen import is_asked_unseen, show_to
from uno_env.core.record import ALL_PHASE_NAMES, CATCH, DRAWN, MAX_SEATS, NOBODY, OVER
from uno_env.core.rules.deal import clear_match
from uno_env.core.rules.deck import fill_pile
from uno_env.core.rules.reward import write_rewards
from uno_env.events import Event, asks_unseen, deal_event, event_of, let_go_event
from uno_env.extensive_form.chance import Chance, first_seat, rng_that_gives, shares
from uno_env.extensive_form.explicit_chance import DEAL, act_with_cards
from uno_env.extensive_form.information_state import (
    Entry,
    imagined,
    known_cards,
    redeal,
    set_known_cards,
    visible_entries,
    with_observation_of,
)
from uno_env.extensive_form.outcomes import may_be_asked
from uno_env.extensive_form.workspace import Workspace
from uno_env.observation import number_of_columns
from uno_env.rules import Rules

SHUFFLES = "shuffle_hands"
"""The effect of a card whose chance deals out all hands."""
ONLOOKER = -1
"""Stands for nobody at the table where a seat is asked for."""


class ExtensiveForm(Workspace):
    """The tree of one hand by given rules. It begins at :attr:`root`.

    Threads may use its positions at the same time: each has its own room to work in, and so do copies and pickles. A
    call that is interrupted leaves positions as they are. Raises ValueError if the rules have chance that cannot be
    spelled out.
    """

    def __init__(self, rules: Rules) -> None:
        super().__init__(rules)
        self.root = self._make_root()

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.rules,)

    def _make_root(self) -> "Position":
        room = self.room
        clear_match(room.after[0], self.record)
        fill_pile(room.after[0], self.record["deck"])
        array = room.copy_after()
        array["to_move"] = NOBODY
        seen = tuple(f"player {seat}" for seat in range(self.players))
        if self.rules.dealer == "fixed":
            array["dealer"] = self.rules.dealer_seat
            return Position(self, array, seen, self.deal_chance(()))
        moves = tuple((first_seat(self.edition) + seat, 1 / self.players) for seat in range(self.players))
        return Position(self, array, seen, Chance("dealer", DEAL, moves))


class Position:
    """A point in the tree of a hand. It never changes, so positions of a tree can share what they have in common."""

    __slots__ = ("_legal", "array", "chance", "entry", "form", "seen")

    def __init__(
        self,
        form: ExtensiveForm,
        array: Any,
        seen: tuple[str, ...],
        chance: Chance | None = None,
        entry: Entry | None = None,
    ) -> None:
        self.form = form
        array.setflags(write=False)
        self.array = array
        """The game, a record [1], hidden cards included, read-only; while chance decides, as it was before."""
        self.seen = seen
        """The text of each seat: all that it has seen since the deal began."""
        self.chance = chance
        self.entry = entry
        """The last entry; None before the deal is done."""
        self._legal: list[int] | None = None

    def __deepcopy__(self, memo: Any) -> "Position":
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        # The first entry comes first: each holds the one before it, and long chains are too deep for pickle.
        return _unpickled, (self.form, self.array, self.seen, self.chance, tuple(self.history())[::-1])

    @property
    def is_chance(self) -> bool:
        """True if chance moves."""
        return self.chance is not None

    @property
    def is_dealt(self) -> bool:
        """True if the deal is done."""
        return self.entry is not None

    @property
    def over(self) -> bool:
        """True if the hand is over."""
        return self.chance is None and self._number("phase") == OVER

    @property
    def to_move(self) -> int:
        """Seat that decides, or −1 when chance does, or the hand is over."""
        return -1 if self.chance is not None else self._number("to_move")

    @property
    def phase(self) -> str:
        """The phase; see :data:`uno_env.core.record.ALL_PHASE_NAMES`."""
        return ALL_PHASE_NAMES[self._number("phase")]

    def _number(self, name: str) -> int:
        return self.array[name].item()

    def legal_actions(self) -> list[int]:
        """Ids of the legal actions of the seat to move, ascending; none at chance moves and when the hand is over."""
        if self._legal is None:
            if self.chance is not None:
                self._legal = []
            else:
                room = self.form.room
                legal_actions(room.whole(self.array), self.form.record, room.mask)
                self._legal = room.mask.nonzero()[0].tolist()
        return self._legal.copy()

    def chance_moves(self) -> list[tuple[int, float]]:
        """Chance moves, ascending, with their probabilities. There are none when a seat moves or the hand is over."""
        return [] if self.chance is None else list(self.chance.moves)

    def rewards(self) -> list[float]:
        """Reward of each seat, all 0 until the hand is over (see :mod:`uno_env.core.rules.reward`)."""
        reward = np.zeros(self.form.players)
        if self.over:
            write_rewards(self.form.room.whole(self.array), self.form.record, reward)
        return reward.tolist()

    def observe(self, seat: int) -> npt.NDArray[np.uint8]:
        """A seat's observation, uint8 [D], all 0 before the deal. Raises ValueError if there is no such seat."""
        checked_whole("seat", seat, 0, self.form.players - 1)
        return self._observed(seat, seat)

    def observe_public(self) -> npt.NDArray[np.uint8]:
        """The observation of an onlooker, with seats relative to seat 0. It still holds seat 0's own cards."""
        return self._observed(ONLOOKER, 0)

    def _observed(self, viewer: int, seat: int) -> npt.NDArray[np.uint8]:
        row = np.zeros(number_of_columns(self.form.rules), np.uint8)
        if self.is_dealt:
            encode(self._shown_to(viewer), self.form.record, seat, row)
            row[len(row) - len(self.form.rules_columns) :] = self.form.rules_columns
        return row

    def is_asked_alone(self, seat: int) -> bool:
        """Return whether the seat sees itself asked something that it alone may know of. It also does while another
        seat is asked before it. Raises ValueError if there is no such seat.
        """
        question = self.question_to(seat)
        return question is not None and bool(is_asked_unseen(self.form.record, question[0]))

    def question_to(self, seat: int) -> tuple[int, int] | None:
        """Phase in which the seat sees itself asked, and the kind of its drawn card or −1; None if it is not asked.
        Raises ValueError if there is no such seat.
        """
        seat = checked_whole("seat", seat, 0, self.form.players - 1)
        if self.chance is not None or not self.is_dealt:
            return None
        shown = self._shown_to(seat)
        return (int(shown.phase), int(shown.drawn)) if shown.to_move == seat else None

    def information_state(self, seat: int) -> str:
        """All that a seat has seen and done, with perfect recall. Raises ValueError if there is no such seat."""
        question, entry = self.question_to(seat), self._let_go(seat)
        seen = self.seen[seat] if entry is None else with_observation_of(self.seen[seat], entry, seat)
        if question is None:
            return seen
        phase, drawn = question
        return f"{seen}; to {ALL_PHASE_NAMES[phase]}" + (f" {self.form.edition.texts[drawn]}" if phase == DRAWN else "")

    def visible_entries(self, seat: int) -> Iterator[Entry]:
        """The entries that a seat may know of, the last first. Raises ValueError if there is no such seat."""
        seat = checked_whole("seat", seat, 0, self.form.players - 1)
        return visible_entries(self._let_go(seat) or self.entry, seat)

    def _is_asked_unseen(self, seat: int) -> bool:
        """Return whether another seat is asked something that the seat cannot know."""
        return self.is_dealt and self._number("to_move") != seat and asks_unseen(self.array, self.form.record)

    def _shown_to(self, seat: int) -> Any:
        """The game as a seat may know it (:meth:`uno_env.Game.shown_to`): a record that the next one overwrites."""
        room = self.form.room
        record, shown = room.whole(self.array), room.after[0]
        if not self._is_asked_unseen(seat):
            return record
        show_to(record, self.form.record, seat, shown)
        return shown

    def _let_go(self, seat: int) -> Entry | None:
        """The entry that the seat sees, in which the chance is let go, if another is asked what it cannot know."""
        if self.entry is None or not self._is_asked_unseen(seat):
            return None
        self._shown_to(seat)
        event = let_go_event(self.array, self.form.room.after, self.form.rules)
        return self.entry._replace(previous=self.entry, event=event, asked=NOBODY)

    def move(self, move: int) -> "Position":
        """The position after a legal action or a chance move. Raises ValueError if it cannot be done."""
        chance = self.chance
        allowed = self.legal_actions() if chance is None else [each for each, _ in chance.moves]
        if move not in allowed or not is_whole(move, 0):
            name = "an action that is legal here" if chance is None else "a move of chance here"
            raise ValueError(f"{move!r} is not {name}: there are {', '.join(map(str, allowed)) or 'none'}")
        if chance is None:
            return self._act(move, (), None)
        if chance.kind == "dealer":
            array = self.array.copy()
            array["dealer"] = move - first_seat(self.form.edition)
            return Position(self.form, array, self.seen, self.form.deal_chance(()))
        if chance.rng_of is not None:
            return self._act(chance.action, chance.cards, chance.rng_of[move])
        cards = (*chance.cards, move)
        if chance.kind == "hands":
            return self._deal_hands(chance.action, chance.after, cards)
        return self._act(chance.action, cards, chance.rng)

    def _act(self, action: int, cards: tuple[int, ...], rng: int | None) -> "Position":
        """The position after an action, or where chance decides what else it takes."""
        if action == DEAL and len(cards) <= self.form.cards_dealt:
            return self._waiting(self.form.deal_chance(cards))
        room, number = self.form.room, len(cards)
        room.whole(self.array)
        room.rng_before[0] = rng or 0
        room.cards[:number] = cards
        short = act_with_cards(room.games, self.form.record, action, room.cards, number, room.pool, room.renewed)
        if rng is None and room.rng_after[0]:
            if self.form.edition.kinds[room.after["top"][0]].effect == SHUFFLES:
                return self._deal_hands(action, room.copy_after(), ())
            return self._waiting(self._pick_seat(action, cards, room.after))
        if short:
            return self._waiting(Chance("card", action, shares(room.pool), cards, rng))
        return self._reached(action, room.copy_after())

    def _waiting(self, chance: Chance) -> "Position":
        return Position(self.form, self.array, self.seen, chance, self.entry)

    def _pick_seat(self, action: int, cards: tuple[int, ...], after: Any) -> Chance:
        """The chance move for the seat asked next about a missing call, or for the last one to slap a 6."""
        form = self.form
        if after["phase"].item() == CATCH:
            weights = [int(may_be_asked(after[0], seat)) for seat in range(form.players)]
        else:
            weights = form.record["reflexes"][: form.players].tolist()
        bounds = [0, *itertools.accumulate(weights)]
        first = first_seat(form.edition)
        rng_of = {
            first + seat: rng_that_gives(bounds[seat], bounds[-1]) for seat, weight in enumerate(weights) if weight
        }
        moves = tuple((seat, weights[seat - first] / bounds[-1]) for seat in rng_of)
        return Chance("seat", action, moves, cards, rng_of=rng_of)

    def _deal_hands(self, action: int, after: Any, cards: tuple[int, ...]) -> "Position":
        """After a Wild Shuffle Hands, deal out all hands. Who played it keeps the cards that are left."""
        collector, players = self._number("to_move"), self.form.players
        seats = [(collector + places) % players for places in range(1, players)]
        sizes = after["seats"]["hand_size"][0, seats].tolist()
        pool = after["seats"]["hand"][0, :players].sum(axis=0, dtype=np.int64)
        np.subtract.at(pool, list(cards), 1)
        if len(cards) < sum(sizes):
            after.setflags(write=False)
            return self._waiting(Chance("hands", action, shares(pool), cards, after=after))
        array, dealt = after.copy(), iter(cards)
        array["seats"]["hand"] = 0
        for seat, size in zip(seats, sizes, strict=True):
            np.add.at(array["seats"]["hand"][0, seat], list(itertools.islice(dealt, size)), 1)
        array["seats"]["hand"][0, collector] = pool
        return self._reached(action, array)

    def _reached(self, action: int, array: Any) -> "Position":
        """The position after an action that is done."""
        form = self.form
        array["rng"] = 0
        array["pile"][0, : array["pile_next"].item()] = 0
        known = known_cards(array, form.players, form.edition)
        set_known_cards(array, form.players, known, form.edition)
        array.setflags(write=False)  # and so the views on it that follow
        entry = Entry(
            self.entry,
            self._event(action, array),
            array["to_move"].item() if array["phase"].item() == CATCH else NOBODY,
            array["seats"]["hand"][0, : form.players],
            known,
            array["discards"][0],
        )
        seen = tuple(with_observation_of(text, entry, seat) for seat, text in enumerate(self.seen))
        return Position(form, array, seen, None, entry)

    def _event(self, action: int, array: Any) -> Event:
        if action == DEAL:
            return deal_event(array, self.form.rules)
        now = [self._number(name) for name in ("to_move", "turn", "phase")]
        then = [array[name].item() for name in ("top", "colour")]
        before, after = (each["seats"]["hand_size"][0, :MAX_SEATS].tolist() for each in (self.array, array))
        none = [0] * (MAX_SEATS - len(before))
        was, side = (int(each["side"].sum()) for each in (self.array, array))  # empty where cards have one side
        facts = [*then, 0, array["put_out"].item(), side, side != was]
        entry = [action, LEGAL, *now, *facts, *before, *none, *after, *none]
        return event_of(entry, self.form.rules)

    def history(self) -> Iterator[Entry]:
        """Past entries, the last first."""
        entry = self.entry
        while entry is not None:
            yield entry
            entry = entry.previous

    def resample(self, uniform: Callable[[], float]) -> "Position":
        """Another position that looks just the same to the seat to move, by what that seat knows alone.

        Cards that it does not know are dealt anew to the other hands and the draw pile, each order as likely, by
        ``uniform``, which gives numbers from 0 up to 1. What the others have seen is not made up: they know what
        everyone has seen, and the cards they now hold. Raises ValueError if no seat is to move.
        """
        seat = self.to_move
        if seat < 0:
            raise ValueError("only a seat that is to move can imagine another position")
        array = self.array.copy()
        redeal(array, self.form.rules, seat, uniform)
        seen, entry = imagined(self.seen, self.history(), array, seat)
        return Position(self.form, array, seen, None, entry)


def _unpickled(
    form: ExtensiveForm, array: Any, seen: tuple[str, ...], chance: Chance | None, entries: tuple[Entry, ...]
) -> Position:
    for entry in entries:
        entry.hands.setflags(write=False)
        entry.discards.setflags(write=False)
    return Position(form, array, seen, chance, entries[-1] if entries else None)
