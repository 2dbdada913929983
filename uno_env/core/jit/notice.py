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
        is_worker = multiprocessing.parent_process() is not None
        if self._depth == 0 or is_worker or sys.stderr is None or (self._announced and not sys.stderr.isatty()):
            return
        print(LATER if self._announced else FIRST, file=sys.stderr, flush=True)
        self._announced = True
        self._wait(REPEAT)


NOTICE = Notice()
"""The one of this process."""
event.register("numba:compile", NOTICE)
