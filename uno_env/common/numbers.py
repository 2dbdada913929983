"""Whole numbers given by users: :func:`checked_whole`."""

from typing import Any

import numpy as np

MAX_SEED = 2**64 - 1
_WHOLE = (int, np.integer)


def is_whole(value: Any, low: int, high: int | None = None) -> bool:
    """Whether a value is a whole number from ``low`` to ``high`` (None: no bound); True and False are none."""
    whole = isinstance(value, _WHOLE) and not isinstance(value, bool)
    return whole and low <= value and (high is None or value <= high)


def checked_whole(name: str, value: Any, low: int, high: int | None = None) -> int:
    """The value as an int.

    Raises:
        ValueError: it is no whole number in this range; the sentence names the argument ``name``.
    """
    if not is_whole(value, low, high):
        allowed = f", {low} or more" if high is None else f" from {low} to {'2**64 - 1' if high == MAX_SEED else high}"
        raise ValueError(f"{name}={value!r} is not allowed: choose a whole number{allowed}")
    return int(value)


def checked_seed(seed: Any) -> int:
    """The seed as an int.

    Raises:
        ValueError: it is no whole number from 0 to 2**64 − 1.
    """
    return checked_whole("seed", seed, 0, MAX_SEED)
