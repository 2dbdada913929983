"""Reading cards and players from an observation in integer form, uint8 [D]; for the compiled strategies.

Seats are relative to the observer, as there: seat 0 is the observer, seat k the k-th player to the left.
"""

from typing import TypeAlias

import numpy as np

from agents.scripted.faces import Faces, kinds_each, rules_at
from uno_env.core.arrays import Bytes
from uno_env.core.edition import sizes_of
from uno_env.core.jit.njit import njit
from uno_env.core.observe.decode import marked
from uno_env.core.observe.layout import columns_of
from uno_env.core.record import MAX_SEATS

Counts: TypeAlias = tuple[int, int, int, int]
"""A number of cards for each colour."""


@njit
def column(row: Bytes, index: int) -> int:
    """A column of an observation as a signed number; ``int(row[index])`` is an unsigned one when compiled."""
    return int(np.int64(row[index]))


@njit
def hand_size(faces: Faces, row: Bytes, seat: int) -> int:
    """Cards in the hand of a seat."""
    return column(row, columns_of(faces).hand_sizes + seat)


@njit
def held(faces: Faces, row: Bytes, kind: int) -> int:
    """Cards of a kind that the observer holds."""
    return column(row, columns_of(faces).hand + kind)


@njit
def is_out(faces: Faces, row: Bytes, seat: int) -> bool:
    """Return whether a seat is out of the match, or of the hand."""
    return row[columns_of(faces).out + seat] != 0


@njit
def count_colours(faces: Faces, row: Bytes) -> Counts:
    """Coloured cards of each colour that the observer holds."""
    return held_of(faces, row, 0), held_of(faces, row, 1), held_of(faces, row, 2), held_of(faces, row, 3)


@njit
def held_of(faces: Faces, row: Bytes, colour: int) -> int:
    """Coloured cards of a colour that the observer holds."""
    number = np.int32(0)  # small numbers, for many of them are added at once
    for kind in range(colour * kinds_each(faces), (colour + 1) * kinds_each(faces)):
        number = np.int32(number + held(faces, row, kind))
    return int(number)


@njit
def held_with(counts: Counts, colour: int) -> int:
    """The cards of a colour among those counted; 0 if it is none."""
    return counts[colour] if colour >= 0 else 0


@njit
def count_symbol(faces: Faces, row: Bytes, kind: int) -> int:
    """Cards in the hand of the same symbol as a coloured kind, itself included."""
    number = 0
    for colour in range(sizes_of(faces).colours):
        number += held(faces, row, faces.twins[kind, colour])
    return number


@njit
def unseen_of(faces: Faces, row: Bytes, kind: int) -> int:
    """Cards of a kind in the draw pile and other hands."""
    at = columns_of(faces)
    return column(row, at.deck + kind) - column(row, at.hand + kind) - column(row, at.discards + kind)


@njit
def count_unseen(faces: Faces, row: Bytes, colour: int) -> int:
    """Cards of a colour in the draw pile and other hands."""
    unseen = np.int32(0)
    for kind in range(colour * kinds_each(faces), (colour + 1) * kinds_each(faces)):
        unseen = np.int32(unseen + unseen_of(faces, row, kind))
    return int(unseen)


@njit
def count_unseen_colours(faces: Faces, row: Bytes) -> Counts:
    """Cards of each colour in the draw pile and other hands."""
    return (
        count_unseen(faces, row, 0),
        count_unseen(faces, row, 1),
        count_unseen(faces, row, 2),
        count_unseen(faces, row, 3),
    )


@njit
def count_players(faces: Faces, row: Bytes) -> int:
    """Number of players at the table, in the match or out of it; always 1 to MAX_SEATS."""
    return min(max(column(row, rules_at(faces).players), 1), MAX_SEATS)


@njit
def seat_after(faces: Faces, row: Bytes, players: int, turns: int) -> int:
    """Relative seat of the player ``turns`` after the observer in the direction of play; 0 is the observer.

    Who is out is passed over.
    """
    at = columns_of(faces)
    onward = 1 if (turns > 0) == (row[at.clockwise] > 0) else -1
    seat, left = 0, abs(turns)
    for _ in range(left * players):  # enough for who is in to come by; a row can say that nobody is
        if left == 0:
            break
        seat += onward
        if seat == players:
            seat = 0
        elif seat < 0:
            seat = players - 1
        left -= row[at.out + seat] == 0
    return seat


@njit
def count_in(faces: Faces, row: Bytes, players: int) -> int:
    """Number of players who are not out, 1 or more."""
    number = 0
    for seat in range(players):
        number += row[columns_of(faces).out + seat] == 0
    return max(number, 1)


@njit
def top_kind(faces: Faces, row: Bytes) -> int:
    """Kind of the top card; a coloured card's colour is the active one."""
    at, sizes = columns_of(faces), sizes_of(faces)
    colour, symbol = max(marked(row, at.colour, sizes.colours), 0), marked(row, at.symbol, sizes.symbols)
    return int(faces.kind_with[colour, symbol]) if symbol >= 0 else -1
