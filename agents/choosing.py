"""What the compiled strategies share: choosing by score, and reading cards and players from an observation.

A strategy writes a score for every action and the best legal one is chosen, ties uniformly. Rows are observations in
integer form.
"""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from uno_env.actions import (
    DECLARE,
    DRAW,
    NUM_ACTIONS,
    PAIR_NUMBERS,
    PLAY_PAIR,
    PLAY_WILD,
)
from uno_env.cards import FIRST_WILD, NUM_COLOURS, NUM_SYMBOLS, RANKS_PER_COLOUR
from uno_env.core.compiled import compiled
from uno_env.core.layout import LAYOUT
from uno_env.core.record import FLAGS, MAX_SEATS, SWITCHES
from uno_env.core.rng import bounded, next_bits_at

HAND = LAYOUT["hand"].start
HAND_SIZES = LAYOUT["hand_sizes"].start
CLOCKWISE = LAYOUT["clockwise"].start
SEATS = LAYOUT["seats"].start
OUT = LAYOUT["out"].start
COLOUR = LAYOUT["colour"].start
SYMBOL = LAYOUT["symbol"].start

NO_CARD = -1

Bytes: TypeAlias = npt.NDArray[np.uint8]
"""Observations in integer form, and masks: one (a row) or many."""
Ints: TypeAlias = npt.NDArray[np.int64]
Random: TypeAlias = npt.NDArray[np.uint64]
"""An agent's generator: one number."""


_RULE_NAMES = (*SWITCHES, *FLAGS, "players", "hand_size", "uno_penalty", "special_wild_points")


def rule_column(name: str) -> int:
    """The column of an observation that holds a field of the rules.

    It goes by the core alone, whose sources the cache of compiled code is keyed by.
    """
    return LAYOUT["rules"].start + _RULE_NAMES.index(name)


def _kind_of(action: int) -> int:
    if action < PLAY_WILD:
        return action
    if action < PLAY_PAIR:
        return FIRST_WILD + (action - PLAY_WILD) // NUM_COLOURS
    if action < DRAW:
        colour, number = divmod(action - PLAY_PAIR, PAIR_NUMBERS)
        return colour * RANKS_PER_COLOUR + number + 1
    return NO_CARD


def _colour_of(action: int) -> int:
    if PLAY_WILD <= action < PLAY_PAIR:
        return (action - PLAY_WILD) % NUM_COLOURS
    if action >= DECLARE:
        return action - DECLARE
    return _kind_of(action) // RANKS_PER_COLOUR if action < DRAW else -1


KIND_OF = np.array([_kind_of(action) for action in range(NUM_ACTIONS)])
"""Kind of card that each action plays, NO_CARD if none; int64 [A]."""
COLOUR_OF = np.array([_colour_of(action) for action in range(NUM_ACTIONS)])
"""Active colour that each action leads to, −1 if it leaves it alone; int64 [A]."""
CARDS_OF = np.array([0 if action >= DRAW else 2 if action >= PLAY_PAIR else 1 for action in range(NUM_ACTIONS)])
"""Cards that each action plays; int64 [A]."""


@compiled
def find_empty(masks: Bytes) -> int:
    """First row of uint8 [N, A] that marks nothing, or −1."""
    for index in range(masks.shape[0]):
        action = 0
        while action < masks.shape[1] and masks[index, action] == 0:
            action += 1
        if action == masks.shape[1]:
            return index
    return -1


@compiled
def best_action(scores: Ints, mask: Bytes, random: Random) -> int:
    """The marked action of the highest score; among equals each with the same chance."""
    best, ties = -1, 0
    for action in range(mask.shape[0]):
        if mask[action] == 0:
            continue
        if best < 0 or scores[action] > scores[best]:
            best, ties = action, 1
        elif scores[action] == scores[best]:
            ties += 1
            if draw_below(random, ties) == 0:
                best = action
    return best


@compiled
def draw_below(random: Random, bound: int) -> int:
    """Uniform integer from 0 to ``bound`` − 1 by the agent's generator, uint64 [1]."""
    return bounded(next_bits_at(random, 0), bound)


@compiled
def any_action(mask: Bytes, random: Random) -> int:
    """A marked action, each with the same chance."""
    count = 0
    for action in range(mask.shape[0]):
        count += mask[action] != 0
    left = draw_below(random, count)
    action = -1
    while left >= 0:
        action += 1
        left -= mask[action] != 0
    return action


@compiled
def to_integers(rows: npt.NDArray[np.float32], inverse_scales: npt.NDArray[np.float32], out: Bytes) -> None:
    """Write the integer form of observations float32 [N, D] into uint8 [N, D]."""
    half = np.float32(0.5)
    for index in range(rows.shape[0]):
        row, whole = rows[index], out[index]
        for column in range(rows.shape[1]):
            whole[column] = np.int32(row[column] * inverse_scales[column] + half)


@compiled
def count_colours(row: Bytes, counts: Ints) -> None:
    """Write how many coloured cards of each colour the observer holds into ``counts``, [4]."""
    for colour in range(NUM_COLOURS):
        counts[colour] = 0
        for rank in range(RANKS_PER_COLOUR):
            counts[colour] += row[HAND + colour * RANKS_PER_COLOUR + rank]


@compiled
def count_players(row: Bytes) -> int:
    """Number of players at the table, in the match or out of it."""
    players = 0
    for place in range(MAX_SEATS):
        players += int(row[SEATS + place])
    return players


@compiled
def marked_column(row: Bytes, start: int, width: int) -> int:
    """Place of the 1 in a one-hot run of columns, or −1."""
    for place in range(width):
        if row[start + place]:
            return place
    return -1


@compiled
def place_after(row: Bytes, players: int, turns: int) -> int:
    """Place of the player ``turns`` after the observer in the direction of play; 0 is the observer.

    Who is out of the match is passed over.
    """
    onward = 1 if (turns > 0) == (row[CLOCKWISE] > 0) else -1
    place, left = 0, abs(turns)
    while left > 0:
        place += onward
        if place == players:
            place = 0
        elif place < 0:
            place = players - 1
        left -= 1 - int(row[OUT + place])
    return place


@compiled
def count_in(row: Bytes, players: int) -> int:
    """Number of players who are still in the match."""
    number = players
    for place in range(players):
        number -= int(row[OUT + place])
    return number


@compiled
def top_kind(row: Bytes) -> int:
    """Kind of the top card; a coloured card's colour is the active one."""
    symbol = marked_column(row, SYMBOL, NUM_SYMBOLS)
    if symbol >= RANKS_PER_COLOUR:
        return FIRST_WILD + symbol - RANKS_PER_COLOUR
    return marked_column(row, COLOUR, NUM_COLOURS) * RANKS_PER_COLOUR + symbol


@compiled
def fill_uniforms(random: Random, out: npt.NDArray[np.float64]) -> None:
    """Write random numbers from 0 up to, not including, 1 into ``out``, float64 [N]."""
    for index in range(out.shape[0]):
        out[index] = draw_below(random, 1 << 32) / 4294967296.0
