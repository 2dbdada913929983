"""Interrupts end a compile between two functions: :class:`InterruptibleDispatcher`.

Numba imports parts of itself when it first compiles. If an interrupt breaks off one of these imports, every later
compile in this process fails with "duplicate registration". So an interrupt waits until one of the functions that are
compiled for the called one is done.
"""

import contextlib
import gc
import signal
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
RESTART = "compiling was interrupted earlier in this process, and Numba cannot go on: restart Python"

_held: dict[int, Any] | None = None
"""Signals that have come since the main thread compiles; None while it does not."""
_was_broken_off = False


class _Waiting(BaseException):
    """Ends a compile, since a signal waits for its handler."""


class InterruptibleDispatcher(CPUDispatcher):
    """Numba's compiled function, whose compiles end between two functions when a signal has come."""

    def compile(self, sig: Any) -> Any:
        """Same as Numba's. What was compiled by then is kept: if a handler returns, the compile goes on from there."""
        if _is_held_back():
            entry_point = super().compile(sig)
            let_signals_in()
            return entry_point
        while True:
            with contextlib.suppress(_Waiting), held_back(), _collected_later():
                return super().compile(sig)


def let_signals_in() -> None:
    """After a function that another one calls: end the compile if a signal waits for its handler."""
    if _held and _is_held_back():
        raise _Waiting


def _is_held_back() -> bool:
    return _held is not None and threading.current_thread() is threading.main_thread()


@contextlib.contextmanager
def _collected_later() -> Iterator[None]:
    """Let Python look for garbage only after a compile. Numba makes so many objects that looking through them again and
    again takes a tenth of the time. A first step needs 0.1 GB more memory meanwhile.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


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
        except _Waiting:
            raise
        except Exception as error:
            if _was_broken_off:
                raise RuntimeError(RESTART) from error
            raise
        except BaseException:
            _was_broken_off = True
            raise


@contextlib.contextmanager
def _held_back_in_main_thread() -> Iterator[None]:
    global _held
    if _held is not None or threading.current_thread() is not threading.main_thread():
        yield
        return
    handlers: dict[int, Callable[[int, Any], Any]] = {}
    held = _held = dict[int, Any]()
    compiling = True

    def hold(number: int, frame: Any) -> None:
        if compiling:
            held.setdefault(number, frame)
        else:  # a signal that came while the handlers were put back has left this one in its place
            handlers[number](number, frame)

    handlers |= {number: found for number in SIGNALS if callable(found := signal.getsignal(number))}
    try:
        for number in handlers:
            signal.signal(number, hold)
        yield
    finally:
        _held, compiling = None, False
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for number, frame in held.items():
            handlers[number](number, frame)
