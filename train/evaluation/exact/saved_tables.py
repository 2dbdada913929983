"""Checks of the arrays in a file: each function raises ValueError if no solver can have come to them."""

import contextlib
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from train.evaluation.exact.sweeps import States, Tables
from uno_env.common.validation import short_repr
from uno_env.core.arrays import Floats

_CLOSE = 1e-6
"""Relative error that sums of probabilities may have."""


@contextlib.contextmanager
def damage_named(path: Path) -> Iterator[None]:
    """A context in which the message of a ValueError begins with the name of a file."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{str(path)!r} is damaged: {error}") from None


def checked_curve(points: Sequence[Any], iterations: int) -> list[tuple[int, float]]:
    """Numbers of iterations, rising to ``iterations`` at most, each with an exploitability: finite, and 0 or more."""
    curve: list[tuple[int, float]] = []
    for point in points:
        whole = isinstance(point, Sequence) and len(point) == 2 and all(map(_is_finite, point))
        least = curve[-1][0] + 1 if curve else 0
        if not whole or point[0] % 1 or not least <= point[0] <= iterations or point[1] < -_CLOSE:
            raise ValueError(f"{short_repr(point)} is no point of its curve, which goes to {iterations} iterations")
        curve.append((int(point[0]), float(point[1])))
    return curve


def _is_finite(value: Any) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)


def verify_policy(first: npt.NDArray[np.int32], policy: Floats) -> None:
    """Probabilities of the actions of each information state, whose first sequences are ``first`` [N + 1]."""
    if not (np.isfinite(policy) & (policy >= 0) & (policy <= 1 + _CLOSE)).all():
        raise ValueError("its policy holds numbers that are no probabilities")
    if len(first) > 1 and not np.allclose(np.add.reduceat(policy[: first[-1]], first[:-1]), 1, rtol=_CLOSE):
        raise ValueError("the probabilities of its policy do not add up to 1")


def verify_tables(states: States, tables: Tables, players: int) -> None:
    """A solver's tables after ``tables.turns`` turns. The averages of the actions of a state add up to that of the
    sequence before it; before the first state of a seat that is the sum of the weights of its turns, t² for the t-th.
    """
    verify_policy(states.first, tables.policy)
    for name, table in (("regrets", tables.regrets), ("averages", tables.average)):
        if not (np.isfinite(table) & (table >= 0)).all():
            raise ValueError(f"its {name} are not finite numbers, 0 or more")
    if not len(states.seats):
        return
    done, more = divmod(int(tables.turns[0]), players)
    turns = [done + (seat < more) for seat in range(players)]
    weights = np.array([number * (number + 1) * (2 * number + 1) / 6 for number in turns])
    before = np.where(states.parents == 0, weights[states.seats], tables.average[states.parents])
    sums = np.add.reduceat(tables.average[: states.first[-1]], states.first[:-1])
    if not np.allclose(sums, before, rtol=_CLOSE, atol=_CLOSE):
        raise ValueError("its averages do not fit its turns")
