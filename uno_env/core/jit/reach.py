"""The reach of a compiled function: the functions that it calls, in any file of any package, and the values it reads.

Machine code holds all of it, so :func:`reached_digest` is part of the key under which machine code is cached.
"""

import hashlib
import inspect
import sys
from collections.abc import Callable, Iterator
from functools import cache
from operator import itemgetter
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np
from numba.core import types

_NUMBAS = {"builtins", "math", "numpy", "numba", "llvmlite"}
"""Packages whose functions Numba has code of its own for, and those that its version decides."""
_PLAIN = (bool, int, float, complex, str, bytes, type(None), np.generic, np.dtype)
"""Types of values whose ``repr`` says everything."""


def reached_digest(function: Callable[..., Any]) -> str:
    """A hash of everything that a function reaches: sources of functions and classes, and values of constants.

    Call it only when all modules are imported, since a function may call one that is defined after it.
    """
    facts, numbers, reached = list[str](), {function: 0}, [function]
    for caller in reached:  # which grows
        own, read = _own_facts(caller)
        facts.append(own)
        for name, value in read:
            if isinstance(value, FunctionType):
                if value not in numbers:
                    numbers[value] = len(reached)
                    reached.append(value)
                facts.append(f"{name}: function {numbers[value]}")
            else:
                facts.append(f"{name}: {value}")
    return hashlib.sha256("\n".join(facts).encode()).hexdigest()


@cache
def _own_facts(function: Callable[..., Any]) -> tuple[str, list[tuple[str, FunctionType | str]]]:
    """The text of a function itself, and what it reads, by name: a Python function, or the text of another value."""
    code = f"{_code_digest(function.__code__)} {_fact(function.__defaults__)}"
    read = list[tuple[str, FunctionType | str]]()
    for name, value in sorted(_values_read(function), key=itemgetter(0)):
        called = _function_of(value)
        is_reached = isinstance(called, FunctionType) and not _is_numbas(called)
        read.append((name, called if is_reached else _fact(called)))
    return f"{function.__module__}.{function.__qualname__} {code}", read


def num_compiled(function: Callable[..., Any]) -> int:
    """The number of compiled functions that a compiled one reaches, itself included."""
    reached = [function]
    for caller in reached:  # which grows
        called = (getattr(value, "py_func", caller) for _, value in _values_read(caller))
        reached += (each for each in dict.fromkeys(called) if each not in reached)
    return len(reached)


def _function_of(value: Any) -> Any:
    """The Python function of a compiled one, an intrinsic, or a function with a cache; any other value as it is."""
    for name in ("py_func", "_defn", "__wrapped__"):
        if hasattr(value, name):
            return getattr(value, name)
    return value


def _values_read(function: Callable[..., Any]) -> Iterator[tuple[str, Any]]:
    """The global and outer variables that a function names, and the attributes of modules, with their values."""
    names = set(names_in(function.__code__))
    outer = inspect.getclosurevars(function).nonlocals if function.__closure__ else {}
    named = [(name, value) for name, value in {**function.__globals__, **outer}.items() if name in names]
    modules = set[ModuleType]()
    for name, value in named:  # which grows
        if not isinstance(value, ModuleType):
            yield name, value
        elif value not in modules:
            modules.add(value)
            named += ((f"{name}.{each}", getattr(value, each)) for each in names if hasattr(value, each))


def names_in(code: CodeType) -> Iterator[str]:
    """The names in a function's code and in the functions within it."""
    yield from code.co_names
    yield from code.co_freevars
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from names_in(constant)


def _fact(value: Any) -> str:
    """The text of a value that is no Python function: the value itself, or the source of the module that defines it."""
    if isinstance(value, _PLAIN):
        return repr(value)
    if isinstance(value, types.Type):  # of Numba: as a record with its fields
        return str(value)
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {value.shape} {value.tobytes().hex()}"
    if isinstance(value, (tuple, list)):
        return f"({', '.join(map(_fact, value))})"
    if isinstance(value, CodeType):  # a function within the function
        return _code_digest(value)
    if _is_numbas(value):
        return f"{value.__module__}.{getattr(value, '__qualname__', type(value))}"
    module = sys.modules.get(getattr(value, "__module__", None) or "")
    return _source_digest(getattr(module, "__file__", None) or str(type(value)))


def _is_numbas(value: Any) -> bool:
    return (getattr(value, "__module__", None) or "").partition(".")[0] in _NUMBAS


def _code_digest(code: CodeType) -> str:
    """A hash of a function's file, and what tells it apart from others of the same name there."""
    own = f"{code.co_firstlineno} {code.co_code.hex()} {code.co_names} {_fact(code.co_consts)}"
    return f"{_source_digest(code.co_filename)} {hashlib.sha256(own.encode()).hexdigest()}"


@cache
def _source_digest(file: str) -> str:
    return hashlib.sha256(Path(file).read_bytes()).hexdigest() if Path(file).is_file() else file
