"""Marks as bits: 64 of them are counted, and one of them found, without a branch that would be mispredicted."""

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from uno_env.core.jit.njit import INTERPRETED, njit

WORD = 64
"""Marks in a word."""

_WORD, _BYTES = ir.IntType(WORD), ir.VectorType(ir.IntType(8), WORD)


def _marked_bits(typing_context: Any, row: Any, first: Any) -> Any:
    """The 64 bytes of a row from ``first`` on as bits, int64: 1 where a byte is not 0, the first byte lowest."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        pointer = builder.bitcast(builder.gep(data, [arguments[1]]), _BYTES.as_pointer())
        return builder.bitcast(builder.icmp_unsigned("!=", builder.load(pointer, align=1), _BYTES(None)), _WORD)

    return types.int64(row, types.int64), generate


def _count_bits(typing_context: Any, word: Any) -> Any:
    """The number of bits of an int64 that are 1."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.int64), generate


def _marked_bits_interpreted(row: Any, first: int) -> int:
    return int.from_bytes(np.packbits(row[first : first + WORD] != 0, bitorder="little").tobytes(), "little")


marked_bits = _marked_bits_interpreted if INTERPRETED else intrinsic(_marked_bits)
count_bits = int.bit_count if INTERPRETED else intrinsic(_count_bits)


@njit
def nth_bit(word, left):
    """Position of the bit of an int64 that is 1 after ``left`` others."""
    position = 0
    for power in range(5, -1, -1):
        half = 1 << power
        below = count_bits(word & ((1 << half) - 1))
        beyond = int(left >= below)
        left -= beyond * below
        word >>= beyond * half
        position += beyond * half
    return position
