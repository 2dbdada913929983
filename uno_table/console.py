"""Talking to a person in a terminal, or to a program over a pipe."""

import contextlib
import importlib.util
import os
import select
import signal
import sys
import threading
from pathlib import Path

from uno_env.replay import Replay


def ask(prompt: str) -> str | None:
    """A line of the standard input without surrounding white space, or None when there are no more lines."""
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
    """Return whether a person sits at both ends."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def can_show_a_table() -> bool:
    """Return whether a person sits at a terminal that Textual can draw on. Textual writes to the standard error."""
    return is_conversation() and sys.stderr.isatty() and importlib.util.find_spec("textual") is not None


def end_with_the_terminal() -> None:
    """End this process when its terminal is gone, also if nobody sends it a hangup. Textual would go on reading."""
    if hasattr(select, "poll"):
        threading.Thread(target=_wait_for_hangup, args=(sys.stdin.fileno(),), daemon=True).start()


def _wait_for_hangup(terminal: int) -> None:
    poll = select.poll()
    poll.register(terminal, 0)  # a hangup is told always
    if any(event & select.POLLHUP for _, event in poll.poll()):
        os._exit(128 + signal.SIGHUP)  # as a hangup ends it


def save_game(replay: Replay, name: str) -> str:
    """Save a game with all cards in a new file. Returns a sentence to say. Raises ValueError if that cannot be done."""
    if not name:
        raise ValueError("name a file: s FILE")
    try:
        with Path(name).expanduser().open("x", encoding="utf-8") as file:
            file.write(replay.to_json())
    except FileExistsError:
        raise ValueError(f"{name!r} exists already: choose another name") from None
    except OSError as error:
        raise ValueError(f"{name!r} cannot be written ({error.strerror}): choose another name") from None
    return f"Saved. Look at it with: uno replay {name} --adviser greedy"
