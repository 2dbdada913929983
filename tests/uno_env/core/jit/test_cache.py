"""uno_env/core/jit/cache.py: processes that compile at the same time share one cache."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

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


FIRST_GAME = "import uno_env; print(uno_env.BatchedGames(4, rules='duel', seed=1).reset()[0].sum())"


@pytest.mark.slow
@pytest.mark.parametrize("attempt", range(5))
def test_two_processes_play_their_first_game_at_once(tmp_path: Path, attempt: int) -> None:
    environment = {**os.environ, "UNO_ENV_CACHE_DIR": str(tmp_path / "cache"), "NUMBA_DISABLE_JIT": "0"}
    line = [sys.executable, "-c", FIRST_GAME]
    piped = {"env": environment, "text": True, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    both = [subprocess.Popen(line, **piped) for _ in range(2)]  # type: ignore[call-overload]
    printed = [process.communicate()[0] for process in both]
    assert [process.returncode for process in both] == [0, 0]
    done = subprocess.run([*line[:-1], f"{FIRST_GAME}; {COUNT}"], env=environment, capture_output=True, text=True)
    assert printed == [done.stdout.splitlines()[0] + "\n"] * 2
    assert done.stdout.splitlines()[1] == "0"


COUNT = "from uno_env.core.jit.notice import NOTICE; print(NOTICE.compiled)"
KERNELS = """
from uno_env.core.jit.njit import njit

def adder(step):
    @njit
    def add(number):
        return number + step
    return add

adders = [adder(step) for step in range(7)]
"""
RUN_ALL = """
import sys; sys.path.insert(0, sys.argv[1])
import kernels
from uno_env.core.jit.notice import NOTICE
print([add(1) for add in kernels.adders], NOTICE.compiled)
"""


def _run_all(folder: Path) -> str:
    environment = {**os.environ, "UNO_ENV_CACHE_DIR": str(folder / "cache"), "NUMBA_DISABLE_JIT": "0"}
    line = [sys.executable, "-c", RUN_ALL, str(folder)]
    return subprocess.run(line, env=environment, capture_output=True, text=True, check=True).stdout.strip()


def test_what_is_torn_or_of_another_function_is_compiled_anew(tmp_path: Path) -> None:
    (tmp_path / "kernels.py").write_text(KERNELS)
    right = [1, 2, 3, 4, 5, 6, 7]
    assert _run_all(tmp_path) == f"{right} 7"
    assert _run_all(tmp_path) == f"{right} 0"
    files = sorted((tmp_path / "cache").rglob("*.nbc"))
    contents = [file.read_bytes() for file in files]
    damaged = [
        contents[0][:-1],
        contents[1][: len(contents[1]) // 2],
        b"",
        b"garbage",
        contents[4].replace(b"add", b"bad"),
        contents[6],
        contents[5],
    ]
    for file, content in zip(files, damaged, strict=True):
        file.write_bytes(content)
    assert _run_all(tmp_path) == f"{right} 7"
    assert _run_all(tmp_path) == f"{right} 0"


def test_what_cannot_be_saved_is_compiled_each_time(tmp_path: Path) -> None:
    """As on a full disk: here something else has the name of the file."""
    (tmp_path / "kernels.py").write_text(KERNELS)
    expected = _run_all(tmp_path)
    for file in (tmp_path / "cache").rglob("*.nbc"):
        file.unlink()
        (file / "within").mkdir(parents=True)
    assert _run_all(tmp_path) == expected
    assert [file.name for file in (tmp_path / "cache").rglob("*.tmp")] == []


UNNAMED = """
import sys
from uno_env.core.jit.njit import njit
from uno_env.core.jit.notice import NOTICE

source = "@njit\\ndef part(number):\\n    return number." + sys.argv[1]
exec(compile(source, "<a cell of a notebook>", "exec"))
print(part(1 + 2j), NOTICE.compiled)
"""


def test_functions_that_are_in_no_file_are_told_apart(tmp_path: Path) -> None:
    def run(part: str) -> str:
        environment = {**os.environ, "UNO_ENV_CACHE_DIR": str(tmp_path / "cache"), "NUMBA_DISABLE_JIT": "0"}
        line = [sys.executable, "-c", UNNAMED, part]
        return subprocess.run(line, env=environment, capture_output=True, text=True, check=True).stdout.strip()

    assert [run(part) for part in ("real", "imag", "real", "imag")] == ["1.0 1", "2.0 1", "1.0 0", "2.0 0"]


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
