"""uno_env/core/jit/cache.py: processes that compile at the same time share one cache."""

import os
import subprocess
import sys
from pathlib import Path

KERNEL = """
from uno_env.core.jit.njit import njit

@njit
def double(number):
    return number + number
"""
SCRIPT = "import sys; sys.path.insert(0, sys.argv[1]); import kernel; print(kernel.double({argument}))"


def _start(folder: Path, argument: str) -> "subprocess.Popen[str]":
    environment = {**os.environ, "UNO_ENV_CACHE_DIR": str(folder / "cache"), "NUMBA_DISABLE_JIT": "0"}
    line = [sys.executable, "-c", SCRIPT.format(argument=argument), str(folder)]
    return subprocess.Popen(line, env=environment, stdout=subprocess.PIPE, text=True)


def test_each_process_gets_the_code_of_its_own_signature(tmp_path: Path) -> None:
    (tmp_path / "kernel.py").write_text(KERNEL)
    expected = {"1": "2", "1.5": "3.0", "1j": "2j", "True": "2"}
    for _ in range(2):  # the second time from the cache
        processes = {argument: _start(tmp_path, argument) for argument in expected}
        assert {argument: process.communicate()[0].strip() for argument, process in processes.items()} == expected
    assert len({path.name for path in (tmp_path / "cache").rglob("*.nbc")}) == len(expected)


def test_what_is_compiled_is_read_by_the_next_process(tmp_path: Path) -> None:
    (tmp_path / "kernel.py").write_text(KERNEL)
    _start(tmp_path, "1").wait()
    (first,) = (tmp_path / "cache").rglob("*.nbc")
    written = first.stat().st_mtime_ns
    assert _start(tmp_path, "1").communicate()[0].strip() == "2"
    assert [path.stat().st_mtime_ns for path in (tmp_path / "cache").rglob("*.nbc")] == [written]


FIRST = """
from uno_env.core.jit.njit import njit

@njit
def first(numbers, index):
    return numbers[index]
"""
FAR = """
import sys; sys.path.insert(0, sys.argv[1])
import numpy as np, kernel
try:
    kernel.first(np.zeros(2), 2)
except IndexError:
    print("out of bounds")
"""


def test_code_that_checks_bounds_has_a_cache_of_its_own(tmp_path: Path) -> None:
    """Or a process that asks for checks would be served code without them, and others would be slow."""
    (tmp_path / "kernel.py").write_text(FIRST)
    for checks, expected in (("0", ""), ("1", "out of bounds"), ("0", "")):
        environment = {**os.environ, "UNO_ENV_CACHE_DIR": str(tmp_path / "cache"), "NUMBA_DISABLE_JIT": "0"}
        line = [sys.executable, "-c", FAR, str(tmp_path)]
        run = subprocess.run(
            line, env={**environment, "NUMBA_BOUNDSCHECK": checks}, capture_output=True, text=True, check=True
        )
        assert run.stdout.strip() == expected
