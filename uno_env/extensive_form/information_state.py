"""The course of a game, entry by entry, as each seat saw it: the texts of information states.

:func:`redeal` and :func:`imagined` make games that look the same to a seat: what it does not know is dealt anew, and
what the others saw is made to fit.
"""

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, Optional

import numpy as np
import numpy.typing as npt

from uno_env.cards import cards_text
from uno_env.core.packed_games import known_table
from uno_env.core.record import CHALLENGE, NO_COLOUR, NOBODY
from uno_env.editions import EDITIONS, edition_for
from uno_env.editions.edition import Edition
from uno_env.events import Event, cards_laid
from uno_env.rules import Rules


class Entry(NamedTuple):
    """One event, and the table right after it."""

    previous: Optional["Entry"]
    """The entry before; None for the deal."""
    event: Event
    asked: int
    """Seat that is asked about a missing call, which everyone sees; or −1."""
    hands: npt.NDArray[np.int8]
    """Cards held by each seat, by kind, int8 [players, kinds]; all 0 where they are not known."""
    known: tuple[tuple[int, int, int], ...]
    """Cards known to others than who holds them: holder, kind, and the knowing seats as bits."""
    discards: npt.NDArray[np.int8]
    """The discard pile by kind, int8 [kinds]."""

    @property
    def edition(self) -> Edition:
        """The edition of the cards."""
        return EDITIONS[self.event.edition]

    def known_to(self, seat: int) -> list[tuple[int, int]]:
        """Holders and kinds of the cards that a seat knows others to hold, in order."""
        return sorted((owner, kind) for owner, kind, seen in self.known if seen >> seat & 1 and owner != seat)


def latest_visible(entry: Entry, seat: int) -> Entry:
    """The newest entry that a seat can see, up to this one. If it cannot see the entries after that one, their effects
    are added.
    """
    told, untold = entry, []
    while not told.event.is_seen_by(seat):
        assert told.previous is not None, "a deal is told to everybody"
        untold.append(told.event)
        told = told.previous
    if not untold:
        return told
    event = told.event
    for later in reversed(untold):
        event = event.followed_by(later)
    return entry._replace(previous=told.previous, event=event)


def visible_entries(entry: Entry | None, seat: int) -> Iterator[Entry]:
    """The entries that a seat may know of, the newest first."""
    while entry is not None:
        told = latest_visible(entry, seat)
        yield told
        entry = told.previous


def with_observation_of(seen: str, entry: Entry, seat: int) -> str:
    """The text of a seat after one more entry."""
    if entry.previous is not None and not entry.event.is_seen_by(seat):
        before = observation_of(latest_visible(entry.previous, seat), seat)
        if seen.endswith(before):  # what was made up for an imagined game does not
            return seen.removesuffix(before) + observation_of(latest_visible(entry, seat), seat)
    return seen + observation_of(entry, seat)


def observation_of(entry: Entry, seat: int) -> str:
    """The news of an entry for a seat: the action, cards taken, its own new cards, cards it knows others to hold."""
    news = [*public_observation(entry, seat), *_own_cards(entry, seat)]
    known, before = entry.known_to(seat), entry.previous.known_to(seat) if entry.previous else []
    if known != before:
        news.append("knows " + (" ".join(f"{owner}:{entry.edition.texts[kind]}" for owner, kind in known) or "nothing"))
    return "".join(f"; {each}" for each in news)


def public_observation(entry: Entry, seat: int) -> list[str]:
    """The news that everybody sees, without those that the seat may not know."""
    event = entry.event
    news = [_deed(event)] if event.is_seen_by(seat) else []
    news += [f"{other} takes {taken}" for other, taken in enumerate(event.taken) if taken]
    if event.hands_moved:
        news.append("hands of " + " ".join(map(str, event.held)))
    news += [f"{other} is out" for other in event.put_out]
    if event.put_out or event.laid_along:
        news.append(f"discards are {cards_held(entry.discards, entry.edition)}")
    if entry.asked != NOBODY:
        news.append(f"{entry.asked} is asked")
    return news


def _deed(event: Event) -> str:
    if event.action is None:
        return f"{event.seat} deals {EDITIONS[event.edition].texts[event.top]}"
    return f"{event.seat} {event.action_text}"


def _own_cards(entry: Entry, seat: int) -> list[str]:
    event, after = entry.event, entry.hands[seat]
    if entry.previous is None:
        return [f"holds {cards_held(after, entry.edition)}"]
    before = entry.previous.hands[seat]
    laid = event.seat == seat and event.action is not None and cards_laid(event.action, entry.edition)
    if not laid and after.tobytes() == before.tobytes():
        return []
    gained = after - before
    if laid:
        gained[event.top] += laid
        if not gained.any():
            return []
    word, counts = ("holds", after) if gained.min() < 0 else ("gets", gained)
    return [f"{word} {cards_held(counts, entry.edition)}"]


def cards_held(counts: npt.NDArray[np.int8], edition: Edition) -> str:
    """The text of cards, from their number by kind."""
    return cards_text(np.repeat(np.arange(len(counts)), counts).tolist(), edition)


def redeal(array: Any, rules: Rules, seat: int, uniform: Callable[[], float]) -> None:
    """Deal the cards of a game, a record [1], that a seat does not know, again. Each order is equally likely."""
    hands, start, end = array["seats"]["hand"][0, : rules.players], array["pile_next"].item(), array["pile_end"].item()
    kept = np.zeros_like(hands)
    kept[seat] = hands[seat]
    edition = edition_for(rules)
    entries = list(known_cards(array, rules.players, edition))
    for owner, kind, seen in entries:
        if seen >> seat & 1 and owner != seat:
            kept[owner, kind] += 1
    unseen = np.repeat(np.arange(hands.shape[1]), (hands - kept).sum(axis=0, dtype=np.int64)).tolist()
    unseen += array["pile"][0, start:end].tolist()
    unseen.sort()
    for place in range(len(unseen) - 1, 0, -1):
        other = int(uniform() * (place + 1))
        unseen[place], unseen[other] = unseen[other], unseen[place]
    dealt = iter(unseen)
    for owner in range(rules.players):
        fresh = list(itertools.islice(dealt, int(hands[owner].sum() - kept[owner].sum())))
        hands[owner] = kept[owner]
        np.add.at(hands[owner], fresh, 1)
        for place, (holder, _, seen) in enumerate(entries):
            if holder == owner != seat and not seen >> seat & 1:
                entries[place] = (owner, fresh.pop(), seen)
    set_known_cards(array, rules.players, entries, edition)
    array["pile"][0, start:end] = sorted(dealt)
    colour = array["previous_colour"].item()
    if array["phase"].item() == CHALLENGE and colour != NO_COLOUR and rules.wild_draw_four == "bluff":
        suit = [kind for kind, face in enumerate(edition.kinds) if face.colour == colour]
        array["bluffed"] = hands[array["turn"].item(), suit].any()


def imagined(
    seen: tuple[str, ...], history: Iterable[Entry], array: Any, seat: int
) -> tuple[tuple[str, ...], Entry | None]:
    """The texts of all seats' observations in a game that ``seat`` imagines, ``array`` [1], and the course of that
    game. ``seen`` and ``history`` are those of the real game, the last entry first.
    """
    texts, entry = [""] * len(seen), None
    for real in reversed(list(history)):
        hands = np.zeros_like(real.hands)
        hands[seat] = real.hands[seat]
        known = tuple((owner, kind, 1 << seat) for owner, kind in real.known_to(seat))
        event = real.event if real.event.is_seen_by(seat) else real.event._replace(seat=NOBODY)
        entry = Entry(entry, event, real.asked, hands, known, real.discards)
        for other in range(len(texts)):
            texts[other] += "".join(f"; {each}" for each in public_observation(entry, other))
    for other, text in enumerate(texts):
        held = cards_held(array["seats"]["hand"][0, other], entry.edition) if entry else ""
        texts[other] = f"player {other}{text}; now holds {held}"
    texts[seat] = seen[seat]
    return tuple(texts), entry


def known_cards(array: Any, players: int, edition: Edition) -> tuple[tuple[int, int, int], ...]:
    """Cards that are known to others than who holds them, one by one. Of two viewers of a hand, one knows all that the
    other one knows.
    """
    if not array["knows"].item():
        return ()
    numbers = known_table(array["known"][0], players, edition).copy()
    numbers[np.diag_indices(len(numbers))] = 0
    cards = []
    for owner, kind in np.argwhere(numbers.any(axis=0)).tolist():
        by_viewer = numbers[:, owner, kind].tolist()
        for number in range(max(by_viewer)):
            cards.append((owner, kind, sum(1 << viewer for viewer, known in enumerate(by_viewer) if known > number)))
    return tuple(cards)


def set_known_cards(array: Any, players: int, cards: Sequence[tuple[int, int, int]], edition: Edition) -> None:
    """Make these the known cards. Afterwards, positions in which the same cards are known are equal."""
    if "known" not in (array.dtype.names or ()) or array["known"].shape[1] < players * players * len(edition.kinds):
        return
    numbers = known_table(array["known"][0], players, edition)
    numbers[:] = 0
    for owner, kind, seen in cards:
        for viewer in range(len(numbers)):
            numbers[viewer, owner, kind] += seen >> viewer & 1
    array["knows"] = len(cards) > 0
