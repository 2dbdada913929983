"""Arguments of kernels as a GPU takes them: their kinds, and the 8-byte values that the driver hands over.

An array is seven values and two more for each dimension, as Numba's CUDA compiler has it: two of no use here, the
number of items, the bytes of one, the address, then all lengths, then all strides in bytes. A record is its address.
"""

from typing import Any, NamedTuple

import numpy as np


class RecordOnDevice(NamedTuple):
    """A record in the memory of a GPU."""

    memory: Any
    """A tensor, uint8 [bytes]."""
    dtype: "np.dtype[Any]"


class ArrayKind(NamedTuple):
    """The kind of an array without gaps."""

    dtype: "np.dtype[Any]"
    dimensions: int


class TupleKind(NamedTuple):
    """The kind of a tuple."""

    named: "type[tuple[Any, ...]] | None"
    """The class of a NamedTuple, None for another tuple."""
    fields: tuple[str, ...]
    """The names of its values, if they have names."""
    kinds: tuple[Any, ...]


def kind_of(argument: Any) -> Any:
    """The kind of an argument: what machine code depends on. It is a dtype for a number or a record. Raises TypeError
    if it is no argument, or a tensor with gaps.
    """
    if isinstance(argument, (RecordOnDevice, np.void)):
        return argument.dtype
    if isinstance(argument, tuple):
        fields = getattr(argument, "_fields", ())
        return TupleKind(type(argument) if fields else None, fields, tuple(map(kind_of, argument)))
    if hasattr(argument, "data_ptr"):
        if not argument.is_contiguous():
            raise TypeError(f"a tensor of shape {list(argument.shape)} has gaps, which no kernel takes")
        return ArrayKind(np.dtype(str(argument.dtype).removeprefix("torch.")), argument.dim())
    if isinstance(argument, np.uint64):
        return np.dtype(np.uint64)
    if isinstance(argument, int):
        return np.dtype(np.int64)
    if isinstance(argument, float):
        return np.dtype(np.float64)
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
