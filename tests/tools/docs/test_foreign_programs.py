"""Learners of other libraries, trained and measured for their page."""

from pathlib import Path

import pytest

from tools.docs import foreign_programs
from tools.docs.foreign_programs import PROGRAMS, Stopwatch, main
from tools.docs.saved_curves import read_curves
from uno_env.player import Player

pytestmark = pytest.mark.adapters


class First(Player):
    """Takes the first legal action."""

    name = "first"

    def act_batch(self, observations, masks, histories=None):
        return masks.argmax(axis=1)


def test_a_stopwatch_measures_once_a_part() -> None:
    watch = Stopwatch(seconds=0.0, parts=2, deals=4)
    assert watch.goes_on(10, First())
    assert not watch.goes_on(20, First())
    assert [point.decisions for point in watch.points] == [10, 20]
    assert Stopwatch(seconds=100.0).goes_on(10, First())


@pytest.mark.parametrize("name", PROGRAMS)
def test_each_program_trains_and_is_measured(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("rlcard", "sb3_contrib"):
        pytest.importorskip(module)
    monkeypatch.setattr(foreign_programs, "FIGURES", tmp_path / "curves.json")
    monkeypatch.setattr(foreign_programs, "Stopwatch", lambda: Stopwatch(0.2, 1, 4))
    assert main([name]) == 0
    (point,) = read_curves(tmp_path / "curves.json")[name].points
    assert point.decisions > 0


def test_an_unknown_program_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["DQN"]) == 2
    assert capsys.readouterr().err.startswith("'DQN' is none of the programs: there are MaskablePPO (sb3-contrib), ")
