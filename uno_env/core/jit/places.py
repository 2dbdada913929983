"""Where kernels run: a kernel is bound to its arrays once, and called many times.

There are two kinds of kernels. Neither knows where it runs:

- *Each*: a loop ``f(*arguments, first, end)`` over games, as :class:`uno_env.core.loops.threads.Threads` calls it.
- *Blocks*: the games go in blocks of :data:`LANES`, one game a lane. Two functions ``f(block, lane, shared,
  *arguments)`` are called, the first one for all lanes of a block before the second one. ``block`` is the number of the
  block's first game, and ``shared`` is uint8 memory that its lanes share.

On a GPU a lane is a thread, and neighbouring lanes should write to neighbouring bytes. On the processor all is done one
after the other. :mod:`uno_env.core.jit.cuda.place` has the place that is a GPU.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np

LANES = 32
"""Games of a block: as many as the threads of a GPU that work in step."""

Bound = Callable[[], None]
"""A kernel with its arrays: does its work on what they hold."""


class Each(NamedTuple):
    """A kernel that is a loop over games."""

    loop: Any

    @property
    def name(self) -> str:
        """What the kernel is called in messages."""
        return str(self.loop.__name__)


class Blocks(NamedTuple):
    """A kernel of two functions with shared memory: what each lane does by itself, then what the lanes do together."""

    alone: Any
    together: Any

    @property
    def name(self) -> str:
        """What the kernel is called in messages."""
        return str(self.alone.__name__)


class Place(Protocol):
    """A processor or a GPU, with the tensors of PyTorch that are there."""

    def record(self, value: Any) -> Any:
        """A NumPy record as an argument of kernels here."""

    def bind(self, kernel: Each | Blocks, number: int, arguments: tuple[Any, ...], shared: int = 0) -> Bound:
        """A kernel for so many games with its arguments.

        Args:
            kernel: what is to be done.
            number: how many games.
            arguments: contiguous tensors, records of :meth:`record`, numbers (an ``int`` is int64, a ``float`` float64,
                a NumPy scalar of its own type), and tuples of these.
            shared: bytes that the lanes of a block share.
        """


class Processor:
    """The place of tensors in ordinary memory: kernels run as they are, compiled or not."""

    def record(self, value: Any) -> Any:
        """The record itself."""
        return value

    def bind(self, kernel: Each | Blocks, number: int, arguments: tuple[Any, ...], shared: int = 0) -> Bound:
        """A call of the kernel, see :class:`Place`."""
        arrays = tuple(map(_as_arrays, arguments))
        if isinstance(kernel, Each):
            return lambda: kernel.loop(*arrays, 0, number)
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
