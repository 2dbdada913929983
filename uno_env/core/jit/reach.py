"""The reach of a compiled function: the functions that it calls, in any file of any package, and the values it reads.

Machine code holds all of it, so :func:`reached_digest` is part of the key under which machine code is cached.
"""

import hashlib
import inspect
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

_PLAIN = (bool, int, float, complex, str, bytes, type(None), np.generic, np.dtype)
"""Types of values whose ``repr`` says everything."""


def reached_digest(function: Callable[..., Any]) -> str:
    """A hash of everything that a function reaches: sources of functions and classes, and values of constants.

    Call it only when all modules are imported, since a function may call one that is defined after it.
    """
    facts, seen, waiting = set[str](), {function}, [function]
    while waiting:
        caller = waiting.pop()
        facts.add(f"{caller.__module__}.{caller.__qualname__} {_source_digest(caller.__code__.co_filename)}")
        for name, value in _values_read(caller):
            reached = getattr(value, "py_func", value)  # the Python function of a compiled one
            if not isinstance(reached, FunctionType):
                facts.add(f"{caller.__module__}.{caller.__qualname__} {name}: {_fact(reached)}")
            elif reached not in seen:
                seen.add(reached)
                waiting.append(reached)
    return hashlib.sha256("\n".join(sorted(facts)).encode()).hexdigest()


def _values_read(function: Callable[..., Any]) -> Iterator[tuple[str, Any]]:
    """The global and outer variables that a function names, and the attributes of modules, with their values."""
    names = set(_names(function.__code__))
    outer = inspect.getclosurevars(function).nonlocals if function.__closure__ else {}
    for name, value in {**function.__globals__, **outer}.items():
        if name not in names:
            continue
        if isinstance(value, ModuleType):
            yield from ((f"{name}.{each}", getattr(value, each)) for each in names if hasattr(value, each))
        else:
            yield name, value


def _names(code: CodeType) -> Iterator[str]:
    """The names in a function's code and in the functions within it."""
    yield from code.co_names
    yield from code.co_freevars
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _fact(value: Any) -> str:
    """The text of a value that is no Python function: the value itself, or the source of the module that defines it."""
    if isinstance(value, _PLAIN):
        return repr(value)
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {value.shape} {value.tobytes().hex()}"
    if isinstance(value, (tuple, list)):
        return f"({', '.join(map(_fact, value))})"
    module = sys.modules.get(getattr(value, "__module__", None) or "")
    return _source_digest(getattr(module, "__file__", None) or str(type(value)))


@cache
def _source_digest(file: str) -> str:
    return hashlib.sha256(Path(file).read_bytes()).hexdigest() if Path(file).is_file() else file
