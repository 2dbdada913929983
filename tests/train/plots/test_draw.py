"""``uno plot``: learning curves over seeds, cross tables; what cannot be drawn is refused in one sentence."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from tests.helpers.marks import thorough
from train.plots.draw import plot
from train.plots.runs import _grouped, mean_curve, plot_runs
from train.plots.style import Point, learning_curves
from train.plots.tournament import plot_tournament

pytestmark = pytest.mark.adapters


def texts(svg: Path) -> str:
    """What is written in a picture: matplotlib draws letters as paths, and keeps the text as a comment."""
    return "\n".join(re.findall(r"<!-- (.*?) -->", svg.read_text()))


def make_run(folder: Path, rates: dict[str, list[float]], **config: Any) -> Path:
    """A run's folder with evaluations every 100 decisions."""
    folder.mkdir()
    (folder / "config.yaml").write_text(yaml.safe_dump({"algorithm": "ppo", "rules": "duel", "seed": 0, **config}))
    evaluations = [
        {"opponent": name, "win_rate": rate, "low": rate - 0.02, "high": rate + 0.02, "trained_decisions": 100 * number}
        for name, values in rates.items()
        for number, rate in enumerate(values, 1)
    ]
    (folder / "metrics.jsonl").write_text("")
    (folder / "table.json").write_text(json.dumps({"evaluations": evaluations}))
    return folder


def tournament(agents: int = 3) -> dict[str, Any]:
    """A report of a tournament; the second of the agents is the best."""
    names = ["a", "b & <b>", "c", "d", "e"][:agents]
    rates = [
        [None if row == column else 0.5 + 0.1 * (row - column) for column in range(agents)] for row in range(agents)
    ]
    lows = [[None if cell is None else cell - 0.02 for cell in row] for row in rates]
    highs = [[None if cell is None else cell + 0.02 for cell in row] for row in rates]
    elo = {"elo": 10.0, "low": -5.0, "high": 25.0}
    return {
        "agents": [{"name": name, "rating": {"bradley_terry": elo}} for name in names],
        "ranking": [names[1], names[0], *names[2:]],
        "cross": {"par": 0.5, "win_rate": rates, "low": lows, "high": highs},
        "games": 1200,
        "players": 2,
    }


def test_a_single_run_keeps_its_interval() -> None:
    run = [Point(1, 0.5, 0.4, 0.6)]
    assert mean_curve([run]) == run


def test_intervals_over_seeds() -> None:
    runs = [[Point(100, rate, 0, 1), Point(200, rate, 0, 1)] for rate in (0.4, 0.5, 0.6)]
    half = 4.303 * 0.1 / 3**0.5
    for point in mean_curve(runs):
        assert (point.win_rate, point.low, point.high) == pytest.approx((0.5, 0.5 - half, 0.5 + half), abs=1e-4)
    wide = mean_curve([[Point(1, 0.0, 0, 1)], [Point(1, 1.0, 0, 1)]])[0]
    assert (wide.low, wide.high) == (0, 1), "an interval of a share ends at 0 and 1"


def test_runs_that_were_measured_at_different_places() -> None:
    long = [Point(100, 0.1, 0, 1), Point(200, 0.2, 0, 1), Point(300, 0.3, 0, 1)]
    short = [Point(150, 0.15, 0, 1), Point(250, 0.25, 0, 1)]
    assert [point.decisions for point in mean_curve([long, short])] == [150, 200, 250]
    assert [point.win_rate for point in mean_curve([long, short])] == pytest.approx([0.15, 0.2, 0.25])


def test_runs_are_grouped_by_what_matters() -> None:
    configs = [{"algorithm": "ppo", "seed": seed, "name": f"run-{seed}", "clip": 0.2} for seed in (1, 2)]
    assert _grouped(configs) == {"ppo": [0, 1]}
    assert _grouped([*configs, {"algorithm": "ppo", "seed": 1, "clip": 0.1}]) == {
        "ppo, clip=0.2": [0, 1],
        "ppo, clip=0.1": [2],
    }
    assert _grouped([*configs, {"algorithm": "dqn", "clip": 0.2}]) == {"ppo": [0, 1], "dqn": [2]}


@pytest.mark.parametrize(
    "evaluation",
    ["x", None, 5, {}, {"opponent": []}, {"win_rate": "x"}, {"win_rate": None}, {"win_rate": 10**400}, {"win_rate": []},
     {"trained_decisions": 10**400}, {"trained_decisions": float("inf")}, {"opponent": "\ud800"}],
)  # fmt: skip
@pytest.mark.parametrize("number", [1, 2])
def test_runs_with_values_that_nobody_measured_are_one_sentence(evaluation: Any, number: int, tmp_path: Path) -> None:
    runs = [make_run(tmp_path / f"{seed}", {"greedy": [0.3, 0.4]}, seed=seed) for seed in range(number)]
    table = json.loads((runs[0] / "table.json").read_text())
    first = table["evaluations"][0]
    table["evaluations"][0] = {**first, **evaluation} if evaluation and isinstance(evaluation, dict) else evaluation
    (runs[0] / "table.json").write_text(json.dumps(table))
    with pytest.raises(ValueError, match=r"cannot be drawn|has no learning curve that can be read|must not|surrogate"):
        plot(runs, tmp_path / "out")


def test_curves_are_drawn_with_their_seeds(tmp_path: Path) -> None:
    runs = [make_run(tmp_path / f"{seed}", {"greedy": [0.3, 0.4 + 0.01 * seed]}, seed=seed) for seed in (1, 2)]
    assert learning_curves(runs[0])["greedy"][1].decisions == 200
    png, svg = plot_runs(runs, tmp_path / "same")
    assert png.read_bytes().startswith(b"\x89PNG")
    assert "ppo, mean of 2 seeds" in texts(svg)
    other = make_run(tmp_path / "other", {"greedy": [0.2], "random": [0.9]}, clip_range=0.1)
    written = texts(plot_runs([*runs, other], tmp_path / "two")[1])
    assert "v greedy" in written
    assert "v random" in written
    assert "ppo, clip_range=0.1" in written


def test_runs_that_cannot_be_compared(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", {"greedy": [0.3]})
    with pytest.raises(ValueError, match="different rules"):
        plot_runs([run, make_run(tmp_path / "four", {"greedy": [0.3]}, rules="classic")], tmp_path / "x")
    with pytest.raises(ValueError, match="never evaluated"):
        plot_runs([make_run(tmp_path / "blind", {})], tmp_path / "x")
    with pytest.raises(ValueError, match=r"lacks config\.yaml"):
        plot_runs([tmp_path], tmp_path / "x")


@pytest.mark.parametrize("agents", [*thorough(2), 5])
def test_a_cross_table_is_written_in_its_cells(tmp_path: Path, agents: int) -> None:
    written = texts(plot_tournament(tournament(agents), tmp_path / "table")[1])
    assert "Tournament of" in written
    assert "a  2" in written, "the second of the ranking"
    assert written.count("±2.0") == agents * (agents - 1)
    assert written.count("+10") == agents


def test_everything_at_once(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", {"greedy": [0.3, 0.4]})
    (tmp_path / "cross.json").write_text(json.dumps({"command": "", "tournament": tournament()}))
    files = plot([run, tmp_path / "cross.json"], tmp_path / "plots")
    stems = ("learning_curves", "cross")
    assert [file.name for file in files] == [f"{stem}.{kind}" for stem in stems for kind in ("png", "svg")]
    assert all(file.stat().st_size > 5_000 for file in files)


@pytest.mark.thorough
def test_a_curve_that_begins_before_the_training_says_so(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", {"greedy": [0.3, 0.4]})
    table = json.loads((run / "table.json").read_text())
    assert "untrained" not in texts(plot([run], tmp_path)[1])
    table["evaluations"][0]["trained_decisions"] = 0
    (run / "table.json").write_text(json.dumps(table))
    assert "decisions (at 0: untrained, its actions drawn)" in texts(plot([run], tmp_path)[1])


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([], "no table"),
        ({"evaluations": []}, "nothing that `uno tournament` or `uno benchmark` writes"),
        ({"tournament": {}}, "lacks 'agents'"),
        ({"tournament": {**tournament(), "ranking": ["x"]}}, "lacks 'x'"),
        ({"tournament": 3}, "cannot be drawn"),
    ],
)
def test_what_cannot_be_drawn(tmp_path: Path, values: Any, words: str) -> None:
    file = tmp_path / "file.json"
    file.write_text(json.dumps(values))
    with pytest.raises(ValueError, match=re.escape(words)) as caught:
        plot([file], tmp_path)
    assert "file.json" in str(caught.value)


def test_black_and_white(tmp_path: Path) -> None:
    """Cells of different win rates differ in lightness, in the same order."""
    from train.plots.tournament import _COLOURS

    lightness = np.dot(_COLOURS(np.linspace(0, 1, 20))[:, :3], (0.299, 0.587, 0.114))
    assert (np.diff(lightness) > 0.01).all()
