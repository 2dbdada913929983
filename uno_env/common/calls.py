"""Objects that one call at a time may use, and that know if a call was interrupted.

An interrupt, Ctrl-C or any other exception out of a signal, comes between any two instructions, also between the last
one of a ``try`` and its ``finally``. So nothing here relies on code that runs after it: a mark tells whose call it is
of, and whether that call still runs is looked up only when the mark is in the way of another one.
"""

import contextlib
import sys
from collections.abc import Callable
from functools import wraps
from typing import Any, Self, TypeVar, cast

from uno_env.common.copies import DeepCopyMixin

_Call = TypeVar("_Call", bound=Callable[..., Any])


class Exclusive(DeepCopyMixin):
    """Base class of objects that one call at a time may use: its methods are :func:`exclusive`."""

    _calls: list[object]
    """A mark of each call that runs or waits to be refused, the one that runs first. Marks of calls that were cut off
    stay here, in a copy or a forked process too, and are in nobody's way."""

    def __new__(cls, *_arguments: Any, **_named: Any) -> Self:
        new = super().__new__(cls)
        new._calls = []
        return new


class Interruptible(Exclusive):
    """Base class of what changes in several steps, and must be reset after a call that was interrupted meanwhile.

    A method does all of its changes within ``with self._changing("step"):``. Whatever refuses arguments comes before.
    The ``with`` takes up to 2 µs, so steps of a single game, which take 10, set and clear :attr:`_unready` themselves.
    """

    _unready = ""
    """The reason why the object must be reset before it is used, which begins a sentence; empty if it need not."""

    def _changing(self, method: str) -> "_Change":
        return _Change(self, method)

    def _check_ready(self, method: str, error: type[Exception] = ValueError) -> None:
        if self._unready:
            raise error(f"{self._unready}: call reset() before {method}()")


class _Change:
    """The changes of a method: if any exception ends them, the object must be reset, unless the method itself has put
    everything in order.
    """

    __slots__ = ("_method", "_owner")

    def __init__(self, owner: Interruptible, method: str) -> None:
        self._owner, self._method = owner, method

    def __enter__(self) -> None:
        self._owner._unready = f"{self._method}() was interrupted"

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self._owner._unready = ""


def exclusive(method: _Call) -> _Call:
    """Decorator of methods of which one at a time may run on an object: another that is called meanwhile is refused.
    Raises RuntimeError if another thread is in such a method, or this one is and calls another from within.
    """

    @wraps(method)
    def call(self: Any, *arguments: Any, **named: Any) -> Any:
        calls, mark = self._calls, object()
        calls.append(mark)
        if calls[0] is not mark:
            wait_turn(self, mark, method.__name__)
        try:
            return method(self, *arguments, **named)
        finally:
            del calls[0]

    return cast(_Call, call)


def exclusive_step(method: _Call) -> _Call:
    """:func:`exclusive` for a method with the argument ``action``: a third of the cost, which is microseconds."""

    @wraps(method)
    def call(self: Any, action: Any) -> Any:
        calls, mark = self._calls, object()
        calls.append(mark)
        if calls[0] is not mark:
            wait_turn(self, mark, "step")
        try:
            return method(self, action)
        finally:
            del calls[0]

    return cast(_Call, call)


def wait_turn(owner: Exclusive, mark: object, method: str) -> None:
    """See to it that a call's mark, which another one's is before, becomes the first of its owner's.

    Marks before it whose calls do not run any more are removed. Whose frame has one as its local variable ``mark``, set
    before it was listed, runs. Raises RuntimeError if a call before it still runs; the mark is removed.
    """
    calls = owner._calls
    while (first := calls[0]) is not mark:
        if _is_running(first):
            calls.remove(mark)
            raise RuntimeError(
                f"{type(owner).__name__}.{method}() was called during another call: "
                "one thread at a time may use it; give each thread its own"
            )
        with contextlib.suppress(ValueError):  # another thread has removed it meanwhile
            calls.remove(first)


def _is_running(sought: object) -> bool:
    """Return whether the call that set a mark is on the stack of any thread of this process."""
    for top in list(sys._current_frames().values()):
        frame: Any = top
        while frame is not None:
            if "mark" in frame.f_code.co_varnames and frame.f_locals.get("mark") is sought:
                return True
            frame = frame.f_back
    return False
