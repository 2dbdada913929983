"""Folders of the cache of compiled code: :func:`cache_folder`."""

import contextlib
import hashlib
import multiprocessing
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from uno_env.core.jit.trust import reason_against

CORE = Path(__file__).parents[1]
VOCABULARY = (CORE.parent / "cards.py", CORE.parent / "actions.py")
SAVED_CACHES = 4
"""Cache folders that stay, the current one among them; older ones are deleted."""
_told = set[str]()


@cache
def source_root(source: Path) -> Path:
    """The folder of all sources that a file's compiled code can come from, the core apart: the core, or a package."""
    if source.is_relative_to(CORE):
        return CORE
    folder = source.parent
    while (folder.parent / "__init__.py").exists():
        folder = folder.parent
    return folder


@cache
def cache_folder(root: Path, kind: str) -> Path:
    """Folder of the compiled code of a folder of sources, named by a hash of it, the core and the vocabulary.

    The first that can be written to and is trusted (:mod:`uno_env.core.jit.trust`): in ``UNO_ENV_CACHE_DIR``, in the
    package's own ``__pycache__``, in the user's cache, in the folder of temporary files, and a new one.

    Args:
        root: the folder of sources.
        kind: how it is compiled, as a part of the name.
    """
    name = f"{root.name}{kind}-{_digest(root)}"
    chosen = os.environ.get("UNO_ENV_CACHE_DIR")
    refused = list[str]()
    for base in (*([Path(os.path.realpath(chosen))] if chosen else []), *_usual_bases()):
        try:
            _make(base / name)
            reason = reason_against(base / name)
        except OSError as error:
            reason = f"it cannot be written ({error.strerror})"
            if not chosen or refused:
                continue  # as in an installation of the system's, and nobody asked for this one
        if reason is None:
            break
        refused.append(f"uno-env: compiled code is not kept in {str(base)!r}, as {reason}")
    else:
        base = _new_base()
        _make(base / name)
    for sentence in refused:
        _tell_once(sentence, base)
    _prune(base, f"{root.name}{kind}-*")
    return base / name


def _digest(root: Path) -> str:
    digest = hashlib.sha256()
    for source in sorted({*CORE.rglob("*.py"), *root.rglob("*.py"), *VOCABULARY}):
        name = os.path.relpath(source, CORE)
        digest.update(name.encode() + b"\0" + source.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def _usual_bases() -> Iterator[Path]:
    yield CORE / "__pycache__" / "numba"
    with contextlib.suppress(RuntimeError):  # there is no home
        yield Path.home() / ".cache" / "uno_env"
    if hasattr(os, "geteuid"):
        yield Path(tempfile.gettempdir()) / f"uno_env-{os.geteuid()}"


@cache
def _new_base() -> Path:
    return Path(tempfile.mkdtemp(prefix="uno_env_cache_"))


def _make(folder: Path) -> None:
    """Make a folder that nobody else may write to. Raises OSError if nothing can be written in it."""
    for each in (*reversed(folder.parents), folder):
        if not each.exists():
            each.mkdir(0o755, exist_ok=True)
    os.utime(folder)
    with tempfile.TemporaryFile(dir=folder):
        pass


def _tell_once(sentence: str, used: Path) -> None:
    is_worker = multiprocessing.parent_process() is not None
    if sentence not in _told and sys.stderr is not None and not is_worker:
        print(f"{sentence}; {str(used)!r} is used instead", file=sys.stderr, flush=True)
    _told.add(sentence)


def _prune(base: Path, pattern: str) -> None:
    with contextlib.suppress(OSError):
        folders = sorted(base.glob(pattern), key=lambda folder: folder.stat().st_mtime, reverse=True)
        for folder in folders[SAVED_CACHES:]:
            shutil.rmtree(folder, ignore_errors=True)
