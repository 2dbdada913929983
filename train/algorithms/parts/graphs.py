"""Work that a GPU repeats, as CUDA graphs: :class:`Recorded`.

A rollout and a gradient step are many small operations. A GPU does them faster than Python can ask for them; a graph
asks once for all.
"""

from collections.abc import Callable

import torch

Work = Callable[[], None]
WARM_UP = 3
"""Calls before the recording. In the first ones Adam makes its moments, and libraries take their memory."""


class Recorded:
    """Work that is called with Python at first, is then recorded as a CUDA graph, and from then on repeats what was
    recorded. Every call does the work once.

    The work reads and writes tensors, whose values may change between calls. They must stay where they are, and have
    the same shapes. Everything else is as in the recorded call: numbers of Python, and which way a condition went.

    Args:
        work: what is to be done; it must not wait for the GPU.
        generator: the generator of random numbers that it draws from, if it has one of its own.
    """

    def __init__(self, work: Work, generator: torch.Generator | None = None) -> None:
        self._work, self._generator = work, generator
        self._calls = 0

    def __call__(self) -> None:
        """Do the work once."""
        if self._calls == WARM_UP:
            self._work = record(self._work, self._generator)
        self._calls += 1
        self._work()


def record(work: Work, generator: torch.Generator | None) -> Work:
    """Record work as a CUDA graph, without doing it, and return what does it."""
    graph = torch.cuda.CUDAGraph()
    if generator is not None:
        graph.register_generator_state(generator)
    with torch.cuda.graph(graph):
        work()
    return graph.replay
