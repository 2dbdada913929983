"""What happened, entry by entry, and what each seat saw of it: the texts of information states."""

from typing import NamedTuple, Optional

import numpy as np
import numpy.typing as npt

from uno_env import actions as catalogue
from uno_env.cards import CARD_TEXTS, NUM_KINDS, cards_text
from uno_env.core.record import NOBODY
from uno_env.events import Event, cards_laid

KINDS = np.arange(NUM_KINDS)


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


def news_for(entry: Entry, seat: int) -> str:
    """What a seat learns: what was done, who took cards, which ones it got, which it knows others to hold."""
    news = [*public_news(entry, seat), *_own_cards(entry, seat)]
    known, before = entry.known_to(seat), entry.previous.known_to(seat) if entry.previous else []
    if known != before:
        news.append("knows " + (" ".join(f"{owner}:{CARD_TEXTS[kind]}" for owner, kind in known) or "nothing"))
    return "".join(f"; {each}" for each in news)


def public_news(entry: Entry, seat: int) -> list[str]:
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
        return [f"holds {cards_held(after)}"]
    before = entry.previous.hands[seat]
    laid = event.seat == seat and event.action is not None and cards_laid(event.action)
    if not laid and after.tobytes() == before.tobytes():
        return []
    gained = after - before
    if laid:
        gained[event.top] += laid
        if not gained.any():
            return []
    return [f"holds {cards_held(after)}"] if gained.min() < 0 else [f"gets {cards_held(gained)}"]


def cards_held(counts: npt.NDArray[np.int8]) -> str:
    """The text of cards, from their number by kind."""
    return cards_text(np.repeat(KINDS, counts).tolist())
