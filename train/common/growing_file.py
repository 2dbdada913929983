"""A file of lines that only grows, of any length: :class:`GrowingFile`."""

import contextlib
from pathlib import Path
from typing import BinaryIO, Self

from uno_env.common.files import check_file
from uno_env.common.lock import lock_file

_NO_LIMIT = 1 << 62


class GrowingFile:
    """A file whose first line says what it holds, and to which one process at a time appends lines; a context manager.

    Nothing that is there is written anew, so a process that is killed loses one line at most. The next one cuts off a
    last line that is not whole.

    Args:
        path: the file; made if it is not there.
        header: the first line, without its end.

    Raises:
        ValueError: the first line is another one, or another process writes to the file.
        OSError: it cannot be read or written, or is no file.
    """

    def __init__(self, path: Path, header: str) -> None:
        self.path, self._header = path, header.encode() + b"\n"
        self.lines = 0
        """Whole lines behind the first one."""
        self.last = b""
        """The last of them."""

    def __enter__(self) -> Self:
        with contextlib.ExitStack() as stack:
            stack.callback(lock_file(self.path).release)
            if self.path.exists():
                check_file(self.path, _NO_LIMIT)
            self._file = stack.enter_context(open(self.path, "a+b", buffering=0))
            self._size = self._read()
            self._file.truncate(self._size)
            if not self._size:
                self._append(self._header)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def append(self, line: str) -> None:
        """Write a line, without its end, as the last one. Raises OSError if that fails; the file then stays as it
        was.
        """
        self._append(line.encode() + b"\n")
        self.lines += 1

    def _append(self, data: bytes) -> None:
        left = memoryview(data)
        try:
            while left:
                left = left[self._file.write(left) or 0 :]
        except BaseException as error:
            with contextlib.suppress(OSError):
                self._file.truncate(self._size)
            if isinstance(error, OSError):
                raise OSError(error.errno, error.strerror, str(self.path)) from None
            raise
        self._size += len(data)

    def _read(self) -> int:
        """Count the whole lines, and return the bytes up to the end of the last one."""
        with open(self.path, "rb") as file:
            if not self._verify_header(file):
                return 0
            size = len(self._header)
            for line in file:
                if not line.endswith(b"\n"):
                    break
                size += len(line)
                self.lines, self.last = self.lines + 1, line
            return size

    def _verify_header(self, file: BinaryIO) -> bool:
        """Return whether the first line is there. Raises ValueError if it is another one."""
        first = file.read(len(self._header))
        if not self._header.startswith(first):
            raise ValueError(
                f"{str(self.path)!r} holds something else: name another file, or give the same arguments to go on"
            )
        return len(first) == len(self._header)
