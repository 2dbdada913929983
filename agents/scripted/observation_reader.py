"""Reading cards and players from an observation in integer form, uint8 [D]; for the compiled strategies.

Seats are relative to the observer, as there: seat 0 is the observer, seat k the k-th player to the left.
"""

from typing import TypeAlias

import numpy as np

from agents.scripted.faces import COLOURS, FIRST_OF_COLOUR, KIND_WITH, SYMBOLS, TWINS
from uno_env.core.arrays import Bytes
from uno_env.core.jit.njit import njit
from uno_env.core.observe.decode import marked
from uno_env.core.observe.layout import LAYOUT, RULE_COLUMNS
from uno_env.core.record import MAX_SEATS

HAND = LAYOUT["hand"].start
HAND_SIZES = LAYOUT["hand_sizes"].start
CLOCKWISE = LAYOUT["clockwise"].start
OUT = LAYOUT["out"].start
COLOUR = LAYOUT["colour"].start
SYMBOL = LAYOUT["symbol"].start
DISCARDS = LAYOUT["discards"].start
DECK = LAYOUT["deck"].start

Counts: TypeAlias = tuple[int, int, int, int]
"""A number of cards for each colour."""


def rule_column(name: str) -> int:
    """The column of an observation that holds a field of the rules.

    It goes by the core alone, whose sources the cache of compiled code is keyed by.
    """
    return RULE_COLUMNS[name]


PLAYERS = rule_column("players")


@njit
def column(row: Bytes, index: int) -> int:
    """A column of an observation as a signed number; ``int(row[index])`` is an unsigned one when compiled."""
    return int(np.int64(row[index]))


@njit
def count_colours(row: Bytes) -> Counts:
    """Coloured cards of each colour that the observer holds."""
    return held_of(row, 0), held_of(row, 1), held_of(row, 2), held_of(row, 3)


@njit
def held_of(row: Bytes, colour: int) -> int:
    """Coloured cards of a colour that the observer holds."""
    held = np.int32(0)  # small numbers, for many of them are added at once
    for kind in range(FIRST_OF_COLOUR[colour], FIRST_OF_COLOUR[colour + 1]):
        held = np.int32(held + column(row, HAND + kind))
    return int(held)


@njit
def count_symbol(row: Bytes, kind: int) -> int:
    """Cards in the hand of the same symbol as a coloured kind, itself included."""
    held = 0
    for twin in TWINS[kind]:
        held += column(row, HAND + twin)
    return held


@njit
def count_unseen(row: Bytes, colour: int) -> int:
    """Cards of a colour in the draw pile and other hands."""
    unseen = np.int32(0)
    for kind in range(FIRST_OF_COLOUR[colour], FIRST_OF_COLOUR[colour + 1]):
        unseen = np.int32(unseen + column(row, DECK + kind) - column(row, HAND + kind) - column(row, DISCARDS + kind))
    return int(unseen)


@njit
def count_players(row: Bytes) -> int:
    """Number of players at the table, in the match or out of it; always 1 to MAX_SEATS."""
    return min(max(column(row, PLAYERS), 1), MAX_SEATS)


@njit
def seat_after(row: Bytes, players: int, turns: int) -> int:
    """Relative seat of the player ``turns`` after the observer in the direction of play; 0 is the observer.

    Who is out of the match is passed over.
    """
    onward = 1 if (turns > 0) == (row[CLOCKWISE] > 0) else -1
    seat, left = 0, abs(turns)
    for _ in range(left * players):  # enough for who is in to come by; a row can say that nobody is
        if left == 0:
            break
        seat += onward
        if seat == players:
            seat = 0
        elif seat < 0:
            seat = players - 1
        left -= row[OUT + seat] == 0
    return seat


@njit
def count_in(row: Bytes, players: int) -> int:
    """Number of players who are still in the match, 1 or more."""
    number = 0
    for seat in range(players):
        number += row[OUT + seat] == 0
    return max(number, 1)


@njit
def top_kind(row: Bytes) -> int:
    """Kind of the top card; a coloured card's colour is the active one."""
    colour, symbol = max(marked(row, COLOUR, COLOURS), 0), marked(row, SYMBOL, SYMBOLS)
    return int(KIND_WITH[colour, symbol]) if symbol >= 0 else -1
