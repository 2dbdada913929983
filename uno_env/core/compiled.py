"""The ``compiled`` decorator: Numba with an on-disk cache that never serves stale code.

Numba's own cache looks only at the file a function stands in; when a *called* function in another file changes, the
old machine code is served. So the cache lives in a folder named by a hash of every source that compiled code
can come from, and any change there starts a new folder.
"""

import contextlib
import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np
from numba.core import config

from uno_env.core.linking import Dispatcher

_F = TypeVar("_F", bound=Callable[..., Any])

CORE = Path(__file__).parent
VOCABULARY = (CORE.parent / "cards.py", CORE.parent / "actions.py")
MAKE_NO_ARRAYS = (CORE, CORE.parents[1] / "agents")
"""Folders whose compiled functions make no arrays; they run up to three times as fast for it."""
KEPT_CACHES = 4
"""Cache folders kept, the current one among them; older ones are deleted."""

INTERPRETED = bool(config.DISABLE_JIT)
"""Whether ``NUMBA_DISABLE_JIT=1`` is set, and the core runs as plain Python."""


def compiled(function: _F) -> _F:
    """Compile a function with Numba: no Python objects, no GIL, cached on disk, single-threaded.

    Functions of :data:`MAKE_NO_ARRAYS` must not make arrays; others may. With ``NUMBA_DISABLE_JIT=1`` the function is
    returned as it is.
    """
    if INTERPRETED:
        return function
    source_folder = Path(function.__code__.co_filename).parent
    with _numba_cache_at(cache_folder(source_folder)):
        return cast(_F, Dispatcher(function, allocates=source_folder not in MAKE_NO_ARRAYS))


def wrapping(function: _F) -> _F:
    """Compile a function whose unsigned arithmetic wraps around by design; uncompiled, NumPy must not warn."""
    return np.errstate(over="ignore")(function) if INTERPRETED else compiled(function)


@cache
def cache_folder(source_folder: Path) -> Path:
    """Folder of the compiled code of a source folder, named by a hash of it, the core and the vocabulary."""
    base = _writable_base()
    sources = sorted({*CORE.glob("*.py"), *source_folder.glob("*.py"), *VOCABULARY})
    digest = hashlib.sha256()
    for source in sources:
        digest.update(source.name.encode() + b"\0" + source.read_bytes() + b"\0")
    folder = base / f"{source_folder.name}-{digest.hexdigest()[:16]}"
    folder.mkdir(parents=True, exist_ok=True)
    os.utime(folder)
    _prune(base, f"{source_folder.name}-*")
    return folder


@cache
def _writable_base() -> Path:
    """First of ``UNO_ENV_CACHE_DIR``, the package's own ``__pycache__``, the user's cache and a fresh folder."""
    chosen = os.environ.get("UNO_ENV_CACHE_DIR")
    places = [Path(chosen)] if chosen else [CORE / "__pycache__" / "numba", Path.home() / ".cache" / "uno_env"]
    for place in places:
        with contextlib.suppress(OSError):
            place.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=place):
                return place
    return Path(tempfile.mkdtemp(prefix="uno_env_cache_"))


def _prune(base: Path, pattern: str) -> None:
    with contextlib.suppress(OSError):
        folders = sorted(base.glob(pattern), key=lambda folder: folder.stat().st_mtime, reverse=True)
        for folder in folders[KEPT_CACHES:]:
            shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def _numba_cache_at(folder: Path) -> Iterator[None]:
    before = config.CACHE_DIR
    config.CACHE_DIR = str(folder)
    try:
        yield
    finally:
        config.CACHE_DIR = before
