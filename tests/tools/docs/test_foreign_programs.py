"""Learners of other libraries, trained and measured for their page."""

from importlib import import_module
from pathlib import Path

import pytest

from tests.helpers.foreign_programs import verify_program_trains
from tools.docs import foreign_programs
from tools.docs.foreign_programs import PROGRAMS, Stopwatch, main
from tools.docs.saved_curves import read_curves
from uno_env.player import Player

pytestmark = pytest.mark.adapters
ELSEWHERE = ("PPO (TorchRL)", "PPO (RLlib)")
"""Programs whose libraries need an environment of their own; the tests of these adapters train them."""


class First(Player):
    """Takes the first legal action."""

    name = "first"

    def act_batch(self, observations, masks, histories=None):
        return masks.argmax(axis=1)


def test_a_stopwatch_measures_once_a_part() -> None:
    saved: list[list[int]] = []
    watch = Stopwatch(lambda curve: saved.append([point.decisions for point in curve.points]), 0.0, 2, 4)
    assert watch.goes_on(10, First())
    assert not watch.goes_on(20, First())
    assert saved == [[10], [10, 20]]
    assert Stopwatch(pytest.fail, seconds=100.0).goes_on(10, First())


@pytest.mark.parametrize("name", [name for name in PROGRAMS if name not in ELSEWHERE])
def test_each_program_trains_and_is_measured(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("rlcard", "sb3_contrib"):
        pytest.importorskip(module)
    verify_program_trains(name, tmp_path, monkeypatch)


def test_a_program_whose_library_is_missing_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(foreign_programs, "FIGURES", tmp_path / "curves.json")
    monkeypatch.setattr(foreign_programs, "Stopwatch", lambda save: Stopwatch(save, 0.0, 1, 4))
    measured = {"first": lambda watch: watch.goes_on(10, First())}
    monkeypatch.setattr(foreign_programs, "PROGRAMS", {"missing": lambda watch: import_module("no_such"), **measured})
    assert main([]) == 1
    error = "left out, for its library cannot be imported here: No module named 'no_such'\n"
    assert capsys.readouterr().err.endswith(error)
    assert list(read_curves(tmp_path / "curves.json")) == ["first"]
