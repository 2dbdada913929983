"""The level of processors that the engine is compiled for: :func:`codegen`.

Numba compiles for the one processor that it runs on. The engine is compiled for a level that most processors have, so
that the code in a wheel can be used on all of them, and code that is compiled later stands beside it. Everything else
that the process compiles, such as code of another library, is still for the processor itself.
"""

from functools import cache
from typing import Any

import llvmlite.binding as llvm
from numba.core import config
from numba.core.codegen import JITCPUCodegen

LEVEL = "x86-64-v3"
"""LLVM's name of the level: processors of Intel since 2013, of AMD since 2015."""
_MADE_OF = ("avx2", "bmi", "bmi2", "cx16", "f16c", "fma", "lzcnt", "movbe", "popcnt", "sahf", "xsave")
"""The features of a processor of the level."""


class _LevelCodegen(JITCPUCodegen):
    """Makes machine code for all processors of the level."""

    def _get_host_cpu_name(self) -> str:
        return LEVEL

    def _get_host_cpu_features(self) -> str:
        return ""


def codegen(target_context: Any) -> Any:
    """The generator of the engine's machine code: for :data:`LEVEL` if this processor has it, else Numba's own.

    It is Numba's own, too, if the user has told Numba what to compile for (``NUMBA_CPU_NAME`` and the like).
    """
    return _level_codegen() if is_used() else target_context.codegen()


@cache
def is_used() -> bool:
    """Return whether the engine is compiled for :data:`LEVEL` here."""
    if config.CPU_NAME is not None or config.CPU_FEATURES is not None or not config.ENABLE_AVX:
        return False
    try:
        features = llvm.get_host_cpu_features()
    except RuntimeError:  # LLVM does not know them
        return False
    return all(features.get(name) for name in _MADE_OF)


@cache
def _level_codegen() -> Any:
    """The one of this process. Called by Numba's compiler alone, one thread at a time."""
    return _LevelCodegen("uno_env.exec")
