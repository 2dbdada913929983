"""Interrupts wait until a compile has ended: :class:`UninterruptedDispatcher`.

Numba imports parts of itself when it first compiles. If an interrupt breaks off one of these imports, every later
compile in this process fails with "duplicate registration".
"""

import contextlib
import multiprocessing
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

from numba.core.registry import CPUDispatcher

SIGNALS = [
    getattr(signal, name)
    for name in ("SIGINT", "SIGBREAK", "SIGTERM", "SIGALRM", "SIGHUP", "SIGUSR1", "SIGUSR2")
    if hasattr(signal, name)
]
"""Signals by which people and programs interrupt."""
WAITING = "uno-env: stops as soon as this function is compiled"
RESTART = "compiling was interrupted earlier in this process, and Numba cannot go on: restart Python"

_was_broken_off = False


class UninterruptedDispatcher(CPUDispatcher):
    """Numba's compiled function, whose compiles :func:`held_back` protects."""

    def compile(self, sig: Any) -> Any:
        """Same as Numba's."""
        with held_back():
            return super().compile(sig)


@contextlib.contextmanager
def held_back() -> Iterator[None]:
    """Hold back :data:`SIGNALS` that functions of Python handle, and hand them on at the end.

    They come in the main thread alone, so in other threads nothing is held back. Raises RuntimeError if nothing can be
    compiled any more: another thread threw an exception into an earlier compile, which nothing can hold back.
    """
    global _was_broken_off
    with _held_back_in_main_thread():
        try:
            yield
        except Exception as error:
            if _was_broken_off:
                raise RuntimeError(RESTART) from error
            raise
        except BaseException:
            _was_broken_off = True
            raise


@contextlib.contextmanager
def _held_back_in_main_thread() -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handlers: dict[int, Callable[[int, Any], Any]] = {}
    held: dict[int, Any] = {}
    compiling = True

    def hold(number: int, frame: Any) -> None:
        if not compiling:  # a signal that came while the handlers were put back has left this one in its place
            handlers[number](number, frame)
            return
        if number == signal.SIGINT and not held:
            _tell()
        held.setdefault(number, frame)

    handlers |= {number: found for number in SIGNALS if callable(found := signal.getsignal(number))}
    try:
        for number in handlers:
            signal.signal(number, hold)
        yield
    finally:
        compiling = False
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for number, frame in held.items():
            handlers[number](number, frame)


def _tell() -> None:
    if sys.stderr is not None and multiprocessing.parent_process() is None:
        with contextlib.suppress(RuntimeError, OSError, ValueError):  # it came while something was being written
            print(f"\n{WAITING}", file=sys.stderr, flush=True)
