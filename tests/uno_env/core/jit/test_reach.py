"""uno_env/core/jit/reach.py: machine code is made anew when anything that a function reaches changes."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

import agents
import uno_env
from agents.search import play_out
from uno_env.core.jit import reach
from uno_env.core.jit.njit import INTERPRETED
from uno_env.core.jit.reach import reached_digest

SOURCES = {
    "near/script.py": """
import far
import far.kernel as kernels
import numpy as np
from far.theirs import RECORD, constants
from near.own import half
from uno_env.core.jit.njit import njit
from uno_env.core.jit.records import constants_of, record_at

at = record_at(lambda mark: RECORD)
constants_at = constants_of(lambda mark: constants())

@njit
def work(rows, key, number=8):
    found = at(rows, 0, key).second + constants_at(key).step
    return half(number) + kernels.double(number) + kernels.OFFSET + far.kernel.one() + found

def run():
    rows = np.zeros((1, 16), np.uint8)
    rows[0, 8] = 1
    return work(rows, np.zeros(1, [("mark", np.int8)])[0])
""",
    "near/own.py": "from uno_env.core.jit.njit import njit\n@njit\ndef half(number):\n    return number / 2\n",
    "far/kernel.py": """
from far.theirs import FACTOR, OFFSET
from uno_env.core.jit.njit import njit

@njit
def double(number):
    return number * FACTOR

@njit
def one():
    return 1
""",
    "far/deep.py": "def step():\n    return 0\n",
    "far/theirs.py": """
from collections import namedtuple
from functools import cache

import numpy as np
from far import deep

Constants = namedtuple("Constants", "step")

@cache
def constants():
    return Constants(deep.step())

FACTOR = 2
OFFSET = 0
RECORD = np.dtype([("first", np.int64), ("second", np.int64)])
""",
}
EDITS = [
    ("near/own.py", "number / 2", "number / 4", 20.0),
    ("near/script.py", "number=8", "number=4", 12.0),
    ("far/kernel.py", "number * FACTOR", "number * FACTOR * 2", 38.0),
    ("far/kernel.py", "return 1", "return 2", 23.0),
    ("far/theirs.py", "FACTOR = 2", "FACTOR = 3", 30.0),
    ("far/theirs.py", "OFFSET = 0", "OFFSET = 1", 23.0),
    ("far/theirs.py", '("second", np.int64)', '("second", np.int32), ("third", np.int32)', 22.0),
    ("far/theirs.py", '("first", np.int64), ("second", np.int64)', '("second", np.int64)', 21.0),
    ("far/deep.py", "return 0", "return 2", 24.0),
]


def test_a_change_in_any_source_is_seen(
    tmp_path: Path, import_anew: Callable[[str], ModuleType], newly_compiled: Callable[[], int]
) -> None:
    for name, text in SOURCES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)

    def run() -> tuple[float, bool]:
        newly_compiled()
        result = import_anew("near.script").run()
        return result, newly_compiled() > 0

    assert [run(), run()] == [(22.0, True), (22.0, False)]
    for file, old, new, expected in EDITS:
        assert SOURCES[file].count(old) == 1
        (tmp_path / file).write_text(SOURCES[file].replace(old, new))
        assert run() == (expected, True), (file, new)
        (tmp_path / file).write_text(SOURCES[file])
        assert run() == (22.0, False)


@pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")
def test_a_playout_knows_the_sources_of_strategies_and_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reach, "_own_facts", reach._own_facts.__wrapped__)
    original, before = reach._source_digest, reached_digest(play_out.py_func)
    packages = {package.__name__: Path(package.__file__).parent for package in (uno_env, agents)}
    for name in (
        "agents/scripted/tuned.py",
        "agents/scripted/dispatch.py",
        "agents/scripted/observation_reader.py",
        "agents/search/playout.py",
        "uno_env/core/rules/points.py",
        "uno_env/core/step.py",
    ):
        package, _, within = name.partition("/")
        changed = str(packages[package] / within)
        monkeypatch.setattr(
            reach, "_source_digest", lambda file, changed=changed: original(file) + str(file == changed)
        )
        seen = reached_digest(play_out.py_func)
        monkeypatch.setattr(reach, "_source_digest", lambda file: original(file) + str(False))
        assert seen != reached_digest(play_out.py_func), name
    monkeypatch.undo()
    assert reached_digest(play_out.py_func) == before


DIGEST = """
from agents.search import play_out
from uno_env.core.jit.reach import reached_digest
print(reached_digest(play_out.py_func))
"""


@pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")
def test_what_is_reached_is_the_same_in_every_process() -> None:
    other = subprocess.run([sys.executable, "-c", DIGEST], capture_output=True, text=True, check=True)
    assert other.stdout.strip() == reached_digest(play_out.py_func)


def test_functions_of_one_name_differ_in_what_they_are_made_of() -> None:
    def plus(number: int) -> Callable[[int], int]:
        return lambda other: number + other

    def after(first: Callable[[int], int]) -> Callable[[int], int]:
        return lambda number: first(number) + 1

    one, two = (lambda number: number + 1), (lambda number: number + 2)
    towers = [plus(1), plus(2), after(plus(1)), after(after(plus(1))), after(plus(2)), one, two]
    assert len({reached_digest(tower) for tower in towers}) == len(towers)
    assert reached_digest(after(plus(1))) == reached_digest(after(plus(1)))
