"""uno_env/core/jit/notice.py: compiling is told on the standard error, what comes from the cache is not."""

import os
import subprocess
import sys
from pathlib import Path

from uno_env.core.jit.notice import FIRST

SCRIPT = """
import sys
from uno_env.core.jit import notice
from uno_env.core.jit.njit import njit
notice.PATIENCE = notice.REPEAT = 0.0
sys.path.insert(0, sys.argv[1])
import kernel
print(kernel.total(3))
"""
KERNEL = """
from uno_env.core.jit.njit import njit

@njit
def total(number):
    result = 0
    for each in range(number):
        result += each
    return result
"""


def _run(folder: Path) -> "subprocess.CompletedProcess[str]":
    (folder / "kernel.py").write_text(KERNEL)
    environment = {**os.environ, "UNO_ENV_CACHE_DIR": str(folder / "cache"), "NUMBA_DISABLE_JIT": "0"}
    line = [sys.executable, "-c", SCRIPT, str(folder)]
    return subprocess.run(line, env=environment, capture_output=True, text=True, check=True)


def test_compiling_is_told_once_where_there_is_no_terminal_and_not_when_it_is_done(tmp_path: Path) -> None:
    """As in a notebook, in the log of a machine, and where the output goes into a file."""
    cold, warm = (_run(tmp_path) for _ in range(2))
    assert (cold.stdout, cold.stderr) == ("3\n", f"{FIRST}\n")
    assert (warm.stdout, warm.stderr) == ("3\n", "")
