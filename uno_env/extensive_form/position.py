"""One hand in extensive form: every chance a move of its own, and what each seat has seen as a text.

:class:`Position` is to trees of the game what :class:`uno_env.Game` is to play. The engine is the same
(:mod:`uno_env.core.loops.explicit_chance`); the hidden draw pile is here no order but a multiset, and each card that is
dealt or drawn, each seat that chance picks, is a *chance move* with its probability. Cards of a kind are one outcome.

What is chance: the dealer (``random``; ``high_card`` is as uniform, since all cards go back), cards dealt, the first
discard, cards drawn, who is asked next about a missing UNO call, who slaps a 6 last, and the hands after a Wild Shuffle
Hands. Deals without a card that may lie first are dealt again (GUIDE.md 3.3): they do not occur here, and the others
are that much more likely. RLCard's game is not played here: it renews the pile before it is empty.
"""

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, Optional

import numpy as np
import numpy.typing as npt

from uno_env import actions as catalogue
from uno_env.cards import CARD_TEXTS, MAX_CARDS, NUM_KINDS, RANKS_PER_COLOUR, WILD_SHUFFLE_HANDS, cards_text
from uno_env.core.legal import legal_actions
from uno_env.core.loops.explicit_chance import DEAL, act_with_cards
from uno_env.core.observe.encode import encode
from uno_env.core.observe.layout import OBSERVATION_SIZE, RULES_START
from uno_env.core.packed_games import known_table, row_dtype, rows_of
from uno_env.core.record import CATCH, CHALLENGE, DRAWN, GAME, MAX_SEATS, NO_COLOUR, NOBODY, OVER, PHASE_NAMES
from uno_env.core.rng import GOLDEN, bounded, mix
from uno_env.core.rules.deal import clear_match
from uno_env.core.rules.deck import fill_pile
from uno_env.core.rules.first_card import can_lie_first
from uno_env.core.rules.reward import write_rewards
from uno_env.events import Event, cards_laid, outcome
from uno_env.observation import rules_columns
from uno_env.rules import Rules

FIRST_SEAT = NUM_KINDS
NUM_CHANCE_MOVES = FIRST_SEAT + MAX_SEATS
"""Chance moves: 0 to 57 are kinds of cards, 58 to 67 the seats 0 to 9."""

KINDS = np.arange(NUM_KINDS)

Moves = list[tuple[int, float]]
"""Chance moves with their probabilities, which add up to 1."""


class Entry(NamedTuple):
    """What happened once, and how the table was right after it."""

    previous: Optional["Entry"]
    """What happened before; None for the deal."""
    event: Event
    asked: int
    """Seat that is asked about a missing call, which everyone sees; or −1."""
    hands: npt.NDArray[np.int8]
    """Cards held by each seat, by kind, int8 [players, 58]; all 0 where they are not known."""
    known: tuple[tuple[int, int, int], ...]
    """Cards known to others than who holds them: holder, kind, and the knowing seats as bits."""

    def known_to(self, seat: int) -> list[tuple[int, int]]:
        """Holders and kinds of the cards that a seat knows others to hold, in order."""
        return sorted((owner, kind) for owner, kind, seen in self.known if seen >> seat & 1 and owner != seat)


class _Chance(NamedTuple):
    """What chance has still to decide before an action, or the deal, is done."""

    kind: str
    """``dealer``, ``card``, ``seat`` or ``hands``."""
    action: int
    moves: Moves
    cards: tuple[int, ...] = ()
    """Cards that chance has given so far."""
    rng: int | None = None
    """State of the engine's generator, once chance has picked a seat."""
    rng_of: dict[int, int] | None = None
    """By seat, the state of the generator that picks it."""
    after: Any = None
    """The game after the action, but for its hands, which are dealt anew."""


class ExtensiveForm:
    """The tree of one hand by given rules; :attr:`root` is where it begins.

    Positions share room to work in, so those of one form are not to be used by several threads at once.

    Args:
        rules: the rules.

    Raises:
        ValueError: the rules have chance that cannot be spelled out.
    """

    def __init__(self, rules: Rules) -> None:
        if rules.dialect != "official":
            raise ValueError(f"dialect={rules.dialect!r} has no extensive form: choose 'official'")
        self.rules = rules
        self.players = rules.players
        self.record = rules.record
        self.cards_dealt = rules.players * rules.hand_size
        self.may_lie_first = np.array([can_lie_first(self.record, kind) for kind in range(NUM_KINDS)], bool)
        self.rules_columns = rules_columns(rules)
        self.dtype = row_dtype(self.record)
        """Of the games that positions keep."""
        self.games = np.zeros(2, GAME)
        """The game before and after an action; in parts below."""
        self.before, self.after = self.games[:1], self.games[1:]
        self.rng_before, self.rng_after = self.before["rng"], self.after["rng"]
        used = self.dtype.itemsize
        self._before_bytes, self._after_bytes = rows_of(self.before)[0, :used], rows_of(self.after)[0, :used]
        self._record_before = self.before[0]
        self.cards = np.zeros(MAX_CARDS, np.int64)
        self.pool = np.zeros(NUM_KINDS, np.int64)
        self.renewed = np.zeros(NUM_KINDS, np.int64)
        self.mask = np.zeros(catalogue.NUM_ACTIONS, np.uint8)
        self.root = self._make_root()

    def _make_root(self) -> "Position":
        clear_match(self.after[0], self.record)
        fill_pile(self.after[0], self.record["deck"])
        array = self.copy_after()
        array["to_move"] = NOBODY
        told = tuple(f"player {seat}" for seat in range(self.players))
        if self.rules.dealer == "fixed":
            array["dealer"] = self.rules.dealer_seat
            return Position(self, array, told, self.deal_chance(()))
        moves = [(FIRST_SEAT + seat, 1 / self.players) for seat in range(self.players)]
        return Position(self, array, told, _Chance("dealer", DEAL, moves))

    def copy_after(self) -> Any:
        """A copy of the game after an action, [1]; NumPy copies bytes many times faster than fields."""
        return self._after_bytes.copy().view(self.dtype)

    def whole(self, array: Any) -> Any:
        """A position's game as compiled code takes it: a record that the next one asked for overwrites."""
        self._before_bytes[:] = array.view(np.uint8)
        return self._record_before

    def deal_chance(self, cards: tuple[int, ...]) -> _Chance:
        """The next card dealt, or the first discard, so that there is one that may lie first."""
        left = self.record["deck"] - np.bincount(cards, minlength=NUM_KINDS) if cards else self.record["deck"]
        if len(cards) == self.cards_dealt:
            return _Chance("card", DEAL, _shares(left * self.may_lie_first), cards)
        total, suitable = int(left.sum()) - 1, int(left[self.may_lie_first].sum())
        to_deal = self.cards_dealt - len(cards) - 1
        weights = np.zeros(NUM_KINDS)
        for kind in np.flatnonzero(left).tolist():
            rest = suitable - int(self.may_lie_first[kind])
            weights[kind] = left[kind] * _chance_of_one_left(total, rest, to_deal)
        return _Chance("card", DEAL, _shares(weights), cards)


class Position:
    """A point in the tree of a hand; it never changes, so that a tree can share what its branches have in common."""

    __slots__ = ("_legal", "array", "chance", "entry", "form", "told")

    def __init__(
        self,
        form: ExtensiveForm,
        array: Any,
        told: tuple[str, ...],
        chance: _Chance | None = None,
        entry: Entry | None = None,
    ) -> None:
        self.form = form
        self.array = array
        """The game, a record [1], hidden cards included; while chance decides, as it was before."""
        self.told = told
        """What each seat has seen since the deal began."""
        self.chance = chance
        self.entry = entry
        """What happened last; None before the deal is done."""
        self._legal: list[int] | None = None

    def __deepcopy__(self, memo: Any) -> "Position":
        return self

    @property
    def is_chance(self) -> bool:
        """Whether chance moves."""
        return self.chance is not None

    @property
    def is_dealt(self) -> bool:
        """Whether the deal is done."""
        return self.entry is not None

    @property
    def over(self) -> bool:
        """Whether the hand is over."""
        return self.chance is None and self._number("phase") == OVER

    @property
    def to_move(self) -> int:
        """Seat that decides; −1 when chance does, or the hand is over."""
        return -1 if self.chance is not None else self._number("to_move")

    @property
    def phase(self) -> str:
        """What is being decided; see :data:`uno_env.core.record.PHASE_NAMES`."""
        return PHASE_NAMES[self._number("phase")]

    def _number(self, name: str) -> int:
        return self.array[name].item()

    def legal_actions(self) -> list[int]:
        """Ids of what the seat to move may do, ascending; empty at chance moves and when the hand is over."""
        if self._legal is None:
            if self.chance is not None:
                self._legal = []
            else:
                mask = self.form.mask
                legal_actions(self.form.whole(self.array), self.form.record, mask)
                self._legal = mask.nonzero()[0].tolist()
        return self._legal

    def chance_moves(self) -> Moves:
        """Chance moves, ascending, with their probabilities; empty when a seat moves or the hand is over."""
        return [] if self.chance is None else self.chance.moves

    def rewards(self) -> list[float]:
        """Reward of each seat, all 0 until the hand is over (see :mod:`uno_env.core.rules.reward`)."""
        reward = np.zeros(self.form.players)
        if self.over:
            write_rewards(self.form.whole(self.array), self.form.record, reward)
        return reward.tolist()

    def observe(self, seat: int) -> npt.NDArray[np.uint8]:
        """What a seat sees: uint8 [D] as in :mod:`uno_env.observation`, all 0 before the deal is done."""
        row = np.zeros(OBSERVATION_SIZE, np.uint8)
        if self.is_dealt:
            encode(self.form.whole(self.array), self.form.record, seat, row)
            row[RULES_START:] = self.form.rules_columns
        return row

    def information_state(self, seat: int) -> str:
        """All that a seat has seen and done since the deal, with perfect recall; equal where it cannot tell."""
        if self.to_move != seat:
            return self.told[seat]
        drawn = f" {CARD_TEXTS[self._number('drawn')]}" if self._number("phase") == DRAWN else ""
        return f"{self.told[seat]}; to {self.phase}{drawn}"

    def move(self, move: int) -> "Position":
        """The position after a legal action, or after a chance move (neither is checked)."""
        chance = self.chance
        if chance is None:
            return self._act(move, (), None)
        if chance.kind == "dealer":
            array = self.array.copy()
            array["dealer"] = move - FIRST_SEAT
            return Position(self.form, array, self.told, self.form.deal_chance(()))
        if chance.rng_of is not None:
            return self._act(chance.action, chance.cards, chance.rng_of[move])
        cards = (*chance.cards, move)
        if chance.kind == "hands":
            return self._deal_hands(chance.action, chance.after, cards)
        return self._act(chance.action, cards, chance.rng)

    def _act(self, action: int, cards: tuple[int, ...], rng: int | None) -> "Position":
        """The position after an action, or where chance decides what else it takes."""
        form = self.form
        if action == DEAL and len(cards) <= form.cards_dealt:
            return self._waiting(form.deal_chance(cards))
        number = len(cards)
        form.whole(self.array)
        form.rng_before[0] = rng or 0
        form.cards[:number] = cards
        short = act_with_cards(form.games, form.record, action, form.cards, number, form.pool, form.renewed)
        if rng is None and form.rng_after[0]:
            if form.after["top"][0] == WILD_SHUFFLE_HANDS:
                return self._deal_hands(action, form.copy_after(), ())
            return self._waiting(self._pick_seat(action, cards))
        if short:
            return self._waiting(_Chance("card", action, _shares(form.pool), cards, rng))
        return self._reached(action, form.copy_after())

    def _waiting(self, chance: _Chance) -> "Position":
        return Position(self.form, self.array, self.told, chance, self.entry)

    def _pick_seat(self, action: int, cards: tuple[int, ...]) -> _Chance:
        """Who is asked next about a missing call, or who is the last to slap a 6."""
        form = self.form
        asked, phase = form.after["asked"].item(), form.after["phase"].item()
        if phase == CATCH:
            weights = [1 - (asked >> seat & 1) for seat in range(form.players)]
        else:
            weights = form.record["reflexes"][: form.players].tolist()
        bounds = [0, *itertools.accumulate(weights)]
        rng_of = {
            FIRST_SEAT + seat: _rng_that_gives(bounds[seat], bounds[-1])
            for seat, weight in enumerate(weights)
            if weight
        }
        moves = [(seat, weights[seat - FIRST_SEAT] / bounds[-1]) for seat in rng_of]
        return _Chance("seat", action, moves, cards, rng_of=rng_of)

    def _deal_hands(self, action: int, after: Any, cards: tuple[int, ...]) -> "Position":
        """After a Wild Shuffle Hands: deal out all hands; who played it keeps what is left."""
        collector, players = self._number("to_move"), self.form.players
        seats = [(collector + places) % players for places in range(1, players)]
        sizes = after["seats"]["hand_size"][0, seats].tolist()
        pool = after["seats"]["hand"][0, :players].sum(axis=0, dtype=np.int64)
        np.subtract.at(pool, list(cards), 1)
        if len(cards) < sum(sizes):
            return self._waiting(_Chance("hands", action, _shares(pool), cards, after=after))
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
        known = _known(array, form.players)
        _set_known(array, form.players, known)
        entry = Entry(
            self.entry,
            self._event(action, array),
            array["to_move"].item() if array["phase"].item() == CATCH else NOBODY,
            array["seats"]["hand"][0, : form.players],
            known,
        )
        told = tuple(text + _news(entry, seat) for seat, text in enumerate(self.told))
        return Position(form, array, told, None, entry)

    def _event(self, action: int, array: Any) -> Event:
        form = self.form
        top, colour = array["top"].item(), array["colour"].item()
        held = array["seats"]["hand_size"][0, : form.players].tolist()
        if action == DEAL:
            came = outcome([size - form.rules.hand_size for size in held], held)
            return Event(array["dealer"].item(), array["turn"].item(), "deal", None, True, top, colour=colour, **came)
        seat = self._number("to_move")
        before = self.array["seats"]["hand_size"][0, : form.players].tolist()
        before[seat] -= cards_laid(action)
        came = outcome([size - had for size, had in zip(held, before, strict=True)], held)
        return Event(seat, self._number("turn"), self.phase, action, True, top, colour=colour, **came)

    def history(self) -> Iterator[Entry]:
        """What has happened, the last first."""
        entry = self.entry
        while entry is not None:
            yield entry
            entry = entry.previous

    def resample(self, uniform: Callable[[], float]) -> "Position":
        """Another position that looks just the same to the seat to move, by what that seat knows alone.

        Cards that it does not know are dealt anew to the other hands and the draw pile, each order as likely. What the
        others have seen is not made up: they know what everyone has seen, and the cards they now hold.

        Args:
            uniform: gives random numbers from 0 up to, not including, 1.

        Raises:
            ValueError: no seat is to move.
        """
        seat = self.to_move
        if seat < 0:
            raise ValueError("only a seat that is to move can imagine another position")
        array = self.array.copy()
        _redeal(array, self.form, seat, uniform)
        return Position(self.form, array, *_imagined(self, array, seat))


def _redeal(array: Any, form: ExtensiveForm, seat: int, uniform: Callable[[], float]) -> None:
    """Deal anew what a seat does not know."""
    hands, start, end = array["seats"]["hand"][0, : form.players], array["pile_next"].item(), array["pile_end"].item()
    kept = np.zeros_like(hands)
    kept[seat] = hands[seat]
    entries = list(_known(array, form.players))
    for owner, kind, seen in entries:
        if seen >> seat & 1 and owner != seat:
            kept[owner, kind] += 1
    unseen = np.repeat(KINDS, (hands - kept).sum(axis=0, dtype=np.int64)).tolist()
    unseen += array["pile"][0, start:end].tolist()
    unseen.sort()
    for place in range(len(unseen) - 1, 0, -1):
        other = int(uniform() * (place + 1))
        unseen[place], unseen[other] = unseen[other], unseen[place]
    dealt = iter(unseen)
    for owner in range(form.players):
        fresh = list(itertools.islice(dealt, int(hands[owner].sum() - kept[owner].sum())))
        hands[owner] = kept[owner]
        np.add.at(hands[owner], fresh, 1)
        for place, (holder, _, seen) in enumerate(entries):
            if holder == owner != seat and not seen >> seat & 1:
                entries[place] = (owner, fresh.pop(), seen)
    _set_known(array, form.players, entries)
    array["pile"][0, start:end] = sorted(dealt)
    colour = array["previous_colour"].item()
    if array["phase"].item() == CHALLENGE and colour != NO_COLOUR and form.rules.wild_draw_four == "bluff":
        suit = slice(colour * RANKS_PER_COLOUR, (colour + 1) * RANKS_PER_COLOUR)
        array["bluffed"] = hands[array["turn"].item(), suit].any()


def _imagined(position: Position, array: Any, seat: int) -> tuple[tuple[str, ...], None, Entry | None]:
    """What each seat has seen in a position that ``seat`` imagines, and what has happened."""
    told, entry = [""] * len(position.told), None
    for real in reversed(list(position.history())):
        hands = np.zeros_like(real.hands)
        hands[seat] = real.hands[seat]
        known = tuple((owner, kind, 1 << seat) for owner, kind in real.known_to(seat))
        event = real.event if real.event.is_seen_by(seat) else real.event._replace(seat=NOBODY)
        entry = Entry(entry, event, real.asked, hands, known)
        for other in range(len(told)):
            told[other] += "".join(f"; {each}" for each in _public_news(entry, other))
    texts = [
        f"player {other}{text}; now holds {_text(array['seats']['hand'][0, other])}" for other, text in enumerate(told)
    ]
    texts[seat] = position.told[seat]
    return tuple(texts), None, entry


def _news(entry: Entry, seat: int) -> str:
    """What a seat learns: what was done, who took cards, which ones it got, which it knows others to hold."""
    news = [*_public_news(entry, seat), *_own_cards(entry, seat)]
    known, before = entry.known_to(seat), entry.previous.known_to(seat) if entry.previous else []
    if known != before:
        news.append("knows " + (" ".join(f"{owner}:{CARD_TEXTS[kind]}" for owner, kind in known) or "nothing"))
    return "".join(f"; {each}" for each in news)


def _public_news(entry: Entry, seat: int) -> list[str]:
    """What everybody sees, but for what is not told to the seat."""
    event = entry.event
    news = [_deed(event)] if event.is_seen_by(seat) else []
    news += [f"{other} takes {taken}" for other, taken in enumerate(event.taken) if taken]
    if event.hand_sizes:
        news.append("hands of " + " ".join(map(str, event.hand_sizes)))
    if entry.asked != NOBODY:
        news.append(f"{entry.asked} is asked")
    return news


def _deed(event: Event) -> str:
    if event.action is None:
        return f"{event.seat} deals {CARD_TEXTS[event.top]}"
    return f"{event.seat} {catalogue.name(event.action)}"


def _own_cards(entry: Entry, seat: int) -> list[str]:
    event, after = entry.event, entry.hands[seat]
    if entry.previous is None:
        return [f"holds {_text(after)}"]
    before = entry.previous.hands[seat]
    laid = event.seat == seat and event.action is not None and cards_laid(event.action)
    if not laid and after.tobytes() == before.tobytes():
        return []
    gained = after - before
    if laid:
        gained[event.top] += laid
        if not gained.any():
            return []
    return [f"holds {_text(after)}"] if gained.min() < 0 else [f"gets {_text(gained)}"]


def _text(counts: npt.NDArray[np.int8]) -> str:
    return cards_text(np.repeat(KINDS, counts).tolist())


def _known(array: Any, players: int) -> tuple[tuple[int, int, int], ...]:
    """Cards known to others than who holds them, one by one; of two viewers one knows all that the other knows."""
    if not array["knows"].item():
        return ()
    numbers = known_table(array["known"][0], players).copy()
    numbers[np.diag_indices(len(numbers))] = 0
    cards = []
    for owner, kind in np.argwhere(numbers.any(axis=0)).tolist():
        by_viewer = numbers[:, owner, kind].tolist()
        for number in range(max(by_viewer)):
            cards.append((owner, kind, sum(1 << viewer for viewer, known in enumerate(by_viewer) if known > number)))
    return tuple(cards)


def _set_known(array: Any, players: int, cards: Sequence[tuple[int, int, int]]) -> None:
    """Make these the known cards; positions in which the same cards are known are equal then."""
    if "known" not in (array.dtype.names or ()) or array["known"].shape[1] < players * players * NUM_KINDS:
        return
    numbers = known_table(array["known"][0], players)
    numbers[:] = 0
    for owner, kind, seen in cards:
        for viewer in range(len(numbers)):
            numbers[viewer, owner, kind] += seen >> viewer & 1
    array["knows"] = len(cards) > 0


def chance_move_text(move: int) -> str:
    """A chance move as a text: the card, or the seat (``seat 2``)."""
    return CARD_TEXTS[move] if move < FIRST_SEAT else f"seat {move - FIRST_SEAT}"


def _shares(weights: npt.NDArray[Any]) -> Moves:
    total = weights.sum()
    return [(kind, float(weights[kind] / total)) for kind in weights.nonzero()[0].tolist()]


def _chance_of_one_left(total: int, suitable: int, dealt: int) -> float:
    """Probability that one of the ``suitable`` among ``total`` cards is left when ``dealt`` of them are dealt."""
    if suitable > dealt:
        return 1.0
    return 1 - math.comb(total - suitable, dealt - suitable) / math.comb(total, dealt)


@lru_cache(maxsize=4096)
def _rng_that_gives(number: int, bound: int) -> int:
    """A state of a game's generator whose next number below ``bound`` is ``number``."""
    return next(
        state for state in itertools.count(1) if bounded(np.uint64(mix(np.uint64(state) + GOLDEN)), bound) == number
    )
