"""A batch of games inside JAX's compiled functions: what :meth:`uno_env.BatchedGames.xla` returns.

JAX calls back into Python for each reset and step (``jax.experimental.io_callback``), which takes about 0.1 ms.
"""

import _thread
import itertools
import threading
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from uno_env.core.arrays import Array

Handle: TypeAlias = Any
"""uint32 [2], an array of JAX's: the number of :class:`XlaGames`, and how many calls were made before."""
_NUMBERS = itertools.count()


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
        try:
            import jax
            from jax.experimental import io_callback
        except ImportError:
            raise ModuleNotFoundError("BatchedGames.xla() needs JAX: pip install 'jax[cpu]'", name="jax") from None
        self._jax, self._io_callback = jax, io_callback
        self._number, self._calls = next(_NUMBERS), 0
        self._reset, self._step = reset, step
        self._num_games = len(seen[0])
        forms = [jax.ShapeDtypeStruct(array.shape, array.dtype) for array in (self._handle(), *seen, *outcome)]
        self._forms = {self._run_reset: forms[: 1 + len(seen)], self._run_step: forms}
        self._lock = threading.Lock()

    def functions(self) -> tuple[Handle, Callable[..., Any], Callable[..., Any]]:
        """``handle, reset, step``."""
        return self._jax.numpy.array(self._handle()), self.reset, self.step

    def reset(self, handle: Handle, seed: Any = None) -> tuple[Handle, tuple[Any, ...]]:
        """As :meth:`uno_env.BatchedGames.reset`; any handle of the batch will do, and any integer as a seed."""
        return self._call(self._run_reset, handle, *([] if seed is None else [self._integers("seed", seed, ())]))

    def step(self, handle: Handle, actions: Any) -> tuple[Handle, tuple[Any, ...]]:
        """As :meth:`uno_env.BatchedGames.step`."""
        return self._call(self._run_step, handle, self._integers("actions", actions, (self._num_games,)))

    def _call(self, run: Callable[..., list[Array]], *arguments: Any) -> tuple[Handle, tuple[Any, ...]]:
        handle, *results = self._io_callback(run, self._forms[run], *arguments)
        return handle, tuple(results)

    def _integers(self, name: str, given: Any, shape: tuple[int, ...]) -> Any:
        array = self._jax.numpy.asarray(given)
        if array.shape != shape or array.dtype.kind not in "iu":
            raise ValueError(f"{name} must be integers of shape {shape}, not {array.dtype} of shape {array.shape}")
        return array

    def _handle(self) -> Array:
        return np.array([self._number, self._calls % 2**32], np.uint32)

    def _run_reset(self, _handle: Any, seed: Any = None) -> list[Array]:
        """Deal the games anew, whatever call came before."""
        with self._lock:
            self._calls += 1
            return self._results(self._reset, None if seed is None else int(seed))

    def _run_step(self, handle: Any, actions: Any) -> list[Array]:
        """Act in every game, if the handle is that of the call before. With another handle nothing happens."""
        with self._lock:
            if np.asarray(handle).tolist() != self._handle().tolist():
                raise ValueError("step() takes the handle that the call before it returned, not an older one")
            self._calls += 1  # first, so that the handle of a call that is cut off cannot be used again
            try:
                return self._results(self._step, np.asarray(actions))
            except (ValueError, RuntimeError):  # refused: no game was stepped
                self._calls -= 1
                raise

    def _results(self, call: Callable[[Any], Sequence[Array]], argument: Any) -> list[Array]:
        """The handle, and copies of what a call returns: JAX may keep an array instead of copying it."""
        try:
            arrays = call(argument)
        except KeyboardInterrupt:  # JAX makes an error of it; Ctrl-C comes again when JAX has returned
            threading.Timer(0.01, _thread.interrupt_main).start()
            raise
        return [self._handle(), *(np.array(array) for array in arrays)]
