"""Places that hold arrays and run kernels: a kernel is bound to its arrays once, and called many times.

There are two kinds of kernels. Neither knows where it runs:

- *Each*: a loop ``f(*arguments, first, end)`` over games, as :class:`uno_env.core.jit.threads.Threads` calls it.
- *Blocks*: the games go in blocks of :data:`LANES`, one game a lane. Two functions ``f(block, lane, shared,
  *arguments)`` are called, the first one for all lanes of a block before the second one. ``block`` is the number of the
  block's first game, and ``shared`` is uint8 memory that its lanes share.

On a GPU a lane is a thread, and neighbouring lanes should write to neighbouring bytes. On the processor all is done one
after the other, or by threads that share the games. :mod:`uno_env.core.jit.cuda.machine` has the machine that is a GPU.
"""

import itertools
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from uno_env.core.arrays import Array
from uno_env.core.jit.threads import Threads

LANES = 32
"""Games of a block: as many as the threads of a GPU that work in step."""

Bound = Callable[[], None]
"""A kernel with its arrays: does its work on what they hold."""


class Each(NamedTuple):
    """A kernel that is a loop over games."""

    loop: Any

    @property
    def name(self) -> str:
        """The name of the kernel in messages."""
        return str(self.loop.__name__)


class Blocks(NamedTuple):
    """A kernel of two functions with shared memory: one that each lane runs alone, then one for the lanes together."""

    alone: Any
    together: Any

    @property
    def name(self) -> str:
        """The name of the kernel in messages."""
        return str(self.alone.__name__)


class Machine(Protocol):
    """A processor or a GPU, which runs kernels on arrays that are there."""

    def record(self, value: Any) -> Any:
        """A NumPy record as an argument of kernels here."""

    def bind(self, kernel: Each | Blocks, number: int, arguments: tuple[Any, ...], shared: int = 0) -> Bound:
        """A kernel for ``number`` games with its arguments.

        Args:
            kernel: what is to be done.
            number: how many games.
            arguments: contiguous arrays, records of :meth:`record`, numbers (an ``int`` is int64, a ``float`` float64,
                a NumPy scalar of its own type), and tuples of these.
            shared: bytes that the lanes of a block share.
        """


class Place(Machine, Protocol):
    """A machine with the arrays that are there: those of NumPy, or tensors of PyTorch."""

    @property
    def is_asynchronous(self) -> bool:
        """True if a kernel may be called before the earlier ones have done their work. Then results should be read as
        late as possible.
        """

    def zeros(self, *shape: int, dtype: npt.DTypeLike) -> Any:
        """A new array of zeros."""

    def from_numpy(self, array: Array) -> Any:
        """An array of NumPy as one here; both may share the memory."""

    def to_numpy(self, array: Any) -> Array:
        """An array here as one of NumPy; both may share the memory."""

    def from_torch(self, tensor: Any) -> Any:
        """A tensor of PyTorch that is in the place's memory as an array here, which shares it."""

    def shown(self, array: Any, dtype: npt.DTypeLike | None = None) -> Any:
        """A view of an array for people who only read it; with ``dtype``, of its bytes as that type."""

    def synchronize(self) -> None:
        """Wait until all kernels that were called have done their work."""


class Processor:
    """The place of arrays in ordinary memory, those of NumPy; kernels run as they are, compiled or not. As a machine,
    it takes PyTorch's tensors in ordinary memory, too.

    Args:
        number: kernels for this number of games are shared by the threads; all others run in the thread that calls.
        threads: how many there are, that thread included.
    """

    def __init__(self, number: int = 0, threads: int = 1) -> None:
        self._number, self._is_shared = number, threads > 1
        edges = [number * part // threads for part in range(threads + 1)]
        self._threads = Threads(list(itertools.pairwise(edges)))

    is_asynchronous = False

    def zeros(self, *shape: int, dtype: npt.DTypeLike) -> Array:
        """Same as :meth:`Place.zeros`."""
        return np.zeros(shape, dtype)

    def from_numpy(self, array: Array) -> Array:
        """The array itself, or a copy without gaps."""
        return np.ascontiguousarray(array)

    def to_numpy(self, array: Array) -> Array:
        """The array itself."""
        return array

    def from_torch(self, tensor: Any) -> Array:
        """Same as :meth:`Place.from_torch`."""
        array: Array = tensor.numpy()
        return array

    def shown(self, array: Array, dtype: npt.DTypeLike | None = None) -> Array:
        """A view that cannot be written to, see :meth:`Place.shown`."""
        view = array.view() if dtype is None else array.view(dtype)
        view.flags.writeable = False
        return view

    def synchronize(self) -> None:
        """Wait for what a call that was interrupted has left to the threads."""
        self._threads.finish()

    def record(self, value: Any) -> Any:
        """The record itself."""
        return value

    def bind(self, kernel: Each | Blocks, number: int, arguments: tuple[Any, ...], shared: int = 0) -> Bound:
        """A call of the kernel, see :class:`Machine`."""
        arrays = tuple(map(_as_arrays, arguments))
        if isinstance(kernel, Each):
            if self._is_shared and number == self._number:
                return lambda: self._threads.each(kernel.loop, *arrays)
            loop = kernel.loop
            return lambda: loop(*arrays, 0, number)
        memory = np.zeros(shared, np.uint8)

        def call() -> None:
            for block in range(0, number, LANES):
                for function in kernel:
                    for lane in range(LANES):
                        function(block, lane, memory, *arrays)

        return call


def _as_arrays(argument: Any) -> Any:
    if isinstance(argument, tuple):
        values = map(_as_arrays, argument)
        return type(argument)(*values) if hasattr(argument, "_fields") else tuple(values)
    return argument.numpy() if hasattr(argument, "data_ptr") else argument
