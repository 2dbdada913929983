"""uno_env/core/jit/reach.py: machine code is made anew when anything that a function reaches changes, wherever it is.

The packages are small ones of the test's own, and copies of the project's, whose sources can be changed.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import agents
import uno_env
from agents.search import play_out
from uno_env.core.jit.njit import INTERPRETED
from uno_env.core.jit.reach import reached_digest

MAIN = """
import far.kernel as kernels
from near.own import half
from uno_env.core.jit.njit import njit

@njit
def work(number):
    return half(number) + kernels.double(number) + kernels.OFFSET

print(work(8))
"""
SOURCES = {
    "near/own.py": "from uno_env.core.jit.njit import njit\n@njit\ndef half(number):\n    return number / 2\n",
    "far/kernel.py": (
        "from far.theirs import FACTOR, OFFSET\nfrom uno_env.core.jit.njit import njit\n"
        "@njit\ndef double(number):\n    return number * FACTOR\n"
    ),
    "far/theirs.py": "FACTOR = 2\nOFFSET = 0\n",
    "near/script.py": MAIN,
}


def _run(folder: Path, *arguments: str) -> str:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), str(Path(uno_env.__file__).parents[1])])}
    environment |= {"UNO_ENV_CACHE_DIR": str(folder / "cache"), "NUMBA_DISABLE_JIT": "0"}
    line = [sys.executable, *arguments]
    return subprocess.run(line, env=environment, cwd=folder, capture_output=True, text=True, check=True).stdout.strip()


def _compiled(folder: Path) -> set[Path]:
    return set((folder / "cache").rglob("*.nbc"))


@pytest.mark.parametrize(
    ("file", "old", "new", "expected"),
    [
        ("near/own.py", "number / 2", "number / 4", "18.0"),
        ("far/kernel.py", "number * FACTOR", "number * FACTOR * 2", "36.0"),
        ("far/theirs.py", "FACTOR = 2", "FACTOR = 3", "28.0"),
        ("far/theirs.py", "OFFSET = 0", "OFFSET = 1", "21.0"),
    ],
)
def test_a_change_in_another_package_is_seen(tmp_path: Path, file: str, old: str, new: str, expected: str) -> None:
    for name, text in SOURCES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    assert _run(tmp_path, "-m", "near.script") == "20.0"
    before = _compiled(tmp_path)
    assert _run(tmp_path, "-m", "near.script") == "20.0"
    assert _compiled(tmp_path) == before
    (tmp_path / file).write_text((tmp_path / file).read_text().replace(old, new))
    assert _run(tmp_path, "-m", "near.script") == expected
    assert _compiled(tmp_path) > before


DIGEST = """
from agents.search import play_out
from uno_env.core.jit.reach import reached_digest
print(reached_digest(getattr(play_out, "py_func", play_out)))
"""


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copies of the packages that the compiled playout is made of."""
    folder = tmp_path_factory.mktemp("packages")
    for package in (uno_env, agents):
        source = Path(package.__file__).parent
        shutil.copytree(source, folder / source.name, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


@pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")
@pytest.mark.parametrize(
    "file",
    [
        "agents/scripted/tuned.py",
        "agents/scripted/dispatch.py",
        "agents/scripted/observation_reader.py",
        "agents/search/playout.py",
        "uno_env/core/rules/points.py",
        "uno_env/core/step.py",
    ],
)
def test_a_playout_knows_the_sources_of_strategies_and_rules(packages: Path, file: str) -> None:
    before = _run(packages, "-c", DIGEST)
    with (packages / file).open("a") as source:
        source.write("# changed\n")
    assert _run(packages, "-c", DIGEST) != before


@pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")
def test_what_is_reached_is_the_same_in_every_process(packages: Path) -> None:
    assert _run(packages, "-c", DIGEST) == _run(packages, "-c", DIGEST)
    assert reached_digest(play_out.py_func) == reached_digest(play_out.py_func)


def test_functions_of_one_name_differ_in_what_they_are_made_of() -> None:
    def plus(number: int) -> Callable[[int], int]:
        return lambda other: number + other

    def after(first: Callable[[int], int]) -> Callable[[int], int]:
        return lambda number: first(number) + 1

    one, two = (lambda number: number + 1), (lambda number: number + 2)
    towers = [plus(1), plus(2), after(plus(1)), after(after(plus(1))), after(plus(2)), one, two]
    assert len({reached_digest(tower) for tower in towers}) == len(towers)
    assert reached_digest(after(plus(1))) == reached_digest(after(plus(1)))
