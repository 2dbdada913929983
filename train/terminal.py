"""Talking to a person in a terminal, or to a program over a pipe: questions, progress, files that are written whole."""

import contextlib
import importlib.util
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any


def ask(prompt: str) -> str | None:
    """A line of the standard input without surrounding white space; None when there are no more."""
    if sys.stdin.isatty() and sys.stdout.isatty():
        with contextlib.suppress(ImportError):
            import readline  # noqa: F401 (gives input() its line editing)
        try:
            return input(prompt).strip()
        except EOFError:
            print()
            return None
    print(prompt, flush=True)
    line = sys.stdin.readline()
    return line.strip() if line else None


def is_conversation() -> bool:
    """Whether a person sits at both ends."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def can_show_a_table() -> bool:
    """Whether a person sits at a terminal that Textual, which writes to the standard error, can draw on."""
    return is_conversation() and sys.stderr.isatty() and importlib.util.find_spec("textual") is not None


def uses_colour() -> bool:
    """Whether the standard output shows colours (and NO_COLOR does not forbid them)."""
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ


def clock(seconds: float) -> str:
    """A duration as ``h:mm:ss``."""
    minutes, seconds = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02d}:{seconds:02d}"


@contextlib.contextmanager
def progress_bar(title: str, total: int) -> Iterator[Callable[[int], None]]:
    """A bar with the time left on the standard error, silent when that is no terminal.

    Yields:
        A function that takes how much of ``total`` is done.
    """
    if not sys.stderr.isatty():
        yield lambda done: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("left"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=total)
        yield lambda done: bar.update(task, completed=done)


@contextlib.contextmanager
def counter(what: str) -> Iterator[Callable[[int], None]]:
    """A number on the standard error that grows to nobody knows what, silent when that is no terminal.

    Yields:
        A function that takes how many there are by now.
    """
    if not sys.stderr.isatty():
        yield lambda number: None
        return
    yield lambda number: print(f"\r{number:,} {what}", end="", file=sys.stderr, flush=True)
    print("\r\x1b[K", end="", file=sys.stderr, flush=True)


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


def write_text(path: Path, text: str) -> None:
    """Write a file, atomically: a reader sees the old one or the whole new one."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        temporary.write_text(text, encoding="utf-8")
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def write_json(path: Path, values: Any) -> None:
    """Write plain values as JSON, atomically."""
    write_text(path, json.dumps(values, indent=2, ensure_ascii=False, allow_nan=False) + "\n")
