"""Files that are read only if they are files, and written whole or not at all."""

import contextlib
import errno
import json
import os
import stat
import tempfile
import threading
from functools import partial
from pathlib import Path
from typing import Any

MAX_BYTES = 256 * 1024 * 1024
"""Size of the largest file that is read, unless less is said."""
_SHOWN = 40
"""Characters of a file's name in that of its temporary file: a name has room for 255 bytes."""


def check_file(path: str | Path, most: int = MAX_BYTES) -> None:
    """See to it that a path names a regular file of at most ``most`` bytes, before it is opened.

    A pipe that nobody writes to would be waited for without end, a device could be read without end. Raises OSError if
    there is no such file, or it is another thing, or too large; ``strerror`` says which. TypeError: it is no
    path.
    """
    try:
        status = os.stat(os.fspath(path))  # a number would be the descriptor of an open file, which reading closes
    except ValueError:  # a zero byte in the name
        raise OSError(errno.EINVAL, "no file can have this name", str(path)) from None
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, "it is a folder", str(path))
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "it is no regular file but a pipe, a socket or a device", str(path))
    if status.st_size > most:
        raise OSError(errno.EFBIG, f"it has {status.st_size:,} bytes, and at most {most:,} are read", str(path))


def read_file(path: str | Path, most: int = MAX_BYTES) -> bytes:
    """The content of a regular file of at most ``most`` bytes. Raises OSError as :func:`check_file` does."""
    check_file(path, most)
    # The path may name a pipe by now, and files of the system (/proc) do not say how large they are.
    with open(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)), "rb") as file:
        data = file.read(most + 1) or b""
    if len(data) > most:
        raise OSError(errno.EFBIG, f"it has more than {most:,} bytes", str(path))
    return data


def read_text(path: str | Path, most: int = MAX_BYTES) -> str:
    """The text of a file in UTF-8. Raises OSError as :func:`check_file` does, and ValueError if it is no text."""
    try:
        return read_file(path, most).decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"it is no text in UTF-8: byte {error.start} is {error.object[error.start]:#04x}") from None


def read_json(path: str | Path, most: int = MAX_BYTES) -> Any:
    """The value in a JSON file. Raises OSError as :func:`check_file` does, and ValueError if it is no JSON."""
    return parse_json(read_text(path, most))


def parse_json(text: str | bytes) -> Any:
    """The value of a JSON text. Raises ValueError if it is no JSON, or too deep or long for Python to read."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        reason = str(error) if isinstance(error, json.JSONDecodeError) else "it is nested too deeply, or too long"
        raise ValueError(f"it is not JSON: {reason}") from None


def reason_of(error: Exception) -> str:
    """The reason why a file could not be used, without its name, which an OSError repeats."""
    return error.strerror or str(error) if isinstance(error, OSError) else str(error)


def verify_writable(path: Path) -> None:
    """See to it, before hours of work, that a file can be written there. Raises ValueError if it cannot."""
    try:
        if path.is_dir():
            raise ValueError(f"{str(path)!r} is a folder: name a file to write")
        _refuse_special(path)
        with tempfile.TemporaryFile(dir=path.parent):
            pass
    except OSError as error:
        raise ValueError(
            f"{str(path)!r} cannot be written ({error.strerror}): name a file in a folder that can"
        ) from None


def replace_file(path: Path, data: bytes, private: bool = False) -> None:
    """Write a file, atomically: a reader sees the old one or the whole new one, also after a power cut.

    Its folder is made if need be; ``private``: only the user may read both. A link stays, and the file that it names is
    replaced. Raises OSError, which names it, if it cannot be written, or is a device or a pipe; the old one is still
    there.
    """
    _refuse_special(path)
    path = Path(os.path.realpath(path))
    path.parent.mkdir(0o700 if private else 0o777, parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name[:_SHOWN]}.{os.getpid()}-{threading.get_ident()}.tmp")
    try:
        temporary.unlink(missing_ok=True)
        with open(temporary, "xb", opener=partial(os.open, mode=0o600 if private else 0o666)) as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        if error.filename in (None, str(temporary)):  # a full disk names no file
            error.filename, error.filename2 = str(path), None
        raise
    finally:
        temporary.unlink(missing_ok=True)
    _sync_folder(path.parent)


def remove_temporary_files(folder: Path) -> None:
    """Delete what :func:`replace_file` left in a folder and those below when its process was killed."""
    for file in folder.rglob(".*.tmp"):
        file.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write a text, atomically."""
    replace_file(path, text.encode("utf-8"))


def write_json(path: Path, values: Any) -> None:
    """Write plain values as JSON, atomically."""
    write_text(path, json.dumps(values, indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def _refuse_special(path: Path) -> None:
    """Raise :class:`OSError` if a path names what is there and is no file: to replace /dev/null would be a loss."""
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return
    except ValueError:
        raise OSError(errno.EINVAL, "no file can have this name", str(path)) from None
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "it is there and no regular file", str(path))


def _sync_folder(folder: Path) -> None:
    """Write the folder's own list of files to the disk, where the system can do that."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
