"""Numba's cache on disk, made safe for changed sources and for processes that compile at the same time.

Numba's key of machine code knows the function itself. Here it knows everything that the function reaches, so it also
tells apart functions that another function makes of different arguments.

Numba numbers the files of a function's machine code. Two processes may choose the same number for different
signatures, and the index of one then points at the code of the other. Here a file is named after what it holds, and is
written before the index that points at it. If two processes write an index at once, one entry is lost: that signature
is compiled again.
"""

import hashlib
from collections.abc import Callable
from typing import Any

from numba.core.caching import FunctionCache, IndexDataCacheFile

from uno_env.core.jit.reach import reached_digest


class _SharedCacheFile(IndexDataCacheFile):
    def save(self, key: Any, data: Any) -> None:
        name = self._data_name_pattern.replace("{number:d}", hashlib.sha256(repr(key).encode()).hexdigest()[:16])
        self._save_data(name, data)
        self._save_index({**self._load_index(), key: name})


class SharedCache(FunctionCache):
    """The cache of one function's machine code."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        stamp = self._impl.locator.get_source_stamp()
        self._cache_file = _SharedCacheFile(self._cache_path, self._impl.filename_base, stamp)
        self._function = function
        self._reached = ""

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        self._reached = self._reached or reached_digest(self._function)
        return sig, codegen.magic_tuple(), self._reached
