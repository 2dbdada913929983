"""Lines on the standard error when compiling the project's functions takes a while."""

import multiprocessing
import sys
import threading
import time
from typing import Any

from numba.core import event

from uno_env.core.jit.cache import SharedCache
from uno_env.core.jit.reach import num_compiled

PATIENCE, REPEAT = 1.0, 10.0
"""Seconds of compiling a function before the first line, and from one line to the next."""
FIRST = "uno-env: compiling, once for this machine and version (python -m uno_env.warm_up compiles all beforehand)"


class Notice(event.Listener):
    """Listens to Numba; machine code that is read from the cache on disk gives no line.

    Attributes:
        compiled: how many functions that Python calls were compiled by now.
        within: how many were compiled by now for the one that is being compiled, itself included.
    """

    def __init__(self) -> None:
        self.compiled = self.within = 0
        self._depth = 0
        self._function: Any = None
        self._began = 0.0
        self._announced = self._told = self._is_translated = False
        self._timer: threading.Timer | None = None

    def on_start(self, started: Any) -> None:
        """Wait whether it takes long."""
        if started.kind == "numba:run_pass":
            self._is_translated |= started.data["name"].startswith("assembly ")
        elif isinstance(getattr(started.data["dispatcher"], "_cache", None), SharedCache):
            self._depth += 1
            if self._depth == 1:
                self._function, self._began = started.data["dispatcher"].py_func, time.monotonic()
                self.within, self._told, self._is_translated = 0, False, False
                self._wait(PATIENCE)

    def on_end(self, ended: Any) -> None:
        """Wait no longer."""
        if ended.kind == "numba:compile" and isinstance(getattr(ended.data["dispatcher"], "_cache", None), SharedCache):
            self._depth -= 1
            self.within += 1
            if self._depth == 0 and self._timer is not None:
                self._timer.cancel()
                if not any(ended._exc_details or ()):  # Numba's own `is_failed` answers the opposite
                    self.compiled += 1
                    if self._told:
                        self.tell(f"uno-env: compiled {self._function.__name__} in {self._seconds()}")

    @property
    def is_slow(self) -> bool:
        """True if a function is being compiled, and takes a while."""
        return self._depth > 0 and time.monotonic() - self._began >= PATIENCE

    def _seconds(self) -> str:
        return f"{time.monotonic() - self._began:.0f} s"

    def _wait(self, seconds: float) -> None:
        self._timer = threading.Timer(seconds, self._tell)
        self._timer.daemon = True
        self._timer.start()

    def _tell(self) -> None:
        if self._depth and (self._announced or self.tell(FIRST)):
            self._announced = self._told = True
            every = num_compiled(self._function)
            done = "machine code of all" if self._is_translated else f"{min(self.within, every)} of"
            self.tell(f"uno-env: compiling {self._function.__name__}: {done} {every} functions in {self._seconds()}")
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
event.register("numba:run_pass", NOTICE)
