"""The machine that a learner plays and trains on: :class:`Backend` is the processor, :class:`CudaBackend` a GPU.

What depends on it is asked here, so that algorithms and their parts read the same on both.
"""

import ctypes
import itertools
import sys
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import torch
from torch import Tensor

from train.algorithms.parts.graphs import Recorded, Work
from train.common import replicas
from uno_env import BatchedGames, DeviceGames
from uno_env.placed_games import PlacedGames

if TYPE_CHECKING:
    from train.algorithms.parts.games import Group

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


class Backend:
    """The processor, whose threads share the groups of games and the chunks of a minibatch.

    The work must be cut into pieces that do not depend on the number of threads: groups of :data:`GROUP` games, chunks
    of :data:`CHUNK` choices. Then a run gives the same weights, bit for bit, for any number of threads on one machine.
    Until it is closed, PyTorch computes each operation of this process on one thread.

    Args:
        threads: how many threads.
        device: PyTorch's name of what has the network and the choices.
    """

    def __init__(self, threads: int, device: str = "cpu") -> None:
        _keep_freed_memory()
        self.device = torch.device(device)
        self._outer_threads = torch.get_num_threads()
        torch.set_num_threads(1)
        self._pool = ThreadPoolExecutor(threads or 1, initializer=torch.set_num_threads, initargs=(1,))

    def close(self) -> None:
        """End the threads, and give PyTorch back the number of threads that it had."""
        self._pool.shutdown()
        torch.set_num_threads(self._outer_threads)

    def map(self, function: Callable[[_T], _R], items: Iterable[_T]) -> list[_R]:
        """The results of a function for all items, in their order."""
        return list(self._pool.map(function, items))

    def together(self, groups: Sequence["Group"]) -> list[list["Group"]]:
        """The groups of games, those that are played as one in one list."""
        return [[group] for group in groups]

    def deal(self, batches: Sequence[BatchedGames]) -> PlacedGames[Any]:
        """Deal the games of groups that are played as one."""
        (batch,) = batches
        batch.reset()
        return batch

    def repeated(self, work: Work, _generator: Any = None) -> Work:
        """A function that does work that is done many times; it draws from a generator of random numbers, if at all."""
        return work

    def permutation(self, rng: np.random.Generator, number: int) -> Tensor:
        """Whole numbers below ``number`` in a random order, int64."""
        return torch.from_numpy(rng.permutation(number))

    def minibatches(self, rows: Tensor, size: int, mean_rows: float) -> Sequence[Tensor]:
        """Parts of about ``size`` rows, int64, as many in all processes, which have ``mean_rows`` rows on average."""
        return rows.tensor_split(max(1, round(mean_rows / size)))

    def chunks(self, minibatch: Tensor) -> Sequence[Tensor]:
        """The parts of a minibatch whose gradients are computed one by one."""
        return minibatch.tensor_split(max(1, -(-len(minibatch) // CHUNK)))

    def learning_rate(self, rate: float) -> float | Tensor:
        """A learning rate in the form that Adam reads it."""
        return rate


class CudaBackend(Backend):
    """A GPU, which plays all groups of a table as one. One thread asks for everything: while it records a CUDA graph,
    no other may ask the GPU for anything.

    Args:
        device: PyTorch's name of it.
        cuda_graphs: whether rollouts and gradient steps are repeated as CUDA graphs, if there is one process.
    """

    def __init__(self, device: str = "cuda", cuda_graphs: bool = False) -> None:
        super().__init__(1, device)
        self._shuffler = torch.Generator(self.device)
        self._has_graphs = cuda_graphs and replicas.number() == 1

    def map(self, function: Callable[[_T], _R], items: Iterable[_T]) -> list[_R]:
        """The results of a function for all items, in their order."""
        return list(map(function, items))

    def together(self, groups: Sequence["Group"]) -> list[list["Group"]]:
        """The groups of games, those of a table in one list."""
        return [[*each] for _, each in itertools.groupby(groups, key=lambda group: group.table)]

    def deal(self, batches: Sequence[BatchedGames]) -> PlacedGames[Any]:
        """Deal the games of groups that are played as one, and put them on the device, one group after the other."""
        return dealt_on(self.device, batches)

    def repeated(self, work: Work, generator: torch.Generator | None = None) -> Work:
        """Same as :meth:`Backend.repeated`; the work must not wait for the GPU."""
        return Recorded(work, generator) if self._has_graphs else work

    def permutation(self, rng: np.random.Generator, number: int) -> Tensor:
        """Same as :meth:`Backend.permutation`, drawn on the device by a generator that ``rng`` seeds."""
        self._shuffler.manual_seed(int(rng.integers(2**63)))
        return torch.randperm(number, generator=self._shuffler, device=self.device)

    def minibatches(self, rows: Tensor, size: int, mean_rows: float) -> Sequence[Tensor]:
        """Same as :meth:`Backend.minibatches`; for graphs all parts but the last have ``size`` rows."""
        if self._has_graphs:
            return rows.tensor_split(tuple(range(size, len(rows) - size + 1, size)))
        return super().minibatches(rows, size, mean_rows)

    def chunks(self, minibatch: Tensor) -> Sequence[Tensor]:
        """The whole minibatch."""
        return (minibatch,)

    def learning_rate(self, rate: float) -> float | Tensor:
        """A learning rate in the form that Adam reads it: a graph reads it where it is, as a tensor."""
        return torch.tensor(rate, device=self.device) if self._has_graphs else rate


def dealt_on(device: torch.device, batches: Sequence[BatchedGames]) -> DeviceGames:
    """Deal the games of batches by the same rules, and put them on a device, one batch after the other."""
    for batch in batches:
        batch.reset()
    states, number = [batch.get_state() for batch in batches], sum(batch.num_games for batch in batches)
    games = DeviceGames(number, batches[0].rules, device=device, obs_dtype="uint8")
    games.set_state({name: np.concatenate([state[name] for state in states]) for name in states[0]})
    return games


def _keep_freed_memory() -> None:
    """Make the C library keep freed memory of any size instead of returning it to the system; glibc only.

    By default it returns blocks of a few megabytes at once, which is the size of a layer's activations, and the next
    one costs a page fault every 4 KiB. With these options a PPO update took a quarter less time.
    """
    if sys.platform.startswith("linux") and hasattr(libc := ctypes.CDLL(None), "mallopt"):
        for parameter, value in _MALLOC_OPTIONS.items():
            libc.mallopt(parameter, value)
