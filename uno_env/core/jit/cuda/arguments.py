"""Arguments of kernels as a GPU takes them: their types, and the 8-byte values that the driver hands over.

An array is seven values and two more for each dimension, as Numba's CUDA compiler has it: two of no use here, the
number of items, the bytes of one, the address, then all lengths, then all strides in bytes. A record is its address.
"""

from typing import Any, NamedTuple

import numpy as np
from numba.core import types
from numba.core.types.containers import BaseTuple
from numba.cuda.np.numpy_support import from_dtype


class RecordOnDevice(NamedTuple):
    """A record in the memory of a GPU."""

    memory: Any
    """A tensor, uint8 [bytes]."""
    dtype: "np.dtype[Any]"


def type_of(argument: Any) -> Any:
    """The compiler's type of an argument. Raises TypeError if it is none, or a tensor with gaps."""
    if isinstance(argument, RecordOnDevice):
        return from_dtype(argument.dtype)
    if isinstance(argument, tuple):
        named = type(argument) if hasattr(argument, "_fields") else None
        return BaseTuple.from_types(tuple(map(type_of, argument)), named)
    if hasattr(argument, "data_ptr"):
        if not argument.is_contiguous():
            raise TypeError(f"a tensor of shape {list(argument.shape)} has gaps, which no kernel takes")
        name = str(argument.dtype).removeprefix("torch.")
        return types.Array(from_dtype(np.dtype(name)), argument.dim(), "C")
    if isinstance(argument, np.uint64):
        return types.uint64
    if isinstance(argument, int):
        return types.int64
    if isinstance(argument, float):
        return types.float64
    raise TypeError(f"{type(argument).__name__} is no argument of kernels")


def values_of(argument: Any) -> list[int]:
    """The values of an argument, each of 8 bytes."""
    if isinstance(argument, RecordOnDevice):
        return [argument.memory.data_ptr()]
    if isinstance(argument, tuple):
        return [value for each in argument for value in values_of(each)]
    if hasattr(argument, "data_ptr"):
        size = argument.element_size()
        strides = [stride * size for stride in argument.stride()]
        return [0, 0, argument.numel(), size, argument.data_ptr(), *argument.shape, *strides]
    if isinstance(argument, float):
        return [int(np.float64(argument).view(np.int64))]
    return [int(argument)]
