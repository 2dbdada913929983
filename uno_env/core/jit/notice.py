"""A line on the standard error when compiling the project's functions takes a while."""

import multiprocessing
import sys
import threading
from typing import Any

from numba.core import event

from uno_env.core.jit.cache import SharedCache

PATIENCE, REPEAT = 1.0, 30.0
"""Seconds of compiling before the first line, and from one line to the next."""
FIRST = "uno-env: compiling, once for this machine and version; about 10 s for a first step, more for training"
LATER = "uno-env: still compiling"


class Notice(event.Listener):
    """Listens to Numba; machine code that is read from the cache on disk gives no line.

    Attributes:
        always: whether to tell also where the standard error is no terminal.
        compiled: how many functions were compiled by now.
    """

    def __init__(self) -> None:
        self.always = False
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
        if self._depth == 0 or is_worker or not (self.always or (sys.stderr is not None and sys.stderr.isatty())):
            return
        print(LATER if self._announced else FIRST, file=sys.stderr, flush=True)
        self._announced = True
        self._wait(REPEAT)


NOTICE = Notice()
"""The one of this process."""
event.register("numba:compile", NOTICE)
