"""A batch of games inside JAX's compiled functions: what :meth:`uno_env.BatchedGames.xla` returns."""

import itertools
import threading
import weakref
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any, TypeAlias

import numpy as np

from uno_env.core.arrays import Array
from uno_env.core.jit.foreign_functions import Buffer, foreign_function

Handle: TypeAlias = Any
"""uint32 [2], an array of JAX's: the number of :class:`XlaGames`, and how many calls were made before."""
_NUMBERS = itertools.count()
_OPEN: "weakref.WeakValueDictionary[int, XlaGames]" = weakref.WeakValueDictionary()


class XlaGames:
    """The functions of a batch for JAX. Each call takes the handle that the call before it has returned; ``seen`` is
    what ``reset`` and ``step`` return, ``outcome`` what ``step`` returns besides. Raises ModuleNotFoundError if JAX is
    not installed.
    """

    def __init__(
        self,
        reset: Callable[..., Sequence[Array]],
        step: Callable[..., Sequence[Array]],
        seen: Sequence[Array],
        outcome: Sequence[Array],
    ) -> None:
        self._jax = _jax()
        self._number, self._calls = next(_NUMBERS), 0
        self._reset, self._step = reset, step
        self._num_games = len(seen[0])
        forms = [self._jax.ShapeDtypeStruct(array.shape, array.dtype) for array in (self._handle(), *seen, *outcome)]
        self._forms = {"reset": forms[: 1 + len(seen)], "step": forms}
        self._lock = threading.Lock()
        _OPEN[self._number] = self

    def functions(self) -> tuple[Handle, Callable[..., Any], Callable[..., Any]]:
        """``handle, reset, step``."""
        return self._jax.numpy.array(self._handle()), self.reset, self.step

    def reset(self, handle: Handle, seed: Any = None) -> tuple[Handle, tuple[Any, ...]]:
        """As :meth:`uno_env.BatchedGames.reset`; any handle of the batch will do, and any integer as a seed."""
        return self._call("reset", handle, *([] if seed is None else [self._integers("seed", seed, ())]))

    def step(self, handle: Handle, actions: Any) -> tuple[Handle, tuple[Any, ...]]:
        """As :meth:`uno_env.BatchedGames.step`."""
        return self._call("step", handle, self._integers("actions", actions, (self._num_games,)))

    def run_reset(self, _handle: Buffer, results: Sequence[Buffer], seed: Buffer | None = None) -> None:
        """Deal the games anew, whatever call came before."""
        with self._lock:
            self._calls += 1
            self._write(self._reset(None if seed is None else int(seed.numbers(1)[0])), results)

    def run_step(self, handle: Buffer, results: Sequence[Buffer], actions: Buffer) -> None:
        """Act in every game; nothing happens unless the handle is that of the call before."""
        with self._lock:
            if handle.numbers(2).tolist() != self._handle().tolist():
                raise ValueError("step() takes the handle that the call before it returned, not an older one")
            self._calls += 1  # first, so that the handle of a call that is cut off cannot be used again
            try:
                outcome = self._step(actions.numbers(self._num_games))
            except (ValueError, RuntimeError):  # refused: no game was stepped
                self._calls -= 1
                raise
            self._write(outcome, results)

    def _call(self, name: str, *arguments: Any) -> tuple[Handle, tuple[Any, ...]]:
        call = self._jax.ffi.ffi_call(f"uno_env.{name}", self._forms[name], has_side_effect=True)
        handle, *results = call(*arguments)
        return handle, tuple(results)

    def _integers(self, name: str, given: Any, shape: tuple[int, ...]) -> Any:
        array = self._jax.numpy.asarray(given)
        if array.shape != shape or array.dtype.kind not in "iu":
            raise ValueError(f"{name} must be integers of shape {shape}, not {array.dtype} of shape {array.shape}")
        return array

    def _handle(self) -> Array:
        return np.array([self._number, self._calls % 2**32], np.uint32)

    def _write(self, arrays: Sequence[Array], results: Sequence[Buffer]) -> None:
        for array, result in zip((self._handle(), *arrays), results, strict=True):
            result.write(array)


@cache
def _jax() -> Any:
    """Import JAX and register the two functions with it."""
    try:
        import jax
        import jax.ffi
    except ImportError:
        raise ModuleNotFoundError("BatchedGames.xla() needs JAX: pip install 'jax[cpu]'", name="jax") from None
    for name in ("reset", "step"):
        _KEPT.append(foreign_function(partial(_run, f"run_{name}")))
        jax.ffi.register_ffi_target(f"uno_env.{name}", jax.ffi.pycapsule(_KEPT[-1]), platform="cpu")
    return jax


_KEPT: list[Any] = []


def _run(method: str, arguments: Sequence[Buffer], results: Sequence[Buffer]) -> None:
    handle, *others = arguments
    games = _OPEN.get(int(handle.numbers(2)[0]))
    if games is None:
        raise ValueError("the batch of this handle is gone: keep its step or reset")
    getattr(games, method)(handle, results, *others)
