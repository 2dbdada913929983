"""Kernels as they are bound to their arguments, and whether they compile for GPUs; no GPU is needed."""

import re
from collections.abc import Callable
from typing import Any

import pytest
import torch

from uno_env.core.jit.places import Blocks, Each

AMPERE, HOPPER = (8, 0), (9, 0)


class Recorder:
    """A machine that keeps what is bound there, by the kernel's name, and does nothing; it needs the extra 'gpu'."""

    def __init__(self) -> None:
        self.bound: dict[str, tuple[Each | Blocks, tuple[Any, ...]]] = {}
        self._arguments = pytest.importorskip("uno_env.core.jit.cuda.arguments", reason="needs the extra 'gpu'")

    def record(self, value: Any) -> Any:
        """Room for a record."""
        return self._arguments.RecordOnDevice(torch.zeros(value.nbytes, dtype=torch.uint8), value.dtype)

    def bind(
        self, kernel: Each | Blocks, number: int, arguments: tuple[Any, ...], shared: int = 0
    ) -> Callable[[], None]:
        """Note the kernel and its arguments."""
        self.bound[kernel.name] = kernel, arguments
        return lambda: None


def assert_compiles(kernel: Each | Blocks, arguments: tuple[Any, ...]) -> None:
    """For an A100 and an H100; and the compiler expects the values that the driver will be handed."""
    from uno_env.core.jit.cuda import ENTRY, compiler
    from uno_env.core.jit.cuda.arguments import kind_of, values_of

    lowered = compiler.lowered_kernel(kernel, tuple(map(kind_of, arguments)))
    for capability in (AMPERE, HOPPER):
        text = compiler.ptx(lowered, capability)
        assert f".target sm_{capability[0]}{capability[1]}" in text
        parameters = re.search(rf"\.visible \.entry {ENTRY}\(([^)]*)\)", text)
        assert parameters is not None
        kinds = re.findall(r"\.param \.(\w+)", parameters[1])
        assert len(kinds) == 1 + len(values_of(arguments))
        assert set(kinds) <= {"u64", "f64"}
    assert compiler.assembled(text, HOPPER).startswith(b"\x7fELF")
