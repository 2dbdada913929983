"""Records as Python reads them: each field is an attribute, which is read several times as fast as numpy.record's."""

from operator import itemgetter
from typing import Any, TypeAlias

import numpy as np

Fields: TypeAlias = list[tuple[str, Any, tuple[int, ...]]]
"""Name, type and shape of each field of a record."""


class Record(np.void):  # type: ignore[misc]  # NumPy's stubs forbid it, and its own numpy.record does the same
    """One element of an array of :func:`record_type`, which reads and writes the array's memory.

    Its attributes are the fields of all such types. Raises ValueError for one that the type of this record lacks.
    """

    __slots__ = ()


def record_type(fields: Fields) -> "np.dtype[Any]":
    """The type of records with these fields. Raises ValueError if a name is that of an attribute of NumPy's scalars."""
    for name, _, _ in fields:
        if hasattr(np.void, name):
            raise ValueError(f"no field may be called {name!r}: NumPy's scalars have an attribute of that name")
        if not hasattr(Record, name):
            setattr(Record, name, _attribute(name))
    return np.dtype((Record, fields))


def _attribute(name: str) -> property:
    def write(record: Record, value: Any) -> None:
        record[name] = value

    return property(itemgetter(name), write)
