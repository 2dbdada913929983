"""Work that is shared out to the nodes of a Ray cluster, instead of processes of this machine: :func:`shared_out`."""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any

import ray

from train.algorithms.ray.cluster import check_address, joined
from train.common.processes import Mapper
from train.evaluation.tournament import code_digest
from train.runs.learner import RunError


@contextlib.contextmanager
def shared_out(address: str, threads: int = 1) -> Iterator[Mapper]:
    """Join a cluster for a ``with`` block; what maps work over tasks there, each of which takes ``threads`` CPUs.

    A task of a node that is lost goes to another one. Raises ValueError if no cluster answers at the address, and
    :class:`RunError` if it cannot be joined or used; the code of all nodes must be that of this machine.
    """
    check_address(address)
    with joined(address, threads):
        yield lambda work, tasks: _map(work, tasks, threads)


def _map(work: Callable[[Any], Any], tasks: Sequence[Any], threads: int) -> Iterator[tuple[Any, Any]]:
    task_on_node = ray.remote(_do).options(num_cpus=threads, scheduling_strategy="SPREAD")
    code, shared = _code(), ray.put(work)
    waiting = {task_on_node.remote(code, shared, task): task for task in tasks}
    while waiting:
        done = ray.wait(list(waiting))[0][0]
        try:
            result = ray.get(done)
        except ray.exceptions.RayTaskError as error:
            raise error.cause from None
        except ray.exceptions.RayError as error:
            raise RunError(f"the Ray cluster lost a task: {' '.join(str(error).split())}") from error
        yield waiting.pop(done), result


def _do(code: str, work: Callable[[Any], Any], task: Any) -> Any:
    if code != _code():
        raise RunError(f"the code of node {ray.util.get_node_ip_address()} is another: install the same version there")
    return work(task)


_code = cache(code_digest)
