"""Work shared by processes: :func:`map_unordered`, and :func:`cores`, for how many of them there is room.

Processes are *spawned*: each begins as a fresh Python. Each has one thread for matrix products, unless
``OMP_NUM_THREADS`` says otherwise: the threads of several processes would wait for each other (saved policies were six
times slower on a busy machine). They leave Ctrl-C to the process that started them, and end with it, also if it is
killed.
"""

import contextlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any, TypeVar

from uno_env.common.output import replace_unprintable

OMP = "OMP_NUM_THREADS"
"""Threads for matrix products of a process."""

_Task = TypeVar("_Task")
_Result = TypeVar("_Result")
Mapper = Callable[[Callable[[Any], Any], Sequence[Any]], Iterator[tuple[Any, Any]]]
"""Does what :func:`map_unordered` does, elsewhere (:mod:`train.algorithms.ray.shared_out`)."""


def cores() -> int:
    """The number of cores that this process may use: fewer than the machine has in a container, or under taskset."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def machine_memory() -> int | None:
    """Return the bytes of memory that this process may use at most, also in a container, or None where the system does
    not say.
    """
    if not hasattr(os, "sysconf") or "SC_PHYS_PAGES" not in os.sysconf_names:
        return None
    there = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    with contextlib.suppress(OSError, ValueError):  # ValueError: "max", there is no limit
        there = min(there, int(Path("/sys/fs/cgroup/memory.max").read_text()))
    return there


def map_unordered(
    work: Callable[[_Task], _Result], tasks: Sequence[_Task], workers: int | Mapper
) -> Iterator[tuple[_Task, _Result]]:
    """Each task with its result, as they are done in ``workers`` processes, or by a mapper; begun in their order.

    With one worker or task, the work is done in this process; else work, tasks and results must be picklable. When the
    caller stops early, an unfinished task's result is lost. Raises concurrent.futures.process.BrokenProcessPool if a
    process was killed.
    """
    if callable(workers):
        yield from workers(work, tasks)
        return
    if workers <= 1 or len(tasks) <= 1:
        for task in tasks:
            yield task, work(task)
        return
    executor = spawned_pool(work, min(workers, len(tasks)))
    try:
        with terminating_children():
            with environment(OMP, os.environ.get(OMP, "1")):
                waiting = {executor.submit(do, task): task for task in tasks}
            for future in as_completed(waiting):
                yield waiting[future], future.result()
    finally:
        executor.shutdown(cancel_futures=True)


def spawned_pool(work: Callable[[Any], Any], processes: int) -> ProcessPoolExecutor:
    """A pool of processes that do one work. ``submit(do, task)`` begins a task; the processes start with the first."""
    return ProcessPoolExecutor(processes, multiprocessing.get_context("spawn"), _begin_process, (work,))


@contextlib.contextmanager
def torch_threads(number: int) -> Iterator[None]:
    """Within, PyTorch computes each operation on ``number`` threads, here and in processes that are started.

    Every training runs in it, with any algorithm. Our own algorithms then share the work among threads
    of theirs (:mod:`train.algorithms.parts.backends`). 0 means one for each core.
    """
    import torch

    outer = torch.get_num_threads()
    with environment(OMP, str(number or cores())):
        torch.set_num_threads(number or cores())
        try:
            yield
        finally:
            torch.set_num_threads(outer)


@contextlib.contextmanager
def environment(name: str, value: str) -> Iterator[None]:
    """Within, processes that are started have a variable in their environment."""
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


@contextlib.contextmanager
def terminating_children() -> Iterator[None]:
    """Terminate, at the end, the processes that were started within."""
    others = set(multiprocessing.active_children())
    try:
        yield
    finally:
        for process in set(multiprocessing.active_children()) - others:
            process.terminate()
            process.join()


@contextlib.contextmanager
def sigterm_interrupts() -> Iterator[None]:
    """Make SIGTERM do what Ctrl-C does, for a ``with`` block. Outside the main thread nothing changes."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


_work: Callable[[Any], Any]


def _begin_process(work: Callable[[Any], Any]) -> None:
    global _work
    _work = work
    replace_unprintable()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()


def do(task: Any) -> Any:
    """Do a task with the work of the pool that this process belongs to."""
    return _work(task)


def end_with_parent() -> None:
    """From here on, let this process end as soon as the one that started it has, also if that is killed."""
    threading.Thread(target=_outlive_no_parent, daemon=True).start()


def _outlive_no_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
