"""The cards of the classic edition as tables for the compiled strategies: none computes anything from a card's number.

A kind may be NO_CARD, of an action that plays none; then it is neither coloured nor wild.
"""

import numpy as np

from uno_env.core.arrays import Ints
from uno_env.core.jit.njit import njit
from uno_env.core.record import effect
from uno_env.editions.classic import CLASSIC
from uno_env.editions.edition import NO_COLOUR

NO_CARD = -1
COLOURED, KINDS = CLASSIC.coloured, len(CLASSIC.kinds)
COLOURS, SYMBOLS = len(CLASSIC.colours), len(CLASSIC.symbols)

COLOUR = np.array([face.colour for face in CLASSIC.kinds])
"""Colour of each kind, NO_COLOUR of a wild; int64 [kinds], as all tables here."""
SYMBOL = np.array([CLASSIC.symbols.index(face.symbol) for face in CLASSIC.kinds])
NUMBER = np.array([face.number for face in CLASSIC.kinds])
"""Number of each number card, −1 of other kinds."""
EFFECT = np.array([effect(face.effect) for face in CLASSIC.kinds])
DEMANDS = np.array([face.demands for face in CLASSIC.kinds])
"""Cards that the next player has to draw."""
POINTS = np.array([face.points for face in CLASSIC.kinds])
"""Points in a hand; below 0 if the rules say how many."""
FIRST_OF_COLOUR = np.searchsorted(COLOUR[:COLOURED], np.arange(COLOURS + 1))
"""The first kind of each colour, whose kinds follow each other, and the first wild; int64 [colours + 1]."""
SKIP, REVERSE, DRAW = effect("skip"), effect("reverse"), effect("draw")


def _twins() -> Ints:
    rows = [np.flatnonzero(SYMBOL[:COLOURED] == SYMBOL[kind]) for kind in range(COLOURED)]
    return np.array(rows)


TWINS = _twins()
"""The kinds of a coloured kind's symbol, itself included; int64 [coloured kinds, colours]."""


def _kinds_by_symbol() -> Ints:
    table = np.full((COLOURS, SYMBOLS), NO_CARD)
    for kind in range(KINDS):
        table[slice(None) if COLOUR[kind] == NO_COLOUR else COLOUR[kind], SYMBOL[kind]] = kind
    return table


KIND_WITH = _kinds_by_symbol()
"""Kind of each colour and symbol, of a wild's in every colour; int64 [colours, symbols]."""


@njit
def is_wild(kind: int) -> bool:
    """Whether a colour is declared with the kind."""
    return kind >= COLOURED


@njit
def is_coloured(kind: int) -> bool:
    """Whether the kind is a card with a colour of its own."""
    return 0 <= kind < COLOURED


@njit
def is_wild_draw(kind: int) -> bool:
    """Whether the kind is a wild that makes the next player draw: the Wild Draw Four."""
    return is_wild(kind) and DEMANDS[kind] > 0


@njit
def is_draw(kind: int) -> bool:
    """Whether the kind is a coloured card that makes the next player draw: a Draw Two."""
    return is_coloured(kind) and DEMANDS[kind] > 0
