"""Every card that could have been drawn instead: compiled loops over the games of a batch.

An action is done again in a copy of its game, with another card first in the draw pile, by the engine's own loop for
chance that is spelled out (:mod:`uno_env.extensive_form.explicit_chance`). For the i-th card that the action draws, the
cards before it are those that came, and the pile's other cards follow in the order of kinds. So a position depends on
the first i cards alone. This is all that the correction needs in order to be right in the mean.

Cards from a renewed pile are left out: the discards are shuffled by the game's own generator.

Positions are described by *columns*, uint8. Seats are *places*: place 0 has the turn, and the others follow in the
direction of play. Colours are in an order, too: the active one, then those of which place 0 holds more. So positions
that differ only in the names of seats and colours have (nearly always) the same columns.
"""

from typing import Any, NamedTuple

import numpy as np

from uno_env.cards import MAX_CARDS, NUM_COLOURS, NUM_KINDS, NUM_SYMBOLS
from uno_env.core.arrays import Array
from uno_env.core.faces import symbol_of
from uno_env.core.jit.njit import njit
from uno_env.core.packed_games import rows_of
from uno_env.core.record import GAME, OVER
from uno_env.editions.classic import CLASSIC
from uno_env.editions.edition import NO_COLOUR
from uno_env.extensive_form.explicit_chance import act_with_pile
from uno_env.rules import Rules

CLASSES = 4
"""Of coloured cards: numbers, Skip, Reverse, Draw Two."""
SIZES = 6
"""Sizes of hands, from 1 on, that have a column of their own."""
COLOURED, PER_COLOUR = CLASSIC.coloured, CLASSIC.per_colour
_CLASSES = {"none": 0, "skip": 1, "reverse": 2, "draw": 3}
CLASS_OF = np.array(
    [_CLASSES[face.effect] if face.colour != NO_COLOUR else CLASSES + (face.effect != "none") for face in CLASSIC.kinds]
)
"""Class of each kind: 0 for a number, 1 to 3 for Skip, Reverse and Draw Two, 4 for a Wild, 5 for any other wild."""
WILDS = COLOURED
"""First columns of a seat after the coloured cards: Wild, Wild Draw Four, other wilds."""
SIZE = WILDS + 3
SYMBOL = SIZE + 1 + SIZES
"""Cards of each class of colours, and how many of the other colours have the top card's symbol."""
SEAT_COLUMNS = SYMBOL + NUM_COLOURS * (CLASSES + 1) + 1
TABLE_COLUMNS = OVER + 2 + NUM_SYMBOLS + CLASSES + 2
RUNNING, NOBODY_WON = -2, -1


ROOM_FOR = 16_384
"""Positions listed at once; the cards of one action fit in."""


class Room(NamedTuple):
    """Arrays to work in."""

    work: Array
    """Two whole records."""
    work_rows: Array
    """The same as rows of bytes."""
    cards: Array
    pool: Array
    left: Array
    none: Array
    """Room for renewed piles, which are not listed, int64 [1, kinds]."""
    order: Array


class Listed(NamedTuple):
    """Positions that cards lead to, M of them."""

    rows: Array
    """uint8 [M, columns]."""
    shares: Array
    """float32 [M]: 1 for the card that came, 0 for the others, less the probability of each."""
    owners: Array
    """int64 [M]: the game in the batch."""
    seats: Array
    """int8 [M, players]: the seat at each place."""
    winners: Array
    """int8 [M]: who won, :data:`NOBODY_WON`, or :data:`RUNNING`."""


def new_room() -> Room:
    """Room for one thread."""
    work = np.zeros(2, GAME)
    pool, left = np.zeros((2, NUM_KINDS), np.int64)
    none = np.zeros((1, NUM_KINDS), np.int64)
    cards, order = np.zeros(MAX_CARDS, np.int64), np.zeros(2 * NUM_COLOURS, np.int64)
    return Room(work, rows_of(work), cards, pool, left, none, order)


def new_list(players: int, number: int = ROOM_FOR) -> Listed:
    """Room for a number of positions."""
    rows, seats = np.zeros((number, num_columns(players)), np.uint8), np.zeros((number, players), np.int8)
    return Listed(rows, np.zeros(number, np.float32), np.zeros(number, np.int64), seats, np.zeros(number, np.int8))


def check_rules(rules: Rules) -> None:
    """Raise ValueError if these rules do not tell which cards could have come, or their cards have no columns here."""
    if rules.edition != CLASSIC.name or rules.mercy:
        raise ValueError(
            f"luck cannot be taken out of games with edition={rules.edition!r} and mercy={rules.mercy}: only out of "
            f"those of {CLASSIC.name!r} without mercy"
        )
    if rules.dialect != "official":
        raise ValueError(
            f"luck cannot be taken out of games with dialect={rules.dialect!r}: discards are shuffled into its draw "
            "pile before that is empty"
        )


def num_columns(players: int) -> int:
    """Columns of a position."""
    return players * (SEAT_COLUMNS + 1) + TABLE_COLUMNS


@njit
def order_colours(game: Any, first: int, second: int, order: Any) -> None:
    """Write the order of the colours, int64 [4]: see the module."""
    for colour in range(NUM_COLOURS):
        key = 1_000_000 if colour == game.colour else 0
        for rank in range(PER_COLOUR):
            kind = colour * PER_COLOUR + rank
            key += 1_000 * game.seats[first].hand[kind] + game.seats[second].hand[kind]
        place = colour
        while place > 0 and order[NUM_COLOURS + place - 1] < key:
            order[place], order[NUM_COLOURS + place] = order[place - 1], order[NUM_COLOURS + place - 1]
            place -= 1
        order[place], order[NUM_COLOURS + place] = colour, key


@njit
def describe(game: Any, rules: Any, order: Any, row: Any, seats: Any) -> int:
    """Write a position's columns to ``row``, uint8 [columns], and the seat at each place to ``seats``, int8 [players];
    who won, :data:`NOBODY_WON`, or :data:`RUNNING`. ``order`` is room to work in, int64 [8]."""
    players = rules.players
    row[:] = 0
    for place in range(players):
        seats[place] = (game.turn + place * game.direction) % players
    if game.phase == OVER:
        return game.winner if game.winner >= 0 else NOBODY_WON
    order_colours(game, seats[0], seats[1], order)
    symbol = symbol_of(game, rules, game.top)
    for place in range(players):
        hand = game.seats[seats[place]].hand
        first = place * SEAT_COLUMNS
        for index in range(NUM_COLOURS):
            for rank in range(PER_COLOUR):
                held = hand[order[index] * PER_COLOUR + rank]
                row[first + index * PER_COLOUR + rank] = held
                row[first + SYMBOL + index * (CLASSES + 1) + CLASS_OF[rank]] += held
                row[first + SYMBOL + index * (CLASSES + 1) + CLASSES] += held * (rank == symbol)
        for kind in range(COLOURED, NUM_KINDS):
            row[first + WILDS + min(kind - COLOURED, 2)] += hand[kind]
        size = min(game.seats[seats[place]].hand_size, 255)
        row[first + SIZE] = size
        if 1 <= size <= SIZES:
            row[first + SIZE + size] = 1
        row[first + SEAT_COLUMNS - 1] = (game.called >> seats[place]) & 1
    column = players * SEAT_COLUMNS
    for place in range(players):
        row[column + place] = seats[place] == game.to_move
    column += players
    row[column + game.phase] = 1
    row[column + OVER] = min(game.penalty, 255)
    row[column + OVER + 1] = game.colour < 0
    row[column + OVER + 2 + symbol] = 1
    if game.drawn >= 0:
        row[column + OVER + 2 + NUM_SYMBOLS + CLASS_OF[game.drawn]] = 1
    return RUNNING


@njit
def list_draws(games: Any, rules: Any, actions: Any, chosen: Any, begin: int, room: Room, listed: Listed) -> Any:
    """List the cards that legal actions, integers [N], draw in games, uint8 [N, bytes], and those that could have come
    instead.

    The games stay as they are; the rules renew the pile only when it is empty. Looks at the games ``chosen``, integers
    [K], from the entry ``begin`` on, with ``room`` to work in; returns the entry to go on with, and how many positions
    are ``listed``.
    """
    work, cards, pool = room.work, room.cards, room.pool
    count = 0
    for entry in range(begin, len(chosen)):
        slot = chosen[entry]
        for byte in range(games.shape[1]):
            room.work_rows[0, byte] = games[slot, byte]
        game, action = work[0], actions[slot]
        held = game.pile_end - game.pile_next
        for index in range(held):
            cards[index] = game.pile[game.pile_next + index]
        drawn = min(act_with_pile(work, rules, action, cards, held, room.left, room.none, 0), held)
        if count + drawn * NUM_KINDS > len(listed.rows):
            return entry, count
        for kind in range(NUM_KINDS):
            pool[kind] = 0
        for index in range(held):
            pool[cards[index]] += 1
        for index in range(drawn):
            came, total = cards[index], held - index
            for kind in range(NUM_KINDS):
                if 0 < pool[kind] < total:
                    cards[index] = kind
                    act_with_pile(work, rules, action, cards, index + 1, room.left, room.none, 0)
                    row, seats = listed.rows[count], listed.seats[count]
                    listed.winners[count] = describe(work[1], rules, room.order, row, seats)
                    listed.shares[count] = (kind == came) - pool[kind] / total
                    listed.owners[count] = slot
                    count += 1
            cards[index] = came
            pool[came] -= 1
    return len(chosen), count
