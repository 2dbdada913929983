"""Games that look the same to a seat: what it does not know is dealt anew, and what the others saw is made to fit."""

import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from uno_env.cards import NUM_KINDS, RANKS_PER_COLOUR
from uno_env.core.packed_games import known_table
from uno_env.core.record import CHALLENGE, NO_COLOUR, NOBODY
from uno_env.extensive_form.information_state import KINDS, Entry, cards_held, public_news
from uno_env.rules import Rules


def redeal(array: Any, rules: Rules, seat: int, uniform: Callable[[], float]) -> None:
    """Deal anew the cards of a game, a record [1], that a seat does not know; each order is as likely."""
    hands, start, end = array["seats"]["hand"][0, : rules.players], array["pile_next"].item(), array["pile_end"].item()
    kept = np.zeros_like(hands)
    kept[seat] = hands[seat]
    entries = list(known_cards(array, rules.players))
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
    for owner in range(rules.players):
        fresh = list(itertools.islice(dealt, int(hands[owner].sum() - kept[owner].sum())))
        hands[owner] = kept[owner]
        np.add.at(hands[owner], fresh, 1)
        for place, (holder, _, seen) in enumerate(entries):
            if holder == owner != seat and not seen >> seat & 1:
                entries[place] = (owner, fresh.pop(), seen)
    set_known_cards(array, rules.players, entries)
    array["pile"][0, start:end] = sorted(dealt)
    colour = array["previous_colour"].item()
    if array["phase"].item() == CHALLENGE and colour != NO_COLOUR and rules.wild_draw_four == "bluff":
        suit = slice(colour * RANKS_PER_COLOUR, (colour + 1) * RANKS_PER_COLOUR)
        array["bluffed"] = hands[array["turn"].item(), suit].any()


def imagined(
    seen: tuple[str, ...], history: Iterable[Entry], array: Any, seat: int
) -> tuple[tuple[str, ...], Entry | None]:
    """What each seat has seen in a game that ``seat`` imagines, and what has happened there.

    Args:
        seen: what each seat has seen in the real game.
        history: what has happened in it, the last first.
        array: the imagined game, a record [1].
        seat: who imagines it.
    """
    texts, entry = [""] * len(seen), None
    for real in reversed(list(history)):
        hands = np.zeros_like(real.hands)
        hands[seat] = real.hands[seat]
        known = tuple((owner, kind, 1 << seat) for owner, kind in real.known_to(seat))
        event = real.event if real.event.is_seen_by(seat) else real.event._replace(seat=NOBODY)
        entry = Entry(entry, event, real.asked, hands, known)
        for other in range(len(texts)):
            texts[other] += "".join(f"; {each}" for each in public_news(entry, other))
    for other, text in enumerate(texts):
        texts[other] = f"player {other}{text}; now holds {cards_held(array['seats']['hand'][0, other])}"
    texts[seat] = seen[seat]
    return tuple(texts), entry


def known_cards(array: Any, players: int) -> tuple[tuple[int, int, int], ...]:
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


def set_known_cards(array: Any, players: int, cards: Sequence[tuple[int, int, int]]) -> None:
    """Make these the known cards; positions in which the same cards are known are equal then."""
    if "known" not in (array.dtype.names or ()) or array["known"].shape[1] < players * players * NUM_KINDS:
        return
    numbers = known_table(array["known"][0], players)
    numbers[:] = 0
    for owner, kind, seen in cards:
        for viewer in range(len(numbers)):
            numbers[viewer, owner, kind] += seen >> viewer & 1
    array["knows"] = len(cards) > 0
