"""Prefetching memory; without it, a large batch waits for memory half of the time."""

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from uno_env.core.jit.njit import INTERPRETED, njit

LINE = 64
"""Bytes that come at once."""


def _prefetch(typing_context: Any, array: Any, first: Any) -> Any:
    """Ask for the line that holds byte ``first`` of an array."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        pointer = builder.gep(builder.bitcast(data, ir.IntType(8).as_pointer()), [arguments[1]])
        number = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [pointer.type, number, number, number])
        function = builder.module.declare_intrinsic("llvm.prefetch", [pointer.type], kind)
        builder.call(function, [pointer, number(1), number(3), number(1)])
        return context.get_dummy_value()

    return types.void(array, types.int64), generate


prefetch = (lambda array, first: None) if INTERPRETED else intrinsic(_prefetch)


@njit
def fetch(array, first, number):
    """Ask for ``number`` bytes of an array from byte ``first`` on; nothing waits for them."""
    for byte in range(first, first + number, LINE):
        prefetch(array, byte)
    prefetch(array, first + number - 1)
