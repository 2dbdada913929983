"""Folders that one process at a time works in: :func:`lock_folder`."""

from pathlib import Path

from filelock import FileLock, Timeout

LOCK = ".lock"


def lock_folder(folder: Path, what: str) -> FileLock:
    """Lock a folder until :meth:`FileLock.release`, or until this process ends, in whichever way. Raises ValueError if
    another process has locked it, or nothing can be written there.

    Args:
        folder: it exists.
        what: what it holds, as ``run``.
    """
    lock = FileLock(folder / LOCK)
    try:
        lock.acquire(blocking=False)
    except Timeout:
        raise ValueError(
            f"another process works on the {what} {str(folder)!r}: wait until it has ended, or name another folder"
        ) from None
    except OSError as error:
        raise ValueError(f"{str(folder)!r} cannot be written ({error.strerror}): see to it that it can") from None
    return lock
