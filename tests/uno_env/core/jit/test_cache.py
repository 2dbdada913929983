"""uno_env/core/jit/cache.py and folders.py: what was compiled is read again, whole or not at all."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from numba.core import config

from uno_env.core.jit import folders
from uno_env.core.jit.njit import INTERPRETED, njit

Import = Callable[[str], ModuleType]
Count = Callable[[], int]

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


@pytest.mark.thorough
def test_processes_that_compile_at_once_get_their_code_and_leave_it_to_later_ones(
    tmp_path: Path, import_anew: Import, newly_compiled: Count
) -> None:
    (tmp_path / "kernel.py").write_text(KERNEL)
    expected = {"1": "2", "2": "4", "1.5": "3.0"}
    processes = {argument: _start(tmp_path, argument) for argument in expected}
    assert {argument: process.communicate()[0].strip() for argument, process in processes.items()} == expected
    assert len(list((tmp_path / "cache").iterdir())) == 2
    newly_compiled()
    assert [import_anew("kernel").double(number) for number in (3, 2.5, 1j)] == [6, 5.0, 2j]
    assert newly_compiled() == 1


FIRST_GAME = "import uno_env; print(uno_env.BatchedGames(4, rules='duel', seed=1).reset()[0].sum())"
COUNT = "from uno_env.core.jit.notice import NOTICE; print(NOTICE.compiled)"


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


KERNELS = """
from uno_env.core.jit.njit import njit

def adder(step):
    @njit
    def add(number):
        return number + step
    return add

adders = [adder(step) for step in range(7)]

def results():
    return [add(1) for add in adders]
"""


def test_what_is_torn_or_of_another_function_is_compiled_anew(
    tmp_path: Path, cache_folder: Path, import_anew: Import, newly_compiled: Count
) -> None:
    (tmp_path / "kernels.py").write_text(KERNELS)

    def run() -> int:
        newly_compiled()
        assert import_anew("kernels").results() == [1, 2, 3, 4, 5, 6, 7]
        return newly_compiled()

    assert [run(), run()] == [7, 0]
    files = sorted(cache_folder.iterdir())
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
    assert [run(), run()] == [7, 0]
    for file in files:  # nothing can be saved, as on a full disk: something else has the name
        file.unlink()
        (file / "within").mkdir(parents=True)
    assert [run(), run()] == [7, 7]
    assert sorted(cache_folder.iterdir()) == files


def test_functions_that_are_in_no_file_are_told_apart(import_anew: Import, newly_compiled: Count) -> None:
    def run(part: str) -> float:
        found = {"njit": njit, "__name__": "__main__"}
        source = f"@njit\ndef part(number):\n    return number.{part}"
        exec(compile(source, "<a cell of a notebook>", "exec"), found)
        return found["part"](1 + 2j)  # type: ignore[operator]

    newly_compiled()
    assert [(run(part), newly_compiled()) for part in ("real", "imag", "real", "imag")] == [
        (1, 1),
        (2, 1),
        (1, 0),
        (2, 0),
    ]


FIRST = """
from uno_env.core.jit.njit import njit

@njit
def first(numbers, index):
    return numbers[index]
"""


def test_code_that_checks_bounds_has_a_key_of_its_own(
    tmp_path: Path, import_anew: Import, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or a process that asks for checks would be served code without them, and others would be slow."""
    (tmp_path / "kernel.py").write_text(FIRST)
    for checks in (0, 1, 0):
        monkeypatch.setattr(config, "BOUNDSCHECK", checks)
        first = import_anew("kernel").first
        if checks:
            with pytest.raises(IndexError):
                first(np.zeros(4)[:2], 2)
        else:
            assert first(np.zeros(4)[:2], 2) == 0


def test_files_that_were_not_used_for_longest_are_deleted(
    tmp_path: Path, cache_folder: Path, import_anew: Import, newly_compiled: Count, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folders, "SAVED_FILES", 3)
    cache_folder.mkdir()
    for number in range(5):
        (cache_folder / str(number)).touch()
        os.utime(cache_folder / str(number), (number, number))
    (tmp_path / "kernel.py").write_text(KERNEL)
    import_anew("kernel").double(1)
    (code,) = cache_folder.glob("kernel*")
    assert {file.name for file in cache_folder.iterdir()} == {"2", "3", "4", code.name}
    os.utime(code, (0, 0))
    import_anew("kernel").double(1)  # which is a use
    import_anew("kernel").double(1.5)
    assert len(list(cache_folder.glob("kernel*"))) == 2
    assert {file.name for file in cache_folder.glob("[0-9]")} == {"3", "4"}


@pytest.fixture
def usual_folders(cache_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """Those of a package and a user, where nothing is chosen."""
    monkeypatch.delenv("UNO_ENV_CACHE_DIR")
    monkeypatch.setattr(folders, "CORE", tmp_path / "core")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return tmp_path / "core" / "__pycache__" / "numba", tmp_path / "home" / ".cache" / "uno_env" / "compiled"


def test_the_cache_is_in_the_package_or_else_in_that_of_the_user(usual_folders: tuple[Path, Path]) -> None:
    in_package, of_user = usual_folders
    assert folders.writable() == in_package
    assert folders.readable() == (in_package,)
    in_package.rmdir()
    in_package.write_text("a file where the folder would be")
    folders.writable.cache_clear()
    assert folders.writable() == of_user
    assert folders.readable() == (of_user,)


@pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")
def test_without_any_folder_nothing_is_kept_and_one_sentence_says_so(
    usual_folders: tuple[Path, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "core").write_text("a file where the folder would be")
    monkeypatch.setenv("HOME", str(tmp_path / "core"))
    for double in (lambda number: 2 * number, lambda number: number + number):
        assert njit(double)(2) == 4
    said = f"uno-env: compiled code is not kept: {str(usual_folders[0])!r} cannot be written (Not a directory)\n"
    assert capsys.readouterr().err == said
