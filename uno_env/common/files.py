"""Files that are written whole or not at all."""

import json
import os
import tempfile
from pathlib import Path
from typing import Any


def verify_writable(path: Path) -> None:
    """See to it, before hours of work, that a file can be written there.

    Raises:
        ValueError: it cannot.
    """
    if path.is_dir():
        raise ValueError(f"{str(path)!r} is a folder: name a file to write")
    try:
        with tempfile.TemporaryFile(dir=path.parent):
            pass
    except OSError as error:
        raise ValueError(
            f"{str(path)!r} cannot be written ({error.strerror}): name a file in a folder that can"
        ) from None


def replace_file(path: Path, data: bytes) -> None:
    """Write a file, atomically: a reader sees the old one or the whole new one. Its folder is made if need be."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write a text, atomically."""
    replace_file(path, text.encode("utf-8"))


def write_json(path: Path, values: Any) -> None:
    """Write plain values as JSON, atomically."""
    write_text(path, json.dumps(values, indent=2, ensure_ascii=False, allow_nan=False) + "\n")
