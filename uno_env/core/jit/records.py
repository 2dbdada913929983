"""Records in rows of bytes, and copies of their first bytes, without a call of NumPy."""

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic
from numba.np.numpy_support import from_dtype

from uno_env.core.jit.njit import INTERPRETED

RECORD_TYPES: dict[Any, "np.dtype[Any]"] = {}
"""The type of the records that each function of :func:`record_at` finds, for other compilers."""


def record_at(dtype: "np.dtype[Any]") -> Callable[[Any, int], Any]:
    """A function ``f(rows, index)`` for compiled code: the record of a type in a row of uint8 [N, bytes].

    The record shares the row's memory. A row may be shorter than a record; compiled code must not touch what it lacks.
    """
    if INTERPRETED:
        return lambda rows, index: rows[index].view(dtype)[0]
    record = from_dtype(dtype)

    def _record_at(typing_context: Any, rows: Any, index: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            kind = signature.args[0]
            array = context.make_array(kind)(context, builder, arguments[0])
            zero = context.get_constant(types.intp, 0)
            first = cgutils.get_item_pointer(context, builder, kind, array, [arguments[1], zero], wraparound=False)
            return builder.bitcast(first, context.get_value_type(record))

        return record(rows, types.intp), generate

    found = intrinsic(_record_at)
    RECORD_TYPES[found] = dtype
    return found


def _copy_first(typing_context: Any, source: Any, target: Any, number: Any) -> Any:
    """Copy the first bytes of one record to another."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        byte = ir.IntType(8).as_pointer()
        origin, goal = (builder.bitcast(pointer, byte) for pointer in arguments[:2])
        cgutils.raw_memcpy(builder, goal, origin, arguments[2], 1)
        return context.get_dummy_value()

    return types.void(source, target, types.intp), generate


def _copy_fields(source: Any, target: Any, number: int) -> None:
    for name in source.dtype.names:
        target[name] = source[name]


copy_first = _copy_fields if INTERPRETED else intrinsic(_copy_first)
"""``copy_first(source, target, number)``: copy so many bytes of one record to another of its type."""
