"""Compiled code that finds the form of observations (:mod:`uno_env.symmetry.tables`) and writes them in it.

Common arguments: ``observations``, uint8 [N, ≥ D]; ``histories``, uint8 [N, K, EVENT_SIZE], of which the last
``length`` events count; ``games``, int64 [M], the rows to work on; ``forms``, int64 [M], their forms; ``groups``, for
each colour 2 bits with the first colour that is alike, or :data:`UNKNOWN`.
"""

from typing import Any

import numpy as np

from uno_env.core.jit.njit import njit
from uno_env.core.record import MAX_SEATS
from uno_env.symmetry.tables import (
    CLOCKWISE,
    COLOUR,
    DECK,
    DISCARDS,
    HAND,
    KINDS_EACH,
    NUM_NAMED,
    NUM_ORDERS,
    SEATS,
    Tables,
)

ALL_COLOURS = 0
"""The groups where all four colours are alike."""
UNKNOWN = -1
"""The groups are read from each observation."""


@njit
def find_forms(
    observations: np.ndarray,
    histories: np.ndarray,
    length: int,
    games: np.ndarray,
    groups: int,
    tables: Tables,
    forms: np.ndarray,
) -> None:
    """Write the form of each of ``games`` to ``forms``; the common arguments are explained above."""
    for index in range(len(games)):
        events = histories[games[index]] if length else histories[0]
        forms[index] = form_of(observations[games[index]], events, length, groups, tables)


@njit
def form_of(row: np.ndarray, events: np.ndarray, length: int, groups: int, tables: Tables) -> Any:
    """The form of an observation, uint8 [≥ D], with ``events``, uint8 [K, EVENT_SIZE]."""
    alike = colour_groups(row, tables.starts) if groups == UNKNOWN else groups
    order, mirror = quick_order(row, tables.starts), mirror_of(row, tables.starts)
    if order < 0 or alike != ALL_COLOURS:
        order = sorted_colours(row, events, length, mirror, alike, tables)
    return mirror * NUM_ORDERS + tables.order_numbers[order]


@njit
def number(value: Any) -> Any:
    """A small integer as int64, so that differences of two may be negative."""
    return np.int64(value)


@njit
def mirror_of(row: np.ndarray, starts: np.ndarray) -> int:
    """Return 0 if play runs clockwise, else the number of players, which is from 0 to MAX_SEATS for any row."""
    players = 0
    for seat in range(MAX_SEATS):
        players += row[starts[SEATS] + seat] != 0
    return 0 if row[starts[CLOCKWISE]] else players


@njit
def quick_order(row: np.ndarray, starts: np.ndarray) -> int:
    """Return the colours sorted by :func:`colour_key`, 2 bits each from the lowest, or −1 if two have the same key."""
    first, second = colour_key(row, 0, starts), colour_key(row, 1, starts)
    third, fourth = colour_key(row, 2, starts), colour_key(row, 3, starts)
    first, second = max(first, second), min(first, second)
    third, fourth = max(third, fourth), min(third, fourth)
    first, third = max(first, third), min(first, third)
    second, fourth = max(second, fourth), min(second, fourth)
    second, third = max(second, third), min(second, third)
    if first >> 2 == second >> 2 or second >> 2 == third >> 2 or third >> 2 == fourth >> 2:
        return -1
    return (3 - (first & 3)) | (3 - (second & 3)) << 2 | (3 - (third & 3)) << 4 | (3 - (fourth & 3)) << 6


@njit
def sorted_colours(row: np.ndarray, events: np.ndarray, length: int, mirror: int, groups: int, tables: Tables) -> int:
    """The colours sorted by :func:`compared`, as :func:`quick_order` writes them; each group is sorted by itself."""
    order = 0b11100100
    for place in range(3):
        for later in range(place + 1, 4):
            ahead, behind = (order >> 2 * place) & 3, (order >> 2 * later) & 3
            if group_of(groups, ahead) == group_of(groups, behind):
                difference = compared(row, events, length, mirror, ahead, behind, tables)
                if difference < 0 or (difference == 0 and behind < ahead):
                    order ^= (ahead ^ behind) << 2 * place | (ahead ^ behind) << 2 * later
    return order


@njit
def group_of(groups: int, colour: int) -> int:
    """First colour that is alike."""
    return (groups >> 2 * colour) & 3


@njit
def colour_groups(row: np.ndarray, starts: np.ndarray) -> int:
    """The groups of colours that are alike: the deck has the same cards of them."""
    groups = 0
    for colour in range(1, 4):
        first = 0
        while not same_deck(row, first, colour, starts):
            first += 1
        groups |= first << 2 * colour
    return groups


@njit
def same_deck(row: np.ndarray, colour: int, other: int, starts: np.ndarray) -> bool:
    """Return whether the deck has the same cards of two colours, which can change places."""
    if starts[KINDS_EACH] == 0:
        return colour == other
    start, twin = starts[DECK] + colour * starts[KINDS_EACH], starts[DECK] + other * starts[KINDS_EACH]
    differs = False
    for rank in range(starts[KINDS_EACH]):
        differs |= row[start + rank] != row[twin + rank]
    return not differs


@njit
def colour_key(row: np.ndarray, colour: int, starts: np.ndarray) -> int:
    """The number that colours are sorted by, the highest first; its lowest two bits are 3 − colour.

    From the highest bits down it holds: whether the colour is active, the number of its cards in the own hand, the
    number of its discards, and a sum that depends on their ranks.
    """
    held, discarded, ranks, kind = 0, 0, 0, colour * starts[KINDS_EACH]
    for rank in range(starts[KINDS_EACH]):
        hand, discards = number(row[starts[HAND] + kind + rank]), number(row[starts[DISCARDS] + kind + rank])
        held += hand
        discarded += discards
        ranks += (rank + 1) * (3 * hand + discards)
    counts = (number(row[starts[COLOUR] + colour]) << 8 | held) << 8 | discarded
    return (counts << 16 | ranks) << 2 | (3 - colour)


@njit
def compared(
    row: np.ndarray, events: np.ndarray, length: int, mirror: int, colour: int, other: int, tables: Tables
) -> int:
    """Above 0 if ``colour`` comes before ``other``, below 0 if after, 0 if row and events are the same for both."""
    difference = (colour_key(row, colour, tables.starts) >> 2) - (colour_key(row, other, tables.starts) >> 2)
    columns = tables.compared[mirror]
    index = 0
    while difference == 0 and index < columns.shape[1]:
        difference = number(row[columns[colour, index]]) - number(row[columns[other, index]])
        index += 1
    for event in range(events.shape[0] - 1, events.shape[0] - length - 1, -1):
        column = 0
        while difference == 0 and column < NUM_NAMED:
            value = events[event, column]
            difference = number(tables.labels[colour, column, value]) - number(tables.labels[other, column, value])
            column += 1
    return difference


@njit
def write_rows(
    observations: np.ndarray,
    games: np.ndarray,
    forms: np.ndarray,
    real_columns: np.ndarray,
    clockwise: int,
    out: np.ndarray,
) -> None:
    """Write rows in their canonical form to ``out``, uint8 [M, ≥ C]. ``real_columns`` are integers [NUM_FORMS, C];
    ``clockwise`` is the canonical column that says whether play runs clockwise, or −1.
    """
    for index in range(len(games)):
        row, form = observations[games[index]], forms[index]
        for column in range(real_columns.shape[1]):
            out[index, column] = row[real_columns[form, column]]
        if clockwise >= 0 and form >= NUM_ORDERS:
            out[index, clockwise] = 1


@njit
def write_masks(masks: np.ndarray, games: np.ndarray, forms: np.ndarray, real: np.ndarray, out: np.ndarray) -> None:
    """Write to ``out``, uint8 [M, A], which canonical actions are legal, from masks uint8 [N, NUM_ACTIONS]; ``real``,
    integers [NUM_FORMS, A], is the real action of each.
    """
    for index in range(len(games)):
        mask, form = masks[games[index]], forms[index]
        for action in range(real.shape[1]):
            out[index, action] = mask[real[form, action]]


@njit
def write_events(
    histories: np.ndarray,
    length: int,
    games: np.ndarray,
    forms: np.ndarray,
    tables: Tables,
    first: int,
    out: np.ndarray,
) -> None:
    """Write the last ``length`` events behind the ``first`` columns of ``out``, uint8 [M, columns]."""
    for index in range(len(games)):
        events, form, place = histories[games[index]], forms[index], first
        for event in range(events.shape[0] - length, events.shape[0]):
            for column in range(events.shape[1]):
                value = events[event, tables.event_columns[form, column]]
                if column < NUM_NAMED:
                    value = tables.event_values[form, column, value]
                out[index, place] = value
                place += 1


@njit
def share_among_alike(
    observations: np.ndarray, histories: np.ndarray, length: int, masks: np.ndarray, tables: Tables, weights: np.ndarray
) -> None:
    """Give actions the mean of their weights, float32 [N, A], if they differ only by colours that look the same."""
    for game in range(len(observations)):
        row = observations[game]
        mirror, groups = mirror_of(row, tables.starts), colour_groups(row, tables.starts)
        events = histories[game] if length else histories[0]
        for colour in range(3):
            alike = 1 << colour
            for other in range(4):
                if other != colour and group_of(groups, colour) == group_of(groups, other):
                    same = compared(row, events, length, mirror, colour, other, tables) == 0
                    alike |= (same and same_mask(masks[game], colour, other, tables)) << other
            if alike >> colour != 1 and alike & ((1 << colour) - 1) == 0:
                share_weights(weights[game], alike, tables.colour_actions)


@njit
def same_mask(mask: np.ndarray, colour: int, other: int, tables: Tables) -> bool:
    """Return whether the same actions of two colours are legal."""
    for index in range(tables.colour_actions.shape[1]):
        if mask[tables.colour_actions[colour, index]] != mask[tables.colour_actions[other, index]]:
            return False
    return True


@njit
def share_weights(weights: np.ndarray, alike: int, colour_actions: np.ndarray) -> None:
    """Set the weights, float32 [A], of actions that are alike but for their colour to their mean. ``alike`` are the
    colours, as bits; ``colour_actions``, int64 [4, L], are the actions of each.
    """
    for index in range(colour_actions.shape[1]):
        total, count = 0.0, 0
        for colour in range(4):
            if (alike >> colour) & 1:
                total += weights[colour_actions[colour, index]]
                count += 1
        for colour in range(4):
            if (alike >> colour) & 1:
                weights[colour_actions[colour, index]] = total / count
