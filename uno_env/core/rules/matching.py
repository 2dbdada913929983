"""Matching the top card (GUIDE.md 4.1). Switch: ``action_match``.

A card matches the top card if it has the same colour, number or symbol. With ``action_match="colour"``, Skip, Reverse
and Draw Two match only by colour. After a wild only the declared colour matches. A Wild always matches. The Wild Draw
Four has its own condition (5.1).

Actions: `r0` to `b+2` (plays of coloured cards).
Observation: `colour`, `symbol`.
"""

import numpy as np

from uno_env.actions import PLAY_WILD
from uno_env.cards import FIRST_WILD, NUM_COLOURS, NUM_SYMBOLS, RANKS_PER_COLOUR, SKIP
from uno_env.core.jit.njit import njit
from uno_env.core.record import NO_COLOUR, switch_value

COLOUR_ONLY = switch_value("action_match", "colour")

FOLLOWS = np.array(
    [
        [
            kind // RANKS_PER_COLOUR == colour
            or (kind % RANKS_PER_COLOUR == symbol and (symbol < SKIP or not colour_only))
            for kind in range(FIRST_WILD)
        ]
        for colour_only in (False, True)
        for colour in range(NO_COLOUR, NUM_COLOURS)
        for symbol in range(NUM_SYMBOLS)
    ],
    np.uint8,
)
"""Which coloured kinds match, a row for each state of the discard pile (:func:`matching_row`)."""


@njit
def matching_row(game, rules):
    """The row of ``FOLLOWS`` that holds now: by whether actions match on colour only, active colour, top symbol."""
    colours = (rules.action_match == COLOUR_ONLY) * (NUM_COLOURS + 1) + game.colour - NO_COLOUR
    return colours * NUM_SYMBOLS + symbol_of(game.top)


@njit
def symbol_of(kind):
    """Rank 0 to 12 of a coloured kind, 13 to 18 for the wilds."""
    return kind % RANKS_PER_COLOUR if kind < FIRST_WILD else kind - FIRST_WILD + RANKS_PER_COLOUR


@njit
def can_follow(game, rules, kind):
    """Whether a coloured kind matches the top card."""
    return FOLLOWS[matching_row(game, rules), kind] == 1


@njit
def can_follow_symbol(game, rules):
    """Whether the top card's number or symbol may be matched at all."""
    if game.top >= FIRST_WILD:
        return False
    return rules.action_match != COLOUR_ONLY or game.top % RANKS_PER_COLOUR <= 9


@njit
def legal_card(mask, kind):
    """Mark playing the kind, a wild with each colour."""
    if kind < FIRST_WILD:
        mask[kind] = 1
    else:
        for colour in range(NUM_COLOURS):
            mask[first_play(kind) + colour] = 1


@njit
def first_play(kind):
    """Return the action that plays the wild with the first of the four colours. The other three follow it."""
    return PLAY_WILD + (kind - FIRST_WILD) * NUM_COLOURS
