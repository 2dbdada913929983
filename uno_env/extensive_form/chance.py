"""Chance moves of a game's extensive form: the open choices of chance, the moves, and their probabilities."""

import itertools
import math
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from uno_env.core.record import MAX_SEATS
from uno_env.core.rng import GOLDEN, bounded, mix
from uno_env.editions.edition import Edition

Moves = tuple[tuple[int, float], ...]
"""Chance moves with their probabilities, which add up to 1."""


class Chance(NamedTuple):
    """A decision of chance that is open before an action, or the deal, is done."""

    kind: str
    """``dealer``, ``card``, ``seat`` or ``hands``."""
    action: int
    moves: Moves
    cards: tuple[int, ...] = ()
    """Cards that chance has given so far."""
    rng: int | None = None
    """State of the engine's generator, once chance has picked a seat."""
    rng_of: dict[int, int] | None = None
    """By seat, the state of the generator that picks it."""
    after: Any = None
    """The game after the action; only its hands are dealt anew."""


def first_seat(edition: Edition) -> int:
    """The chance move of seat 0. The moves before it are the edition's kinds of cards, and the other seats follow: 58
    to 67 in the first edition.
    """
    return len(edition.kinds)


def number_of_moves(edition: Edition) -> int:
    """The number of chance moves in games of an edition."""
    return first_seat(edition) + MAX_SEATS


def chance_move_text(move: int, edition: Edition) -> str:
    """A chance move as a text: the card, or the seat (``seat 2``)."""
    seat = move - first_seat(edition)
    return edition.texts[move] if seat < 0 else f"seat {seat}"


def shares(weights: npt.NDArray[Any]) -> Moves:
    """Chance moves in proportion to weights by kind."""
    total = weights.sum()
    return tuple((kind, float(weights[kind] / total)) for kind in weights.nonzero()[0].tolist())


def probability_of_one_left(total: int, suitable: int, dealt: int) -> float:
    """Probability that one of the ``suitable`` among ``total`` cards is left when ``dealt`` of them are dealt."""
    if suitable > dealt:
        return 1.0
    return 1 - math.comb(total - suitable, dealt - suitable) / math.comb(total, dealt)


@lru_cache(maxsize=4096)
def rng_that_gives(number: int, bound: int) -> int:
    """A state of a game's generator whose next number below ``bound`` is ``number``."""
    return next(
        state for state in itertools.count(1) if bounded(np.uint64(mix(np.uint64(state) + GOLDEN)), bound) == number
    )
