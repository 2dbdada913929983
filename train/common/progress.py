"""Progress of long work on the standard error, and durations."""

import contextlib
import itertools
import sys
from collections.abc import Callable, Iterator

from uno_env.common.progress import progress_bar

__all__ = ["clock", "counter", "counting", "progress_bar"]


def clock(seconds: float) -> str:
    """A duration as ``h:mm:ss``."""
    minutes, seconds = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02d}:{seconds:02d}"


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
