"""Work shared by processes: :func:`map_unordered`, and :func:`cores`, for how many of them there is room.

Processes are *spawned*: each begins as a fresh Python, so nothing is copied from the middle of what threads are doing
here. Numba's cache on disk is not safe when two processes compile at once: both may give their machine code the same
file name, and the index of one then points to the code of the other. So whoever calls this compiles before, by
doing a little of the work itself, and the processes only read that cache; what one of them compiles all the same, it
keeps to itself.

The processes leave Ctrl-C to the process that started them, and end with it, also if that is killed.
"""

import contextlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import Any, TypeVar

from numba.core.caching import IndexDataCacheFile

from uno_env.core.jit.njit import CORE, cache_folder

_Task = TypeVar("_Task")
_Result = TypeVar("_Result")

_save = IndexDataCacheFile.save


def cores() -> int:
    """How many cores this process may use, which may be fewer than the machine has: in a container, under taskset."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def map_unordered(
    work: Callable[[_Task], _Result], tasks: Sequence[_Task], workers: int
) -> Iterator[tuple[_Task, _Result]]:
    """Each task with its result, as they are done; begun in their order.

    When the caller stops early, an unfinished task's result is lost.

    Args:
        work: what is done with a task; it goes to every process and must be picklable, as tasks and results must.
        tasks: the tasks.
        workers: number of processes; with 1, or a single task, the work is done in this one.

    Raises:
        concurrent.futures.process.BrokenProcessPool: a process was killed.
    """
    if workers <= 1 or len(tasks) <= 1:
        for task in tasks:
            yield task, work(task)
        return
    context = multiprocessing.get_context("spawn")
    others = set(multiprocessing.active_children())
    executor = ProcessPoolExecutor(min(workers, len(tasks)), context, _begin_process, (work,))
    try:
        waiting = {executor.submit(_do, task): task for task in tasks}
        for future in as_completed(waiting):
            yield waiting[future], future.result()
    finally:
        for process in set(multiprocessing.active_children()) - others:
            process.terminate()
        executor.shutdown(cancel_futures=True)


_work: Callable[[Any], Any]


def _begin_process(work: Callable[[Any], Any]) -> None:
    global _work
    _work = work
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()
    only_read_cache()


def _do(task: Any) -> Any:
    return _work(task)


def end_with_parent() -> None:
    """From here on, let this process end as soon as the one that started it has, also if that is killed."""
    threading.Thread(target=_outlive_no_parent, daemon=True).start()


def _outlive_no_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def only_read_cache() -> None:
    """From here on, let Numba write nothing to its cache on disk in this process."""
    IndexDataCacheFile.save = lambda *arguments: None


@contextlib.contextmanager
def compiling_alone() -> Iterator[None]:
    """Within, this process may write to Numba's cache, as the only one of those of this machine that ask here.

    Before and afterwards it only reads, so that processes need not be started by one that has compiled.
    """
    import fcntl  # where processes have no parent in common: Ray's, not on Windows

    with (cache_folder(CORE).parent / "compiling.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        IndexDataCacheFile.save = _save
        try:
            yield
        finally:
            only_read_cache()
