"""The program of the page Your first network with its changes, and how curves are saved and shown."""

from pathlib import Path

import pytest

from tools.docs import first_network
from tools.docs.first_network import ALL, CHANGES, SEEDS, WRITTEN, main, measured, program, table
from tools.docs.saved_curves import Curve, curves_table, read_curves, save_curve
from train.plots.style import Point

pytestmark = pytest.mark.adapters


def test_a_change_is_one_expression_of_the_program() -> None:
    written = program(WRITTEN)
    for name, (right, wrong) in CHANGES.items():
        assert program(name) == written.replace(right, wrong) != written


def test_an_expression_that_is_gone_or_occurs_twice_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(CHANGES, "no mask in the loss", ("gone", "here"))
    with pytest.raises(ValueError, match="'gone' occurs 0 times in the example, not once"):
        program("no mask in the loss")
    monkeypatch.setitem(CHANGES, "no mask in the loss", ("torch", "numpy"))
    with pytest.raises(ValueError, match=r"'torch' occurs [0-9]+ times in the example, not once"):
        program("no mask in the loss")


@pytest.mark.parametrize("name", ALL)
def test_the_program_runs_with_each_change(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(first_network, "FIGURES", tmp_path / "curves.json")
    monkeypatch.setattr(first_network, "OPTIONS", {"iterations": 2, "parts": 2, "deals": 4})
    assert main([name]) == 0
    assert [point.decisions for point in read_curves(tmp_path / "curves.json")[name].points] == [8_192, 16_384]


@pytest.mark.filterwarnings("ignore:The given NumPy array is not writable")
def test_changes_and_seeds_change_what_is_learnt() -> None:
    assert all(program(name) == program(WRITTEN) for name in SEEDS)
    curves = [measured(name, iterations=2, parts=1, deals=200).points for name in ALL]
    assert len({points[-1].win_rate for points in curves}) == len(curves)


def test_the_page_has_a_row_for_each() -> None:
    assert [row.split(" | ")[0] for row in table().splitlines()[2:]] == [f"| {name}" for name in ALL]


def test_curves_are_kept_by_name(tmp_path: Path) -> None:
    file = tmp_path / "curves.json"
    assert read_curves(file) == {}
    one, two = (Curve(90.0, [Point(10, 0.25, 0.2, 0.3), Point(1_000, rate, rate - 0.01, rate + 0.01)])
                for rate in (0.5, 0.625))  # fmt: skip
    save_curve(file, "a", two)
    save_curve(file, "b", two)
    save_curve(file, "a", one)
    assert read_curves(file) == {"a": one, "b": two}
    assert curves_table(read_curves(file), "program").splitlines()[2:] == [
        "| a | 1,000 | 50.0 ± 1.0 | 1.5 |",
        "| b | 1,000 | 62.5 ± 1.0 | 1.5 |",
    ]
