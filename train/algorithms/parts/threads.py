"""Threads that share the work of an iteration: :class:`TorchThreads`."""

import ctypes
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import torch

GROUP = 1024
"""Games that one thread plays at a time: enough for the network, few enough for the cache."""
CHUNK = 2048
"""Choices of a minibatch that one thread computes at a time."""
_MIB = 1 << 20
_MALLOC_OPTIONS = {
    -8: 1,  # M_ARENA_MAX
    -3: 32 * _MIB,  # M_MMAP_THRESHOLD, the most that glibc accepts
    -1: 1024 * _MIB,  # M_TRIM_THRESHOLD
    -2: 64 * _MIB,  # M_TOP_PAD
}
"""Options of glibc's ``mallopt`` by number."""

_T = TypeVar("_T")
_R = TypeVar("_R")


class TorchThreads:
    """A pool of threads; until it is closed, PyTorch computes each operation of this process on one thread.

    The work must be cut into pieces that do not depend on the number of threads: groups of :data:`GROUP` games, chunks
    of :data:`CHUNK` choices. Then a run gives the same weights, bit for bit, for any number of threads on one machine.

    Args:
        number: how many threads.
        calls_alone: whether there are none, and the thread that calls does all work. A GPU needs this: it is one
            anyway, and while a thread records a CUDA graph, no other thread may ask it for anything.
    """

    def __init__(self, number: int, calls_alone: bool = False) -> None:
        _keep_freed_memory()
        self._outer_threads = torch.get_num_threads()
        torch.set_num_threads(1)
        self._pool: ThreadPoolExecutor | None = None
        if not calls_alone:
            self._pool = ThreadPoolExecutor(number or 1, initializer=torch.set_num_threads, initargs=(1,))

    def map(self, function: Callable[[_T], _R], items: Iterable[_T]) -> list[_R]:
        """The results of a function for all items, in their order."""
        return list(map(function, items) if self._pool is None else self._pool.map(function, items))

    def close(self) -> None:
        """End the threads, and give PyTorch back the number of threads that it had."""
        if self._pool is not None:
            self._pool.shutdown()
        torch.set_num_threads(self._outer_threads)


def _keep_freed_memory() -> None:
    """Make the C library keep freed memory of any size instead of returning it to the system; glibc only.

    By default it returns blocks of a few megabytes at once, which is the size of a layer's activations, and the next
    one costs a page fault every 4 KiB. With these options a PPO update took a quarter less time.
    """
    if sys.platform.startswith("linux") and hasattr(libc := ctypes.CDLL(None), "mallopt"):
        for parameter, value in _MALLOC_OPTIONS.items():
            libc.mallopt(parameter, value)
