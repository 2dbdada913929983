"""Schedules: how a coefficient changes from its first value to its last in the course of a run."""

import math
from typing import Literal

Shape = Literal["linear", "cosine", "constant"]
"""``linear`` falls or rises evenly; ``cosine`` slowly at both ends; ``constant`` keeps the first value."""


def scheduled(first: float, last: float, shape: Shape, progress: float) -> float:
    """The value at some point of a run.

    Args:
        first: the value at the beginning.
        last: the value at the end.
        shape: one of :data:`Shape`.
        progress: the share of the run that is done, from 0 to 1.
    """
    if shape == "constant":
        return first
    left = 1 - progress if shape == "linear" else (1 + math.cos(math.pi * progress)) / 2
    return last + (first - last) * left
