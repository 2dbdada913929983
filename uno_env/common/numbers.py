"""Whole numbers and flags given by users: :func:`checked_whole`, :func:`checked_indices`, :func:`checked_flag`."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from uno_env.core.arrays import Array, Ints

MAX_SEED = 2**64 - 1
_WHOLE = (int, np.integer)


def is_whole(value: Any, low: int, high: int | None = None) -> bool:
    """Return whether a value is a whole number from ``low`` to ``high``, None for no bound. True and False are not."""
    whole = isinstance(value, _WHOLE) and not isinstance(value, bool)
    return whole and low <= value and (high is None or value <= high)


def checked_whole(name: str, value: Any, low: int, high: int | None = None) -> int:
    """The value as an int. Raises ValueError, which names ``name``, if it is no whole number in this range."""
    if not is_whole(value, low, high):
        allowed = f", {low} or more" if high is None else f" from {low} to {'2**64 - 1' if high == MAX_SEED else high}"
        raise ValueError(f"{name}={value!r} is not allowed: choose a whole number{allowed}")
    return int(value)


def checked_indices(name: str, values: Any, size: int) -> Ints:
    """A list of whole numbers from 0 to ``size`` − 1 as a new int64 [K]; none are rounded, wrapped around or made of
    booleans. Raises ValueError if it is something else; the sentence names the argument ``name``.
    """
    array = np.array(values)  # a copy: what was checked stays as it is
    if array.ndim != 1 or (array.dtype.kind not in "iu" and array.size):
        form = f"{array.dtype} of shape {list(array.shape)}"
        raise ValueError(f"{name} must be a list of whole numbers from 0 to {size - 1}, not {form}")
    if array.size and not 0 <= array.min() <= array.max() < size:
        wrong = array[(array < 0) | (array >= size)][0]
        raise ValueError(f"{wrong} of {name} is not allowed: choose whole numbers from 0 to {size - 1}")
    return np.ascontiguousarray(array, np.int64)


def checked_seeds(values: Any) -> npt.NDArray[np.uint64]:
    """Seeds as uint64 [K]. Raises ValueError if one is no whole number from 0 to 2**64 − 1, or they are not listed."""
    if np.ndim(values) != 1:
        raise ValueError(f"seed={values!r} is not allowed: list whole numbers from 0 to 2**64 - 1")
    if isinstance(values, np.ndarray) and values.dtype == np.uint64:
        return values
    return np.array([checked_seed(value) for value in values], np.uint64)


def checked_arrays(state: Any, own: Mapping[str, Array]) -> dict[str, Array]:
    """Copies of a saved state's arrays. Raises ValueError if their names, shapes or dtypes are not one's own."""
    if not isinstance(state, Mapping):
        raise ValueError(f"a state of type {type(state).__name__} does not fit: give the mapping of get_state()")
    for name, array in own.items():
        given = state.get(name)
        if not isinstance(given, np.ndarray) or given.shape != array.shape or given.dtype != array.dtype:
            raise ValueError(f"the state does not fit: its {name!r} are not {len(array)} of the form used here")
    return {name: state[name].copy() for name in own}


def checked_seed(seed: Any) -> int:
    """The seed as an int. Raises ValueError if it is no whole number from 0 to 2**64 − 1."""
    return checked_whole("seed", seed, 0, MAX_SEED)


def checked_flag(name: str, value: Any) -> bool:
    """The value as a bool. Raises ValueError, which names ``name``, if it is neither True nor False."""
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name}={value!r} is not allowed: choose False or True")
    return bool(value)
