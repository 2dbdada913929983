"""uno_env/core/jit/cuda/cubins.py: machine code for GPUs that a wheel carries is loaded without any compiler.

Neither a GPU nor the extra ``gpu`` is needed: the driver is one of the test's own.
"""

import contextlib
import ctypes
import importlib
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
import torch

from uno_env.core.jit import cuda, folders
from uno_env.core.jit.cache import write_content
from uno_env.core.jit.cuda import cubins
from uno_env.core.jit.cuda.arguments import kind_of
from uno_env.core.jit.places import Each

KERNEL = """
from uno_env.core.jit.njit import njit

@njit
def double(numbers, start, stop):
    for index in range(start, stop):
        numbers[index] *= 2
"""
COMPILERS = ("numba.cuda", "numba_cuda", "cuda.pathfinder", "uno_env.core.jit.cuda.compiler")
CODE = b"machine code"
AMPERE, ADA, HOPPER = (8, 0), (8, 9), (9, 0)


class _CompilesError(Exception):
    """Raised in place of compiling."""


@pytest.fixture
def loaded(monkeypatch: pytest.MonkeyPatch) -> Callable[[Each, Any, tuple[int, int]], bytes]:
    """Returns what the driver of a GPU of some capability is given to load for a kernel and its argument. Importing a
    compiler fails.
    """
    given: list[bytes] = []

    def load(address: int) -> tuple[int, str]:
        given.append(ctypes.string_at(address, len(CODE)))
        return 0, "module"

    def compile_it() -> None:
        raise _CompilesError

    bindings = ModuleType("cuda.bindings")
    bindings.driver = SimpleNamespace(  # type: ignore[attr-defined]
        cuModuleLoadData=load, cuModuleGetFunction=lambda module, name: (0, "function")
    )
    monkeypatch.setitem(sys.modules, "cuda", ModuleType("cuda"))
    monkeypatch.setitem(sys.modules, "cuda.bindings", bindings)
    for name in COMPILERS:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.delitem(sys.modules, "uno_env.core.jit.cuda.machine", raising=False)
    monkeypatch.setattr(cuda, "machine", importlib.import_module("uno_env.core.jit.cuda.machine"))
    monkeypatch.setattr(cubins, "check_compiler", compile_it)
    monkeypatch.setattr(cubins, "version", lambda package: "1")
    monkeypatch.setattr(torch.cuda, "device", lambda device: contextlib.nullcontext())
    monkeypatch.setattr(torch.cuda, "current_stream", lambda: SimpleNamespace(cuda_stream=0))

    def loads(kernel: Each, argument: Any, capability: tuple[int, int]) -> bytes:
        monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device: capability)
        cuda.machine.Cuda(torch.device("cuda", 0)).bind(kernel, 1, (argument,))  # type: ignore[attr-defined]
        return given.pop()

    return loads


def test_machine_code_that_is_carried_is_loaded_without_a_compiler_until_its_source_changes(
    tmp_path: Path,
    cache_folder: Path,
    import_anew: Callable[[str], ModuleType],
    loaded: Callable[[Each, Any, tuple[int, int]], bytes],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    numbers = torch.zeros(4, dtype=torch.int64)
    carried = tmp_path / "compiled"
    monkeypatch.setattr(folders, "CARRIED", carried)

    def kernel() -> Each:
        return Each(import_anew("kernel").double)

    (tmp_path / "kernel.py").write_text(KERNEL)
    with pytest.raises(_CompilesError):
        loaded(kernel(), numbers, AMPERE)
    write_content(cubins._name(kernel(), (kind_of(numbers),), AMPERE), CODE)
    shutil.move(cache_folder, carried)
    assert loaded(kernel(), numbers, AMPERE) == CODE
    assert loaded(kernel(), numbers, ADA) == CODE  # which runs the code of all before it with this first number
    for argument, capability in ((numbers, HOPPER), (numbers.int(), AMPERE)):
        with pytest.raises(_CompilesError):
            loaded(kernel(), argument, capability)
    (tmp_path / "kernel.py").write_text(KERNEL.replace("*= 2", "*= 3"))
    with pytest.raises(_CompilesError):
        loaded(kernel(), numbers, AMPERE)
    (tmp_path / "kernel.py").write_text(KERNEL)
    (file,) = carried.iterdir()
    file.write_bytes(file.read_bytes()[:-1])
    with pytest.raises(_CompilesError):
        loaded(kernel(), numbers, AMPERE)
