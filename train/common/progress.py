"""Progress of long work on the standard error, and durations."""

import contextlib
import itertools
import sys
from collections.abc import Callable, Iterator


def clock(seconds: float) -> str:
    """A duration as ``h:mm:ss``."""
    minutes, seconds = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02d}:{seconds:02d}"


@contextlib.contextmanager
def progress_bar(title: str, total: int) -> Iterator[Callable[[int], None]]:
    """A bar with the time left on the standard error, silent when that is no terminal; yields a function that takes how
    much of ``total`` is done.
    """
    if not sys.stderr.isatty():
        yield lambda done: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    what, left = TextColumn("{task.description}", markup=False), TextColumn("left")
    columns = (what, BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), left)
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=total)
        yield lambda done: bar.update(task, completed=done)


def counting(progress: Callable[[int], object]) -> Callable[[object, object], None]:
    """Tells ``progress`` how many parts are done, as each is seen (:meth:`train.common.job.ResumableJob.run`)."""
    done = itertools.count(1)

    def seen(part: object, result: object) -> None:
        progress(next(done))

    return seen


@contextlib.contextmanager
def counter(what: str) -> Iterator[Callable[[int], None]]:
    """Show a growing number on standard error, if that is a terminal. Yields the function that shows a number."""
    if not sys.stderr.isatty():
        yield lambda number: None
        return
    yield lambda number: print(f"\r{number:,} {what}", end="", file=sys.stderr, flush=True)
    print("\r\x1b[K", end="", file=sys.stderr, flush=True)
