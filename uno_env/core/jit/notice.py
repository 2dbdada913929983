"""A line on the standard error when compiling the project's functions takes a while."""

import multiprocessing
import sys
import threading
from typing import Any

from numba.core import event

from uno_env.core.jit.cache import SharedCache

PATIENCE, REPEAT = 1.0, 30.0
"""Seconds of compiling before the first line, and from one line to the next."""
FIRST = (
    "uno-env: compiling, once for this machine and version: 10 s or more for a first step, a minute or more for a "
    "first training (python -m uno_env.warm_up compiles all beforehand)"
)
LATER = "uno-env: still compiling"


class Notice(event.Listener):
    """Listens to Numba; machine code that is read from the cache on disk gives no line.

    The first line is for terminals, notebooks and logs alike; that it goes on is told in a terminal only.

    Attributes:
        compiled: how many functions were compiled by now.
    """

    def __init__(self) -> None:
        self.compiled = 0
        self._depth = 0
        self._announced = False
        self._timer: threading.Timer | None = None

    def on_start(self, started: Any) -> None:
        """Wait whether it takes long."""
        if isinstance(getattr(started.data["dispatcher"], "_cache", None), SharedCache):
            self.compiled += self._depth == 0
            self._depth += 1
            if self._depth == 1:
                self._wait(REPEAT if self._announced else PATIENCE)

    def on_end(self, ended: Any) -> None:
        """Wait no longer."""
        if isinstance(getattr(ended.data["dispatcher"], "_cache", None), SharedCache):
            self._depth -= 1
            if self._depth == 0 and self._timer is not None:
                self._timer.cancel()

    def _wait(self, seconds: float) -> None:
        self._timer = threading.Timer(seconds, self._tell)
        self._timer.daemon = True
        self._timer.start()

    def _tell(self) -> None:
        is_said_once = self._announced and sys.stderr is not None and not sys.stderr.isatty()
        if self._depth and not is_said_once and self.tell(LATER if self._announced else FIRST):
            self._announced = True
            self._wait(REPEAT)

    def tell(self, sentence: str) -> bool:
        """Print a sentence, unless this is a worker or there is no standard error, and return whether it was
        printed.
        """
        if sys.stderr is None or multiprocessing.parent_process() is not None:
            return False
        print(sentence, file=sys.stderr, flush=True)
        return True


NOTICE = Notice()
"""The one of this process."""
event.register("numba:compile", NOTICE)
