"""Threads that share the work on a batch: :class:`Threads`."""

import os
import queue
import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

Work: TypeAlias = Callable[..., None]
Part: TypeAlias = tuple[int, int]


class _Task:
    """Work on one part, and what came of it."""

    __slots__ = ("arguments", "done", "error", "work")

    def __init__(self, work: Work, arguments: tuple[Any, ...]) -> None:
        self.work, self.arguments = work, arguments
        self.error: BaseException | None = None
        self.done = threading.Lock()
        self.done.acquire()

    def run(self) -> None:
        try:
            self.work(*self.arguments)
        except BaseException as error:
            self.error = error
        finally:
            self.done.release()


class Threads:
    """Does one work on several parts of a batch at a time, the first part in the thread that asks.

    It is meant for compiled work of some 0.1 ms that holds no interpreter lock: handing a part over takes a queue and a
    lock, a fraction of what :class:`concurrent.futures.ThreadPoolExecutor` takes. The threads end with the object. A
    copy, and the object in a process that was forked, has threads of its own. Parts whose call was interrupted are
    done to their end; the next call waits for them.

    Args:
        parts: first and last + 1 of each part; a thread is begun for each but the first.
    """

    def __init__(self, parts: Sequence[Part]) -> None:
        self._parts = list(parts)
        self._begin()
        if self._queues:
            _ALL.add(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return Threads, (self._parts,)

    def _begin(self) -> None:
        self._queues: list[queue.SimpleQueue[_Task | None]] = [queue.SimpleQueue() for _ in self._parts[1:]]
        for tasks in self._queues:
            threading.Thread(target=_run_tasks, args=(tasks,), name="uno_env", daemon=True).start()
            weakref.finalize(self, tasks.put, None)
        self._has_work = False

    def each(self, work: Work, *arguments: Any) -> None:
        """Call ``work(*arguments, first, end)`` for every part and wait for all; then raise the first failure."""
        if not self._queues:
            work(*arguments, *self._parts[0])
            return
        self.finish()
        self._has_work = True  # until all of them are done, which an interrupt does not wait for
        tasks = self._hand_over([_Task(work, (*arguments, *part)) for part in self._parts[1:]])
        try:
            work(*arguments, *self._parts[0])
        finally:
            _wait_for(tasks)  # all of them, before any failure is raised
        self._has_work = False
        for task in tasks:
            if task.error is not None:
                raise task.error

    def finish(self) -> None:
        """Wait until the threads are done with what a call that was interrupted has handed to them."""
        if self._has_work:
            _wait_for(self._hand_over([_Task(_do_nothing, ()) for _ in self._queues]))
            self._has_work = False

    def _hand_over(self, tasks: list[_Task]) -> list[_Task]:
        for task, waiting in zip(tasks, self._queues, strict=True):
            waiting.put(task)
        return tasks


def _wait_for(tasks: list[_Task]) -> None:
    for task in tasks:
        task.done.acquire()


def _do_nothing() -> None:
    """An empty task, to wait for the tasks before it."""


_ALL: "weakref.WeakSet[Threads]" = weakref.WeakSet()


def _begin_anew() -> None:
    """Begin the threads in a process that was forked: it has none but the one that forked."""
    for threads in list(_ALL):
        threads._begin()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_anew)


def _run_tasks(tasks: "queue.SimpleQueue[_Task | None]") -> None:
    while (task := tasks.get()) is not None:
        task.run()
        del task  # it holds the batch's arrays
