"""Objects that hold buffers and views on them: how they are copied, and that one thread uses them at a time."""

import copy
import threading
from collections.abc import Callable
from functools import wraps
from typing import Any, Self, TypeVar, cast

import numpy as np

_Call = TypeVar("_Call", bound=Callable[..., Any])


def read_only(array: Any) -> Any:
    """A view of an array that cannot be written to."""
    view = array.view()
    view.flags.writeable = False
    return view


def compiled_view(array: Any) -> Any:
    """The same numbers for compiled code that only reads them, writeable: compiled code knows one kind of array.

    Memory that is nobody's to write is copied.
    """
    if array.flags.writeable:
        return array
    view = array.view()
    try:
        view.flags.writeable = True
    except ValueError:
        return np.array(array, order="C")
    return view


class Copied:
    """Base class of what plays on independently once it is copied: ``copy.copy`` does what ``copy.deepcopy`` does."""

    def __copy__(self) -> Self:
        return copy.deepcopy(self)


class Buffers(Copied):
    """Base class of what holds arrays and views on them: copies and pickles have views on their own arrays."""

    def _make_views(self) -> None:
        """Set all attributes that are views on other arrays; a copy and an unpickled object do it anew."""
        raise NotImplementedError

    def _begin_views(self) -> None:
        """Make the views for the first time."""
        before = set(vars(self))
        self._make_views()
        self._views = sorted(set(vars(self)) - before)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in self._views}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._make_views()


class _InUse(list[bool]):
    """Holds one token while an object is not in use; to take it is atomic, and several times as fast as a lock.

    A copy of the object has its own, which is free.
    """

    def __init__(self) -> None:
        super().__init__([True])

    def __reduce__(self) -> tuple[Any, ...]:
        return _InUse, ()


def begin_use(owner: Any, method: str) -> _InUse:
    """Take an object's token, for a method of this name; to it, ``append(True)`` is to be called in the end.

    Raises:
        RuntimeError: another call has the token.
    """
    try:
        in_use: _InUse = owner._in_use
        in_use.pop()
    except AttributeError:  # the first use
        with _CREATING:
            if not hasattr(owner, "_in_use"):
                owner._in_use = _InUse()  # not by vars(), after which Python finds attributes less fast
        return begin_use(owner, method)
    except IndexError:
        raise RuntimeError(
            f"{type(owner).__name__}.{method}() was called during another call: "
            "one thread at a time may use it; give each thread its own"
        ) from None
    return in_use


_CREATING = threading.Lock()


def exclusive(method: _Call) -> _Call:
    """Decorator of methods, one of which at a time may run on an object: another that is called meanwhile is refused.

    Raises:
        RuntimeError: another thread is in such a method, or this one is and calls another from within.
    """

    @wraps(method)
    def call(self: Any, *arguments: Any, **named: Any) -> Any:
        in_use = begin_use(self, method.__name__)
        try:
            return method(self, *arguments, **named)
        finally:
            in_use.append(True)

    return cast(_Call, call)


def exclusive_step(method: _Call) -> _Call:
    """:func:`exclusive` for a method whose one argument is ``action``: it costs a third, where all takes microseconds.

    Raises:
        RuntimeError: as of :func:`exclusive`.
    """

    @wraps(method)
    def call(self: Any, action: Any) -> Any:
        in_use = begin_use(self, "step")
        try:
            return method(self, action)
        finally:
            in_use.append(True)

    return cast(_Call, call)
