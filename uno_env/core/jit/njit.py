"""The ``njit`` decorator: Numba with an on-disk cache that never serves stale code.

The fast compiler (:mod:`uno_env.core.jit.linker`) depends on the inside of Numba, so it is used only with versions of
Numba that it was tested with. With a newer one, or with ``UNO_ENV_PLAIN_NJIT=1``, Numba's own compiler is used: the
results are the same, and the first step takes several times as long.

With ``NUMBA_BOUNDSCHECK=1`` each index is checked, and one that is out of bounds is an IndexError: for tests.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba.core import config

from uno_env.core.jit import notice  # noqa: F401  # listens from now on
from uno_env.core.jit.cache import SharedCache
from uno_env.core.jit.folders import CORE
from uno_env.core.jit.interrupts import InterruptibleDispatcher

_F = TypeVar("_F", bound=Callable[..., Any])

MAKE_NO_ARRAYS = (
    CORE,
    CORE.parent / "extensive_form",
    CORE.parent / "symmetry",
    CORE.parents[1] / "agents",
    CORE.parents[1] / "train" / "algorithms",
)
"""Folders whose compiled functions make no arrays; they run up to three times as fast for it."""

NEWEST_TESTED_NUMBA = (0, 68)
"""The newest version of Numba, major and minor, whose inside the linker was tested with."""

OPTIONS = {
    "nopython": True,
    "boundscheck": False,
    "error_model": "numpy",  # no branch for each division
    "no_cfunc_wrapper": True,
}

INTERPRETED = bool(config.DISABLE_JIT)
"""True if ``NUMBA_DISABLE_JIT=1`` is set, and the core runs as plain Python."""


def njit(function: _F) -> _F:
    """Compile a function with Numba: no Python objects, no GIL, cached on disk, single-threaded.

    Functions of :data:`MAKE_NO_ARRAYS` must not make arrays; others may. With ``NUMBA_DISABLE_JIT=1`` the function is
    returned as it is.
    """
    return _compiled(function, nogil=True)


def njit_with_gil(function: _F) -> _F:
    """:func:`njit` for functions that take less than a microsecond: they hold the GIL, which is faster then.

    No other thread of Python sees their work half done.
    """
    return _compiled(function, nogil=False)


def _compiled(function: _F, nogil: bool) -> _F:
    if INTERPRETED:
        return function
    source = Path(function.__code__.co_filename)
    no_arrays = any(source.is_relative_to(folder) for folder in MAKE_NO_ARRAYS)
    options = {**OPTIONS, "nogil": nogil, "_nrt": not no_arrays}
    return cast(_F, _dispatcher(function, options))


def njit_wraparound(function: _F) -> _F:
    """Compile a function whose unsigned arithmetic wraps around by design; uncompiled, NumPy must not warn."""
    return np.errstate(over="ignore")(function) if INTERPRETED else njit(function)


def uses_linker() -> bool:
    """Return whether functions are compiled by the project's linker instead of Numba's own ``njit``."""
    version = tuple(int(part) for part in numba.__version__.split(".")[:2])
    return version <= NEWEST_TESTED_NUMBA and os.environ.get("UNO_ENV_PLAIN_NJIT", "0") != "1"


def _key(options: dict[str, Any]) -> tuple[Any, ...]:
    """Part of the key of machine code: how it is made."""
    return sorted(options.items()), uses_linker(), bool(config.BOUNDSCHECK)


def _dispatcher(function: Callable[..., Any], options: dict[str, Any]) -> Any:
    if not uses_linker():
        dispatcher = InterruptibleDispatcher(function, targetoptions=options)
        dispatcher._cache = SharedCache(function, _key(options))
        return dispatcher
    from uno_env.core.jit.linker import Dispatcher

    return Dispatcher(function, options, _key(options))
