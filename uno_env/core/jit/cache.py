"""The cache of compiled code on disk, made safe for changed sources, torn files and processes that compile at once.

Numba's own cache looks only at the file that a function stands in; when a *called* function in another file changes,
the old machine code is served. Here the key of machine code knows everything that the function reaches
(:mod:`uno_env.core.jit.reach`), so it also tells apart functions that another function makes of different arguments.

A file holds one function's code for one signature, and is named after its key. It begins with a digest: a file that was
torn, cut or renamed is compiled anew. A file is written whole or not at all, and two processes that compile the same
function write the same file. Reading compiled code runs it, so only files are read that nobody else could have written
(:mod:`uno_env.core.jit.trust`).
"""

import contextlib
import hashlib
import os
import pickle
import secrets
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numba
from numba.core.caching import NullCache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from uno_env.core.jit import folders
from uno_env.core.jit.reach import reached_digest
from uno_env.core.jit.trust import read_trusted

_COMPILER = ("entries", "level", "linker", "njit", "translations")
_SOURCES = b"".join(Path(__file__).with_name(f"{name}.py").read_bytes() for name in _COMPILER)
VERSIONS = (numba.__version__, sys.implementation.cache_tag, hashlib.sha256(_SOURCES).hexdigest())
"""Other versions of Numba, of Python and of this folder's compiler make other code."""
_DIGEST_BYTES = hashlib.sha256().digest_size


class SharedCache(NullCache):
    """The cache of one function's machine code.

    Args:
        function: the Python function.
        options: whatever else its machine code depends on.
    """

    prefix = ""
    """The beginning of the names of files."""

    def __init__(self, function: Callable[..., Any], options: Any) -> None:
        self._function = function
        self._options = options
        self._reached = ""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The code of a signature, or None if there is none that can be used."""
        codegen = self.codegen(target_context)
        key = self._key(sig, codegen)
        content = read_content(self.name(sig, codegen))
        if content is None:
            return None
        target_context.refresh()
        saved_key, code = pickle.loads(content)
        return self.rebuild(target_context, code) if saved_key == key else None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Save the code of a signature; nothing is saved where that is not possible, such as on a full disk."""
        if not self.can_be_saved(data):
            return
        codegen = data.library.codegen
        write_content(self.name(sig, codegen), dumps((self._key(sig, codegen), self.reduce(data))))

    def codegen(self, target_context: Any) -> Any:
        """The generator of the machine code."""
        return target_context.codegen()

    def can_be_saved(self, cres: Any) -> bool:
        """Return whether code means the same in another process."""
        return not (cres.lifted or cres.library.has_dynamic_globals)

    def reduce(self, cres: Any) -> Any:
        """Code as values that can be pickled."""
        return cres._reduce()

    def rebuild(self, target_context: Any, code: Any) -> CompileResult | None:
        """The code that :meth:`reduce` made these values of, or None if a part of it is there no more."""
        return CompileResult._rebuild(target_context, *code)

    def _key(self, sig: Any, codegen: Any) -> Any:
        self._reached = self._reached or reached_digest(self._function)
        return sig, codegen.magic_tuple(), self._reached, self._options, VERSIONS

    def name(self, sig: Any, codegen: Any) -> str:
        """The name of the file of a signature's code."""
        code = self._function.__code__
        name = f"{self.prefix}{Path(code.co_filename).stem}.{self._function.__qualname__}-{code.co_firstlineno}"
        number = hashlib.sha256(repr(self._key(sig, codegen)).encode()).hexdigest()[:16]
        return f"{name.replace('<', '').replace('>', '')}.{number}.nbc"


def read_content(name: str) -> memoryview | None:
    """Return what :func:`write_content` wrote under a name, or None if there is no such file that is whole and can be
    trusted.
    """
    for folder in folders.readable():
        data = read_trusted(folder / name)
        if data is not None and data[:_DIGEST_BYTES] == _digest(name, memoryview(data)[_DIGEST_BYTES:]):
            if folder != folders.CARRIED:
                with contextlib.suppress(OSError):
                    os.utime(folder / name)  # those that were not used for longest are deleted
            return memoryview(data)[_DIGEST_BYTES:]
    return None


def write_content(name: str, content: bytes) -> None:
    """Write a file with its digest; nothing is written where that is not possible, such as on a full disk."""
    folder = folders.writable()
    if folder is not None:
        with contextlib.suppress(OSError):
            _write(folder / name, _digest(name, content) + content)


def _digest(name: str, content: bytes | memoryview) -> bytes:
    digest = hashlib.sha256(name.encode() + b"\0")
    digest.update(content)
    return digest.digest()


def _write(path: Path, data: bytes) -> None:
    """Write a file that nobody else may write, atomically. Raises OSError if it cannot be written."""
    temporary = path.with_name(f"{path.name}.{secrets.token_hex(8)}.tmp")
    try:
        with open(temporary, "xb", opener=partial(os.open, mode=0o644)) as file:
            file.write(data)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
