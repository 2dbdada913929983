"""The core's functions as functions of a GPU: the same Python functions, compiled by another compiler.

A compiled function of the processor stands in the globals of those that call it. So a function is copied with other
globals, in which every compiled function is the one of the GPU, and everything of :mod:`.intrinsics` what a GPU has in
its place. No source knows of it.
"""

import builtins
from collections.abc import Hashable, Iterable
from functools import cache
from types import CellType, FunctionType, ModuleType
from typing import Any

from numba.core import types
from numba.cuda.compiler import compile_cuda
from numba.cuda.dispatcher import CUDADispatcher

from uno_env.core.jit.cuda import OLDEST_GPU
from uno_env.core.jit.cuda.intrinsics import on_device
from uno_env.core.jit.reach import names_in

LONGEST_INLINED = 80
"""LLVM's instructions of the longest function that may be written into its callers. Without a limit the machine code is
five times as long, and takes five times as long to make."""


@cache
def device_function(function: FunctionType) -> "DeviceFunction":
    """A Python function compiled for a GPU, with all that it calls."""
    return DeviceFunction(function)


class DeviceFunction(CUDADispatcher):
    """A function as other functions of a GPU call it: small integers count as int64, as on the processor."""

    def __init__(self, function: FunctionType) -> None:
        super().__init__(copied(function), {"device": True})
        self._original = function

    def compile_device(self, args: tuple[Any, ...], return_type: Any = None) -> Any:
        """The code for a call with arguments of these types; compiled at the first one."""
        widened = tuple(map(_widened, args))
        if widened not in self.overloads:
            name_device_values(self._original, self.py_func)
            result = lowered(self.py_func, widened, return_type)
            result.target_context.insert_user_function(result.entry_point, result.fndesc, [result.library])
            self.overloads[widened] = result
        return self.overloads[widened]


def lowered(function: FunctionType, arguments: tuple[Any, ...], return_type: Any = None) -> Any:
    """A function of a GPU in LLVM's language, as Numba's result of compiling."""
    result = compile_cuda(function, return_type, arguments, nvvm_options={"opt": 3}, cc=OLDEST_GPU)
    function_itself = result.library.get_function(result.fndesc.llvm_func_name)
    if sum(len(block.instructions) for block in function_itself.blocks) > LONGEST_INLINED:
        function_itself.attributes.add("noinline")
    return result


def copied(function: FunctionType) -> FunctionType:
    """A copy of a function with globals of its own, of which it has none yet."""
    cells = tuple(CellType(_on_gpu(cell.cell_contents)) for cell in function.__closure__ or ())
    own = {"__builtins__": builtins, "__name__": function.__module__}
    copy = FunctionType(function.__code__, own, function.__name__, function.__defaults__, cells)
    copy.__qualname__, copy.__module__ = function.__qualname__, function.__module__
    return copy


def name_device_values(function: FunctionType, copy: FunctionType) -> None:
    """Give a copy the globals that the function names, as they are on a GPU."""
    names = set(names_in(function.__code__))
    for name in names & function.__globals__.keys():
        value = function.__globals__[name]
        copy.__globals__[name] = _module_on_gpu(value, names) if isinstance(value, ModuleType) else _on_gpu(value)


def _module_on_gpu(module: ModuleType, names: Iterable[str]) -> ModuleType:
    """A module with the values of these names as they are on a GPU; the module itself if they are the same there."""
    values = {name: getattr(module, name) for name in names if hasattr(module, name)}
    on_gpu = {name: _on_gpu(value) for name, value in values.items()}
    if all(on_gpu[name] is value for name, value in values.items()):
        return module
    copy = ModuleType(module.__name__)
    copy.__dict__.update(on_gpu)
    return copy


def _on_gpu(value: Any) -> Any:
    """The value that compiled code of a GPU finds in place of a value."""
    if not isinstance(value, Hashable):
        return value
    other = on_device(value)
    other = getattr(other, "py_func", other)
    return device_function(other) if isinstance(other, FunctionType) else other


def _widened(kind: Any) -> Any:
    plain = getattr(kind, "literal_type", kind)
    return types.int64 if isinstance(plain, types.Integer) and plain not in (types.int64, types.uint64) else plain
