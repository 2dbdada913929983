"""Records in rows of bytes, constants that go with a record's type, and copies of first bytes, without NumPy's calls.

Functions that are made here take a record whose *last field* names what it goes with, such as an edition: ``find`` is
asked for it by that name, once for each type when code is compiled.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from llvmlite import ir
from numba import typeof
from numba.core import cgutils, types
from numba.core.types.containers import BaseTuple
from numba.extending import intrinsic
from numba.np.numpy_support import from_dtype

from uno_env.core.jit.njit import INTERPRETED

FindType: TypeAlias = Callable[[str], "np.dtype[Any]"]
FindConstants: TypeAlias = Callable[[str], Any]
FindRecords: TypeAlias = Callable[[str], "np.ndarray[Any, Any]"]

RECORD_TYPES: dict[Any, FindType] = {}
"""The types of the records that each function of :func:`record_at` finds, for other compilers."""
CONSTANTS: dict[Any, FindConstants] = {}
"""The constants that each function of :func:`constants_of` gives, for other compilers."""
KNOWN_RECORDS = set[Any]()
"""All functions of :func:`known_record`, for other compilers."""


def last_field(record: Any) -> str:
    """Name of the last field of Numba's type of a record."""
    return str(list(record.fields)[-1])


def record_at(find: FindType) -> Callable[[Any, int, Any], Any]:
    """A function ``f(rows, index, key)`` for compiled code: the record in a row of uint8 [N, bytes], of the type that
    goes with the record ``key``.

    The record shares the row's memory. A row may be shorter than a record; compiled code must not touch what it lacks.
    """
    if INTERPRETED:
        return lambda rows, index, key: rows[index].view(find(key.dtype.names[-1]))[0]

    def _record_at(typing_context: Any, rows: Any, index: Any, key: Any) -> Any:
        record = from_dtype(find(last_field(key)))

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            kind = signature.args[0]
            array = context.make_array(kind)(context, builder, arguments[0])
            zero = context.get_constant(types.intp, 0)
            first = cgutils.get_item_pointer(context, builder, kind, array, [arguments[1], zero], wraparound=False)
            return builder.bitcast(first, context.get_value_type(record))

        return record(rows, types.intp, key), generate

    found = intrinsic(_record_at)
    RECORD_TYPES[found] = find
    return found


def constants_of(find: FindConstants) -> Callable[[Any], Any]:
    """A function ``f(key)`` for compiled code: the named tuple of ints that goes with the record ``key``."""
    if INTERPRETED:
        return lambda key: find(key.dtype.names[-1])
    found = intrinsic(typed_constants(find))
    CONSTANTS[found] = find
    return found


def record_of(find: FindRecords) -> Callable[[Any, int], Any]:
    """A function ``f(key, index)`` for compiled code: one of the records that go with the record ``key``, which are
    constants there.

    ``find`` gives them as an array [N]. Nobody may write to it.
    """
    if INTERPRETED:
        return lambda key, index: find(key.dtype.names[-1])[index]

    def _record_of(typing_context: Any, key: Any, index: Any) -> Any:
        array = find(last_field(key))
        kind = typeof(array)

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            constant = context.make_array(kind)(context, builder, context.make_constant_array(builder, kind, array))
            place = cgutils.get_item_pointer(context, builder, kind, constant, [arguments[1]], wraparound=False)
            return builder.bitcast(place, context.get_value_type(signature.return_type))

        return kind.dtype(key, types.intp), generate

    return intrinsic(_record_of)


def known_record(find: FindRecords) -> Callable[[Any], Any]:
    """A function ``f(key)`` for compiled code: the record ``key`` with what its type says of it alone, as constants.

    ``find`` gives it as an array [1]. Only those of its fields may be read in which ``key`` holds the same. So plain
    Python takes ``key`` itself, and so do other compilers.
    """
    if INTERPRETED:
        return lambda key: key

    def _known_record(typing_context: Any, key: Any) -> Any:
        array = find(last_field(key))
        kind = typeof(array)

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            constant = context.make_array(kind)(context, builder, context.make_constant_array(builder, kind, array))
            return builder.bitcast(constant.data, context.get_value_type(signature.return_type))

        return kind.dtype(key), generate

    found = intrinsic(_known_record)
    KNOWN_RECORDS.add(found)
    return found


def typed_constants(find: FindConstants) -> Callable[[Any, Any], Any]:
    """The typing function of :func:`constants_of`, for any of Numba's compilers."""

    def _constants_of(typing_context: Any, key: Any) -> Any:
        values = find(last_field(key))

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            constants = [context.get_constant(types.int64, int(value)) for value in values]
            return context.make_tuple(builder, signature.return_type, constants)

        kind: Any = BaseTuple.from_types((types.int64,) * len(values), type(values))
        return kind(key), generate

    return _constants_of


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
"""``copy_first(source, target, number)``: copy ``number`` bytes of one record to another of its type."""
