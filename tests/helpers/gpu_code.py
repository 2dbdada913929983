"""What the compiler for GPUs makes of kernels, run on the processor: no GPU is needed.

Numba's compiler for GPUs makes LLVM's language of a kernel, of which NVIDIA's compiler makes PTX. LLVM can make machine
code of a processor from it as well. So this shows whether types, records and arithmetic are those of the core, and not
what NVIDIA's compiler makes of it.
"""

import ctypes
import re
from collections.abc import Callable
from typing import Any

import llvmlite.binding as llvm
import pytest
import torch

from uno_env.core.jit.places import LANES, Blocks, Each, Processor


class GpuCode:
    """A machine in ordinary memory, whose kernels are those of a GPU; it needs the extra 'gpu'."""

    _functions: dict[Any, int] = {}
    _engines: list[Any] = []

    def record(self, value: Any) -> Any:
        """A copy of a record."""
        from uno_env.core.jit.cuda.arguments import RecordOnDevice

        return RecordOnDevice(torch.frombuffer(bytearray(value.tobytes()), dtype=torch.uint8), value.dtype)

    def bind(
        self, kernel: Each | Blocks, number: int, arguments: tuple[Any, ...], shared: int = 0
    ) -> Callable[[], None]:
        """A call of the kernel for all games, block after block and lane after lane."""
        from uno_env.core.jit.cuda.arguments import kind_of

        given = (torch.zeros(shared, dtype=torch.uint8), arguments) if isinstance(kernel, Blocks) else arguments
        kinds = tuple(map(kind_of, given))
        if (kernel, kinds) not in self._functions:
            self._functions[kernel, kinds] = self._address(kernel, kinds)
        values = _values((number, *given))
        function = ctypes.CFUNCTYPE(None, *map(type, values))(self._functions[kernel, kinds])

        def call(_kept: Any = given) -> None:
            function(*values)

        return call

    def _address(self, kernel: Each | Blocks, kinds: tuple[Any, ...]) -> int:
        """Where the machine code of a kernel is."""
        from numba.core import types
        from numba.core.types.containers import BaseTuple
        from numba.cuda.compiler import kernel_fixup

        from uno_env.core.jit.cuda.compiler import type_of
        from uno_env.core.jit.cuda.functions import lowered

        entry = _each_entry(kernel) if isinstance(kernel, Each) else _blocks_entry(kernel)
        result = lowered(entry, (types.int64, BaseTuple.from_types(tuple(map(type_of, kinds)))), types.void)
        kernel_fixup(result.library.get_function(result.fndesc.llvm_func_name), debug=False)
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        whole, *others = (llvm.parse_assembly(_for_processor(text)) for text in result.library.llvm_strs)
        for each in others:
            whole.link_in(each)
        engine = llvm.create_mcjit_compiler(whole, llvm.Target.from_default_triple().create_target_machine(opt=2))
        engine.finalize_object()
        self._engines.append(engine)
        return int(engine.get_function_address(result.fndesc.llvm_func_name))


def _values(argument: Any) -> list[Any]:
    """The values of an argument as C passes them on a processor, where floats have registers of their own."""
    from uno_env.core.jit.cuda.arguments import RecordOnDevice, values_of

    if isinstance(argument, tuple) and not isinstance(argument, RecordOnDevice):
        return [value for each in argument for value in _values(each)]
    if isinstance(argument, float):
        return [ctypes.c_double(argument)]
    return [ctypes.c_uint64(each % 2**64) for each in values_of(argument)]


def _for_processor(text: str) -> str:
    """LLVM's language without what says that it is for a GPU; powers and logarithms are those of C."""
    text = re.sub(r"target (triple|datalayout) = .*", "", text)
    return re.sub(r"@__nv_(\w+)\b", r"@\1", text.replace("ptx_kernel", ""))


def _each_entry(kernel: Each) -> Any:
    from uno_env.core.jit.cuda.functions import device_function

    loop = device_function(kernel.loop.py_func)

    def entry(number, arguments):  # type: ignore[no-untyped-def]
        loop(*arguments, 0, number)

    return entry


def _blocks_entry(kernel: Blocks) -> Any:
    from uno_env.core.jit.cuda.functions import device_function

    alone, together = (device_function(function.py_func) for function in kernel)

    def entry(number, arguments):  # type: ignore[no-untyped-def]
        shared, given = arguments
        for block in range(0, number, LANES):
            for lane in range(LANES):
                alone(block, lane, shared, *given)
            for lane in range(LANES):
                together(block, lane, shared, *given)

    return entry


COMPILERS: dict[str, Callable[[], Any]] = {"processor": Processor, "gpu": GpuCode}


@pytest.fixture(params=COMPILERS, ids=lambda name: f"compiled-for-{name}")
def compiled(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A test with the kernels of each compiler."""
    machine = COMPILERS[request.param]
    if machine is GpuCode:
        pytest.importorskip("numba_cuda", reason="needs the compiler of the extra 'gpu'")
    monkeypatch.setattr("uno_env.envs.device_games.machine_of", lambda device: machine())
