"""Objects that hold buffers and views on them: how they are copied."""

import copy
from typing import Any, Self

import numpy as np


def read_only(array: Any) -> Any:
    """A view of an array that cannot be written to."""
    view = array.view()
    view.flags.writeable = False
    return view


def compiled_view(array: Any) -> Any:
    """The same numbers for compiled code that only reads them, writeable: compiled code knows one kind of array.

    Memory that cannot be made writeable is copied.
    """
    if array.flags.writeable:
        return array
    view = array.view()
    try:
        view.flags.writeable = True
    except ValueError:
        return np.array(array, order="C")
    return view


class DeepCopyMixin:
    """Base class of objects whose copies play on independently: ``copy.copy`` does what ``copy.deepcopy`` does."""

    def __copy__(self) -> Self:
        return copy.deepcopy(self)


class ViewOwner(DeepCopyMixin):
    """Base class of objects that hold arrays and views on them. Copies and pickles have views on their own arrays."""

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
