"""Ctrl-C and SIGTERM that arrive twice: :func:`once_a_second`."""

from collections.abc import Callable
from time import monotonic
from typing import Any

Handler = Callable[[int, Any], object]

SAME = 1.0
"""Seconds within which a signal is the one before it once more."""


def once_a_second(handler: Handler) -> Handler:
    """The handler of a signal, for people: called for the first of several signals that come within a second.

    A launcher (``timeout -s INT``, a notebook, a terminal with a process group) sends a process what it has got
    already. Nobody means "stop at once, and save nothing" by that.
    """
    last = -SAME

    def handle(number: int, frame: Any) -> None:
        nonlocal last
        now = monotonic()
        if now - last >= SAME:
            last = now
            handler(number, frame)

    return handle
