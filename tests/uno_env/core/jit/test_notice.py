"""uno_env/core/jit/notice.py: compiling is told on the standard error, what comes from the cache is not."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from uno_env.core.jit.notice import FIRST

SCRIPT = """
import sys, threading
from numba.core import event
from uno_env.core.jit import notice
from uno_env.core.jit.njit import njit
notice.PATIENCE = 0.0
sys.path.insert(0, sys.argv[1])
import kernel

class Asking(event.Listener):
    def on_start(self, started):
        if started.data["name"].startswith("assembly"):
            notice.NOTICE._tell()

    def on_end(self, ended):
        pass

event.register("numba:run_pass", Asking())

def watch():
    while not over.wait(0.001):
        seen.add(notice.NOTICE.is_slow)

seen, over = {notice.NOTICE.is_slow}, threading.Event()
watching = threading.Thread(target=watch)
watching.start()
print(kernel.total(3))
over.set()
watching.join()
print(*sorted(seen), notice.NOTICE.is_slow)
"""
KERNEL = """
from uno_env.core.jit.njit import njit

@njit
def twice(number):
    return number + number

@njit
def total(number):
    result = 0
    for each in range(number):
        result += twice(each)
    return result
"""


def _run(folder: Path) -> "subprocess.CompletedProcess[str]":
    (folder / "kernel.py").write_text(KERNEL)
    environment = {**os.environ, "UNO_ENV_CACHE_DIR": str(folder / "cache"), "NUMBA_DISABLE_JIT": "0"}
    line = [sys.executable, "-c", SCRIPT, str(folder)]
    return subprocess.run(line, env=environment, capture_output=True, text=True, check=True)


@pytest.mark.thorough
def test_a_compile_tells_which_function_of_how_many_and_one_that_is_read_from_disk_nothing(tmp_path: Path) -> None:
    cold, warm = (_run(tmp_path) for _ in range(2))
    first, compiling, assembling, compiled = cold.stderr.splitlines()
    assert (cold.stdout, first) == ("6\nFalse True False\n", FIRST)
    assert re.fullmatch(r"uno-env: compiling total: [01] of 2 functions in \d+ s", compiling)
    assert re.fullmatch(r"uno-env: compiling total: machine code of all 2 functions in \d+ s", assembling)
    assert re.fullmatch(r"uno-env: compiled total in \d+ s", compiled)
    assert (warm.stdout, warm.stderr) == ("6\nFalse False\n", "")
