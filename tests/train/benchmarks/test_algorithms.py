"""train/benchmarks/algorithms.py: what is trained and measured, kept, gone on with, summed up and drawn."""

import json
import os
import shutil
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sb3_contrib")

from tests.project.saved_figures import ALGORITHMS, algorithms_tables, save
from train.benchmarks import algorithms as contest
from train.benchmarks.algorithms import jobs, markdown, measure, prepare, quartiles
from train.benchmarks.plans import AlgorithmsPlan
from train.benchmarks.tracks import OPPONENTS, TRACKS
from train.plots.algorithms import median_curve, plot_algorithms
from train.plots.draw import plot
from train.runs.config import read_yaml
from train.runs.learner import DivergedError
from train.runs.run import Run

pytestmark = pytest.mark.adapters

SIZES = {"hidden": "[8]", "num_envs": "16", "num_steps": "16", "minibatch_size": "256"}
PLAN = AlgorithmsPlan("duel-2p", 1_000, algorithms=("ppo", "sb3_ppo"), seeds=2, deals=4, curve_deals=2, threads=1,
            changes=SIZES)  # fmt: skip
ORIGIN = {"command": "uno benchmark algorithms", "versions": {}}


@pytest.fixture(autouse=True)
def _few_points(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contest, "PARTS", 2)


def files(folder: Path) -> dict[str, float]:
    """When each file below a folder was written."""
    return {str(path): path.stat().st_mtime_ns for path in folder.glob("*/*") if path.is_file()}


def test_all_are_trained_measured_kept_and_shown(tmp_path: Path) -> None:
    folder = tmp_path / "saved"
    told = measure(PLAN, folder, ORIGIN)
    assert [(run["algorithm"], run["seed"]) for run in told["runs"]] == jobs(PLAN)
    assert {row["algorithm"]: (row["seeds"], row["failed"]) for row in told["summary"]} == {
        "ppo": (2, 0),
        "sb3_ppo": (2, 0),
    }
    for run in told["runs"]:
        config = read_yaml(folder / f"{run['algorithm']}-s{run['seed']}" / "config.yaml")
        assert (config["seed"], config["total_timesteps"], config["hidden"]) == (run["seed"], 1_000, [8])
        assert 1_000 <= run["decisions"] < 2_500
        assert run["decisions_per_second"] == pytest.approx(run["decisions"] / run["seconds"], rel=0.01)
        assert [each["opponent"] for each in run["ladder"]] == list(OPPONENTS)
        assert {(each["seed"], each["deals"]) for each in run["ladder"]} == {(0, 4)}
        curve = run["curve"]
        assert 1 <= len(curve) <= 2
        assert [point["decisions"] for point in curve] == sorted({point["decisions"] for point in curve})
        assert curve[-1]["decisions"] == run["decisions"]
        assert 0 < curve[0]["seconds"] <= curve[-1]["seconds"] <= run["seconds"] + 1e-3
        assert set(curve[0]["win_rates"]) == set(OPPONENTS)
    row = told["summary"][0]
    runs = [run for run in told["runs"] if run["algorithm"] == row["algorithm"]]
    strengths = [np.mean([each["win_rate"] for each in run["ladder"]]) for run in runs]
    assert row["strength"] == pytest.approx(quartiles(strengths))
    assert row["strength"][1] == max(row["strength"][1] for row in told["summary"])
    written = json.loads((folder / "algorithms.json").read_text())
    assert written == json.loads(json.dumps({**ORIGIN, "algorithms": told}))
    assert (folder / "algorithms.md").read_text() == markdown(told) + "\n"

    before = files(folder)
    assert measure(PLAN, folder, ORIGIN)["runs"] == told["runs"]
    assert files(folder) == before, "nothing is done again"
    more = measure(replace(PLAN, algorithms=("ppo",), seeds=3), folder, ORIGIN)
    assert more["runs"][:2] == [run for run in told["runs"] if run["algorithm"] == "ppo"]
    assert len(more["runs"]) == 3

    drawn = plot_algorithms(told, tmp_path / "drawn")
    assert [file.suffix for file in drawn] == [".png", ".svg"]
    assert all(file.stat().st_size > 10_000 for file in drawn)
    file = tmp_path / "measured.json"
    file.write_text(json.dumps({**ORIGIN, "algorithms": told}))
    assert [path.name for path in plot([file], tmp_path)] == ["measured.png", "measured.svg"]
    figures = tmp_path / "figures"
    assert algorithms_tables(figures) == "Not measured yet."
    save(file, figures)
    assert markdown(told) in algorithms_tables(figures)
    save(file, figures)
    assert list(json.loads((figures / ALGORITHMS).read_text())) == ["duel-2p"]


def test_stopped_it_goes_on_with_the_run_that_was_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = replace(PLAN, algorithms=("ppo",), seeds=1)
    straight = measure(plan, tmp_path / "straight", ORIGIN)
    progress, asked = Run.progress, []

    def stopping(run: Run, decisions: int) -> float:
        if decisions == 512 and not asked:
            asked.append(decisions)
            os.kill(os.getpid(), signal.SIGINT)
        return progress(run, decisions)

    monkeypatch.setattr(Run, "progress", stopping)
    with pytest.raises(KeyboardInterrupt, match=r"Interrupted; 0 of 1 parts are saved\. The same command goes on"):
        measure(plan, tmp_path / "stopped", ORIGIN)
    monkeypatch.setattr(Run, "progress", progress)
    run = tmp_path / "stopped" / "ppo-s0"
    assert list((run / "checkpoints").iterdir())
    assert not (run / contest.MEASURED).exists()
    again = measure(plan, tmp_path / "stopped", ORIGIN)
    assert len((run / "command.txt").read_text().splitlines()) == 2
    rates = [[each["win_rate"] for each in told["runs"][0]["ladder"]] for told in (straight, again)]
    assert rates[0] == rates[1]
    assert again["runs"][0]["decisions"] == straight["runs"][0]["decisions"]


def test_what_was_begun_and_left_without_a_checkpoint_is_begun_again(tmp_path: Path) -> None:
    plan = replace(PLAN, algorithms=("ppo",), seeds=1)
    prepare(plan, tmp_path)
    (tmp_path / "ppo-s0").mkdir()
    (tmp_path / "ppo-s0" / "config.yaml").write_text("algorithm: ppo")
    measure(plan, tmp_path, ORIGIN)
    assert {path.name for path in tmp_path.iterdir() if path.is_dir()} == {"ppo-s0"}


def test_a_run_that_fails_does_not_stop_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    train = Run.train

    def failing(run: Run, *others: Any) -> Path:
        if run.config.seed == 0:
            raise DivergedError("the numbers are not finite")
        return train(run, *others)

    monkeypatch.setattr(Run, "train", failing)
    told = measure(replace(PLAN, algorithms=("ppo",)), tmp_path, ORIGIN)
    assert told["runs"][0]["failed"] == "the numbers are not finite"
    (row,) = told["summary"]
    assert (row["seeds"], row["failed"]) == (1, 1)
    assert "| `ppo` (1 failed) | " in markdown(told)
    shutil.rmtree(tmp_path / "ppo-s1")
    alone = measure(replace(PLAN, algorithms=("ppo",), seeds=1), tmp_path, ORIGIN)
    assert "| `ppo` (1 failed) |  |" in markdown(alone)
    with pytest.raises(ValueError, match="there is no learning curve"):
        plot_algorithms(alone, tmp_path / "none")


def test_minutes_are_a_budget_too(tmp_path: Path) -> None:
    plan = replace(PLAN, decisions=0, minutes=0.01, algorithms=("ppo",), seeds=1)
    (run,) = measure(plan, tmp_path, ORIGIN)["runs"]
    assert run["decisions"] > 0
    assert 0 < run["seconds"] < 30
    config = read_yaml(tmp_path / "ppo-s0" / "config.yaml")
    assert (config["max_minutes"], config["total_timesteps"]) == (0.01, contest.NO_LIMIT)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"track": "duel"}, "track 'duel' is not allowed: there are duel-2p, classic-2p, classic-4p, house-4p"),
        ({"algorithms": ("sarsa",)}, "algorithm 'sarsa' is not allowed on duel-2p: choose from ppo, dmc, mmd"),
        ({"algorithms": ()}, "there are no algorithms to measure"),
        ({"decisions": 0}, "a budget is needed"),
        ({"minutes": 1.0}, "a budget is needed: decisions or minutes"),
        ({"changes": {"seed": "4"}}, "--seed is not allowed: the benchmark sets 'seed' itself"),
        ({"changes": {"hidden": "[0]"}}, r"hidden=\[0\] is not allowed"),
        ({"changes": {"clip_range": "0.1"}, "algorithms": ("ppo", "dmc")}, "unknown key 'clip_range'"),
        ({"deals": 5}, "holds another benchmark: it has deals=4 instead of 5; give the same arguments to go on"),
    ],
)
def test_what_is_no_benchmark_is_refused_before_anything_is_trained(
    tmp_path: Path, changes: dict[str, Any], sentence: str
) -> None:
    prepare(PLAN, tmp_path / "saved")
    with pytest.raises(ValueError, match=sentence):
        prepare(replace(PLAN, **changes), tmp_path / "saved")
    assert [path.name for path in (tmp_path / "saved").iterdir()] == ["study.json"]


def test_curves_are_medians_and_quartiles_over_seeds() -> None:
    runs = [
        {"curve": [{"decisions": at, "win_rates": {"a": rate, "b": rate + 0.2}} for at, rate in zip(*run, strict=True)]}
        for run in (([10, 20], [0.1, 0.2]), ([10, 30], [0.3, 0.5]), ([10, 20, 25], [0.5, 0.5, 0.6]))
    ]
    places, low, middle, high = median_curve(runs, "decisions")
    assert places.tolist() == [10, 20]
    assert middle == pytest.approx([0.4, 0.5])
    assert low == pytest.approx([0.3, 0.4])
    assert high == pytest.approx([0.5, 0.55])


def test_nobody_trains_against_the_ladder() -> None:
    """What plays against its judges in training would have an advantage."""
    for track in TRACKS.values():
        for algorithm in AlgorithmsPlan().algorithms:
            assert not set(read_yaml(track.config(algorithm)).get("opponents", ())) & set(OPPONENTS)
