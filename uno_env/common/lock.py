"""Folders and files that one process at a time works on: :func:`lock_folder`, :func:`lock_file`."""

import os
from pathlib import Path

from filelock import FileLock, Timeout

LOCK = ".lock"
_SHOWN = 40
"""Characters of a file's name in that of its lock: a name has room for 255 bytes."""


def lock_folder(folder: Path, what: str) -> FileLock:
    """Lock a folder until :meth:`FileLock.release`, or until this process ends, in whichever way. Raises ValueError if
    another process has locked it, or nothing can be written there.

    Args:
        folder: it exists.
        what: what it holds, as ``run``.
    """
    return _lock(
        folder / LOCK, folder,
        f"another process works on the {what} {str(folder)!r}: wait until it has ended, or name another folder",
    )  # fmt: skip


def lock_file(file: Path, wait: float = 0.0) -> FileLock:
    """Lock a file as :func:`lock_folder` locks a folder. It need not be there yet; the lock is a hidden file beside it.

    ``wait`` is the number of seconds that it may take until another process has released it. Raises ValueError as
    :func:`lock_folder` does.
    """
    real = Path(os.path.realpath(file))
    return _lock(
        real.with_name(f".{real.name[:_SHOWN]}{LOCK}"), file,
        f"another process writes to {str(file)!r}: wait until it has ended, or name another file", wait,
    )  # fmt: skip


def _lock(path: Path, locked: Path, taken: str, wait: float = 0.0) -> FileLock:
    lock = FileLock(path)
    try:
        lock.acquire(timeout=wait)
    except Timeout:
        raise ValueError(taken) from None
    except OSError as error:
        raise ValueError(f"{str(locked)!r} cannot be written ({error.strerror}): see to it that it can") from None
    return lock
