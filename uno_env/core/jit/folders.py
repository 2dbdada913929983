"""The folders of compiled code: :func:`readable` and :func:`writable`.

What is compiled is kept in one that is asked for, ``UNO_ENV_CACHE_DIR``, or in one of two: in the package, and in the
user's cache for a package that the user cannot write to. Where there is none, nothing is kept. A wheel for one version
of Python carries compiled code besides, in a folder that is only read.
"""

import contextlib
import multiprocessing
import os
import sys
import tempfile
from functools import cache
from pathlib import Path

from uno_env.core.jit.trust import reason_against

CORE = Path(__file__).parents[1]
CARRIED = CORE.parent / "compiled"
"""The folder that a wheel carries."""
SAVED_FILES = 2_000
"""Files that stay when a process begins to write, some 200 MB; those that were not used for longest are deleted."""


@cache
def candidates() -> tuple[Path, ...]:
    """The folders that compiled code may be written to, the first one first."""
    chosen = os.environ.get("UNO_ENV_CACHE_DIR")
    if chosen:
        return (Path(chosen).absolute(),)
    in_package = CORE / "__pycache__" / "numba"
    try:
        return in_package, Path.home() / ".cache" / "uno_env" / "compiled"
    except RuntimeError:  # there is no home
        return (in_package,)


@cache
def readable() -> tuple[Path, ...]:
    """The folders that nobody else could have written to (:mod:`uno_env.core.jit.trust`)."""
    folders = (CARRIED, *candidates())
    return tuple(folder for folder in folders if folder.is_dir() and reason_against(folder) is None)


@cache
def writable() -> Path | None:
    """The first folder that can be written to and that nobody else can write to, or None after a sentence why."""
    reason = ""
    for folder in candidates():
        try:
            folder.mkdir(0o755, parents=True, exist_ok=True)
            found = reason_against(folder)
            if found is None:
                with tempfile.TemporaryFile(dir=folder):
                    pass
                readable.cache_clear()  # it may be new
                _prune(folder)
                return folder
        except OSError as error:
            found = f"{str(folder)!r} cannot be written ({error.strerror})"
        reason = reason or found
    if sys.stderr is not None and multiprocessing.parent_process() is None:
        print(f"uno-env: compiled code is not kept: {reason}", file=sys.stderr, flush=True)
    return None


def _prune(folder: Path) -> None:
    with contextlib.suppress(OSError):  # another process does the same
        files = sorted(folder.iterdir(), key=lambda file: file.stat().st_mtime, reverse=True)
        for file in files[SAVED_FILES:]:
            file.unlink()
