"""How a number of a training goes from its first value to its last while the training goes on."""

import math
from typing import Literal

Shape = Literal["linear", "cosine", "constant"]
"""``linear`` falls or rises evenly; ``cosine`` slowly at both ends; ``constant`` keeps the first value."""


def scheduled(first: float, last: float, shape: Shape, progress: float) -> float:
    """The number when ``progress`` of the training, from 0 to 1, is done.

    Args:
        first: its value at the beginning.
        last: its value at the end.
        shape: one of :data:`Shape`.
        progress: how much of the training is done.
    """
    if shape == "constant":
        return first
    left = 1 - progress if shape == "linear" else (1 + math.cos(math.pi * progress)) / 2
    return last + (first - last) * left
