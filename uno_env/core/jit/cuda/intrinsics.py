"""The GPU's counterparts of the functions that the core takes from Numba and LLVM: :data:`ON_DEVICE`.

Memory is not asked for ahead on a GPU, where other threads run while one waits.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import cuda
from numba.core import types
from numba.cuda import cgutils
from numba.cuda.extending import intrinsic
from numba.cuda.np.numpy_support import from_dtype

from uno_env.core.jit import bits, prefetch, records


def fetch_nothing(array: Any, first: Any) -> None:
    """In place of prefetching a line."""


def fetch_no_range(array: Any, first: Any, number: Any) -> None:
    """In place of prefetching several lines."""


def marked_bits(row: Any, first: Any) -> Any:
    """64 bytes of a row as bits, as :func:`uno_env.core.jit.bits.marked_bits`."""
    word = np.int64(0)
    for place in range(bits.WORD):
        word |= np.int64(row[first + place] != 0) << place
    return word


def count_bits(word: Any) -> Any:
    """The number of bits of an int64 that are 1."""
    return np.int64(cuda.popc(word))


def key_itself(key: Any) -> Any:
    """In place of what its type says of a record, see :func:`uno_env.core.jit.records.known_record`."""
    return key


def record_at(find: records.FindType) -> Callable[[Any, int, Any], Any]:
    """The record in a row of uint8 [N, bytes], as :func:`uno_env.core.jit.records.record_at`."""

    def _record_at(typing_context: Any, rows: Any, index: Any, key: Any) -> Any:
        record = from_dtype(find(records.last_field(key)))

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            kind = signature.args[0]
            array = context.make_array(kind)(context, builder, arguments[0])
            zero = context.get_constant(types.intp, 0)
            first = cgutils.get_item_pointer(context, builder, kind, array, [arguments[1], zero], wraparound=False)
            return builder.bitcast(first, context.get_value_type(record))

        return record(rows, types.intp, key), generate

    return intrinsic(_record_at)


def _copy_first(typing_context: Any, source: Any, target: Any, number: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        byte = ir.IntType(8).as_pointer()
        origin, goal = (builder.bitcast(pointer, byte) for pointer in arguments[:2])
        cgutils.raw_memcpy(builder, goal, origin, arguments[2], 1)
        return context.get_dummy_value()

    return types.void(source, target, types.intp), generate


ON_DEVICE: dict[Any, Any] = {
    bits.marked_bits: marked_bits,
    bits.count_bits: count_bits,
    prefetch.prefetch: fetch_nothing,
    prefetch.fetch: fetch_no_range,
    records.copy_first: intrinsic(_copy_first),
}
"""The GPU's counterpart of each of the core's own intrinsics: another one, or a function to compile."""


def on_device(value: Any) -> Any:
    """Return what stands in the place of a value that compiled code names, or the value itself if nothing does."""
    if value in records.RECORD_TYPES:
        ON_DEVICE.setdefault(value, record_at(records.RECORD_TYPES[value]))
    elif value in records.CONSTANTS:
        ON_DEVICE.setdefault(value, intrinsic(records.typed_constants(records.CONSTANTS[value])))
    elif value in records.KNOWN_RECORDS:
        ON_DEVICE.setdefault(value, key_itself)
    return ON_DEVICE.get(value, value)
