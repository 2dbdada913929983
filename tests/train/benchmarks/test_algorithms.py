"""train/benchmarks/algorithms.py: what is trained and measured, saved, resumed, compared and drawn."""

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

from tests.helpers.plots import styles
from tools.docs.saved_figures import comparison_tables, save_comparison
from train.benchmarks import algorithms as contest
from train.benchmarks.algorithms import jobs, markdown, measure, prepare
from train.benchmarks.comparison import quartiles
from train.benchmarks.plans import RunPlan
from train.common.suite import read_suite
from train.evaluation.scores import REFERENCES, Score, read_scores, scores_of
from train.plots.algorithms import draw_aggregate, draw_track, median_curve, plot_algorithms
from train.plots.draw import plot
from train.runs.config import read_yaml
from train.runs.learner import DivergedError, Learner
from train.runs.run import Run

pytestmark = pytest.mark.adapters

SIZES = {"hidden": "[8]", "num_envs": "16", "num_steps": "16", "minibatch_size": "256"}
PLAN = RunPlan(("duel-2p",), decisions=1_000, algorithms=("ppo", "sb3_ppo"), seeds=2, deals=4, curve_deals=2, threads=1,
            changes=SIZES)  # fmt: skip
ORIGIN = {"command": "uno benchmark run", "versions": {}}

OPPONENTS = [each.name for each in read_suite().track("duel-2p").opponents]


@pytest.fixture(autouse=True)
def _few_points(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contest, "PARTS", 2)


def files(folder: Path) -> dict[str, float]:
    """When each file of a run was written."""
    return {str(path): path.stat().st_mtime_ns for path in folder.glob("*/*/*") if path.is_file()}


def trained(report: dict[str, Any]) -> list[dict[str, Any]]:
    """The runs."""
    return list(report["runs"])


def final(run: dict[str, Any]) -> list[dict[str, Any]]:
    return [score for score in run["scores"] if score["final"]]


def test_all_are_trained_measured_saved_and_shown(tmp_path: Path) -> None:
    folder = tmp_path / "saved"
    report = measure(PLAN, folder, ORIGIN)
    assert [(run["track"], run["algorithm"], run["seed"]) for run in report["runs"]] == jobs(PLAN)
    rows = report["tracks"]["duel-2p"]["summary"]
    assert {row["algorithm"]: (row["seeds"], row["failed"]) for row in rows} == {"ppo": (2, 0), "sb3_ppo": (2, 0)}
    for run in trained(report):
        config = read_yaml(folder / "duel-2p" / f"{run['algorithm']}-s{run['seed']}" / "config.yaml")
        assert (config["seed"], config["total_timesteps"], config["hidden"]) == (run["seed"], 1_000, [8])
        assert 700 < run["decisions"] <= 1_000
        assert run["decisions_per_second"] == pytest.approx(run["decisions"] / run["seconds"], rel=0.01)
        assert [each["opponent"] for each in final(run)] == OPPONENTS
        assert {(each["deals"], each["decisions"]) for each in final(run)} == {(4, run["decisions"])}
        curve = [each for each in run["scores"] if not each["final"] and each["opponent"] == OPPONENTS[0]]
        assert 1 <= len(curve) <= 2
        assert [point["decisions"] for point in curve] == sorted({point["decisions"] for point in curve})
        assert curve[-1]["decisions"] == run["decisions"]
        assert 0 < curve[0]["seconds"] <= curve[-1]["seconds"] <= run["seconds"] + 1e-3
        assert len(run["scores"]) == len(OPPONENTS) * (len(curve) + 1)
    runs = [run for run in report["runs"] if run["algorithm"] == rows[0]["algorithm"]]
    strengths = [float(np.mean([each["win_rate"] for each in final(run)])) for run in runs]
    assert rows[0]["strength"] == pytest.approx(quartiles(strengths))
    assert rows[0]["strength"][1] == max(row["strength"][1] for row in rows)
    written = json.loads((folder / "algorithms.json").read_text())
    assert written == json.loads(json.dumps({**ORIGIN, "algorithms": report}))
    assert (folder / "algorithms.md").read_text() == markdown(report) + "\n"
    assert read_scores([folder / "scores.jsonl"]) == scores_of(report)

    before = files(folder)
    assert measure(PLAN, folder, ORIGIN)["runs"] == report["runs"]
    assert files(folder) == before, "nothing is done again"
    more = measure(replace(PLAN, algorithms=("ppo",), seeds=3), folder, ORIGIN)
    assert trained(more)[:2] == [run for run in report["runs"] if run["algorithm"] == "ppo"]
    assert len(trained(more)) == 3

    drawn = plot_algorithms(scores_of(report), tmp_path / "drawn")
    stems = ("drawn-duel-2p", "drawn-aggregate")
    assert [file.name for file in drawn] == [stem + suffix for stem in stems for suffix in (".png", ".svg")]
    assert all(file.stat().st_size > 10_000 for file in drawn)
    file = tmp_path / "measured.json"
    file.write_text(json.dumps({**ORIGIN, "algorithms": report}))
    names = ["measured-duel-2p.png", "measured-duel-2p.svg", "measured-aggregate.png", "measured-aggregate.svg"]
    assert [path.name for path in plot([file], tmp_path)] == names
    names = [name.replace("measured", "scores") for name in names]
    assert [path.name for path in plot([folder / "scores.jsonl"], tmp_path)] == names
    save_comparison([file], "algorithms", tmp_path, tmp_path)
    published = comparison_tables("algorithms", tmp_path, tmp_path).splitlines()
    assert {line for line in markdown(report).splitlines() if line.startswith("|")} < set(published)


def test_variants_of_an_algorithm_are_compared(tmp_path: Path) -> None:
    variants = ("ppo", "ppo?symmetry=false&n_epochs=1", "ppo?n_epochs=1")
    report = measure(replace(PLAN, algorithms=variants, seeds=1), tmp_path, ORIGIN)
    assert {row["algorithm"] for row in report["tracks"]["duel-2p"]["summary"]} == set(variants)
    configs = [read_yaml(file) for file in sorted((tmp_path / "duel-2p").glob("*/config.yaml"))]
    assert [(each["symmetry"], each["n_epochs"]) for each in configs] == [(True, 2), (True, 1), (False, 1)]


def test_several_tracks_are_compared_together(tmp_path: Path) -> None:
    plan = replace(PLAN, tracks=("duel-2p", "classic-4p"), algorithms=("ppo",), seeds=1)
    report = measure(plan, tmp_path, ORIGIN)
    assert list(report["tracks"]) == ["duel-2p", "classic-4p"]
    assert {score.players for score in scores_of(report) if score.track == "classic-4p"} == {4}
    assert report["aggregate"]["tracks"] == ["classic-4p", "duel-2p"]
    assert list(report["aggregate"]["iqm"]) == ["ppo"]
    assert "**classic-4p, duel-2p together**" in markdown(report)


def test_stopped_it_goes_on_with_the_run_that_was_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = replace(PLAN, algorithms=("ppo",), seeds=1)
    straight = measure(plan, tmp_path / "straight", ORIGIN)
    progress, asked = Run.progress, []

    def stopping(run: Run, learner: Learner) -> float:
        if learner.decisions == 512 and not asked:
            asked.append(learner)
            os.kill(os.getpid(), signal.SIGINT)
        return progress(run, learner)

    monkeypatch.setattr(Run, "progress", stopping)
    with pytest.raises(KeyboardInterrupt, match=r"Interrupted; 0 of 1 parts are saved\. The same command goes on"):
        measure(plan, tmp_path / "stopped", ORIGIN)
    monkeypatch.setattr(Run, "progress", progress)
    run = tmp_path / "stopped" / "duel-2p" / "ppo-s0"
    assert list((run / "checkpoints").iterdir())
    assert not (run / contest.MEASURED).exists()
    again = measure(plan, tmp_path / "stopped", ORIGIN)
    assert len((run / "command.txt").read_text().splitlines()) == 2
    runs = [trained(report)[0] for report in (straight, again)]
    assert [each["win_rate"] for each in final(runs[0])] == [each["win_rate"] for each in final(runs[1])]
    assert runs[0]["decisions"] == runs[1]["decisions"]


def test_what_was_begun_and_left_without_a_checkpoint_is_begun_again(tmp_path: Path) -> None:
    plan = replace(PLAN, algorithms=("ppo",), seeds=1)
    prepare(plan, tmp_path)
    run = tmp_path / "duel-2p" / "ppo-s0"
    run.mkdir(parents=True)
    (run / "config.yaml").write_text("algorithm: ppo")
    measure(plan, tmp_path, ORIGIN)
    assert (run / contest.MEASURED).is_file()
    assert {path.name for path in run.parent.iterdir()} == {"ppo-s0"}


def test_a_run_that_fails_does_not_stop_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    train = Run.train

    def failing(run: Run, *others: Any) -> Path:
        if run.config.seed == 0:
            raise DivergedError("the numbers are not finite")
        return train(run, *others)

    monkeypatch.setattr(Run, "train", failing)
    report = measure(replace(PLAN, algorithms=("ppo",)), tmp_path, ORIGIN)
    assert trained(report)[0]["failed"] == "the numbers are not finite"
    (row,) = report["tracks"]["duel-2p"]["summary"]
    assert (row["seeds"], row["failed"]) == (1, 1)
    assert "| `ppo` (1 failed) | " in markdown(report)
    shutil.rmtree(tmp_path / "duel-2p" / "ppo-s1")
    alone = measure(replace(PLAN, algorithms=("ppo",), seeds=1), tmp_path, ORIGIN)
    assert "| `ppo` (1 failed) | 0 |  |" in markdown(alone)
    with pytest.raises(ValueError, match="there is no learning curve"):
        plot_algorithms(scores_of(alone), tmp_path / "none")


def test_minutes_are_a_budget_too(tmp_path: Path) -> None:
    plan = replace(PLAN, decisions=0, minutes=0.01, algorithms=("ppo",), seeds=1)
    (run,) = trained(measure(plan, tmp_path, ORIGIN))
    assert run["decisions"] > 0
    assert 0 < run["seconds"] < 30
    config = read_yaml(tmp_path / "duel-2p" / "ppo-s0" / "config.yaml")
    assert (config["max_minutes"], config["total_timesteps"]) == (0.01, contest.NO_LIMIT)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (
            {"tracks": ("duel",)},
            "track 'duel' is not allowed .did you mean 'duel-2p'.*: there are duel-2p, .*, house-4p, rlcard-2p",
        ),
        ({"algorithms": ("sarsa",)}, "algorithm='sarsa' is not allowed: choose one of 'ppo', 'dmc', 'mmd'"),
        ({"algorithms": ("response",)}, "algorithm 'response' is not allowed on duel-2p: choose from ppo, dmc, mmd"),
        ({"algorithms": ()}, "there are no algorithms to measure"),
        ({"decisions": 0}, "a budget is needed"),
        ({"minutes": 1.0}, "a budget is needed: decisions or minutes"),
        ({"changes": {"seed": "4"}}, "--seed is not allowed: the benchmark sets 'seed' itself"),
        ({"changes": {"hidden": "[0]"}}, r"hidden=\[0\] is not allowed"),
        ({"changes": {**SIZES, "clip_range": "0.1"}, "algorithms": ("ppo", "dmc")}, "unknown key 'clip_range'"),
        ({"algorithms": ("ppo?seed=4",)}, "--seed is not allowed: the benchmark sets 'seed' itself"),
        ({"algorithms": ("ppo?colour=1",)}, "unknown key 'colour'"),
        ({"algorithms": ("ppo?n_epochs",)}, "has the option 'n_epochs' without a value: write option=value"),
        ({"algorithms": ("pppo?n_epochs=1",)}, "'pppo'"),
        ({"deals": 5}, "holds another benchmark: it has deals=4 instead of 5; give the same arguments to go on"),
    ],
)
def test_what_is_no_benchmark_is_refused_before_anything_is_trained(
    tmp_path: Path, changes: dict[str, Any], sentence: str
) -> None:
    prepare(PLAN, tmp_path / "saved")
    with pytest.raises(ValueError, match=sentence):
        prepare(replace(PLAN, **changes), tmp_path / "saved")
    assert {path.name for path in (tmp_path / "saved").iterdir()} - {".lock"} == {"study.json"}


def test_curves_are_medians_and_quartiles_over_seeds() -> None:
    scores = [
        Score("ppo", "duel-2p", seed, opponent, rate + more, 0, 1, 2, 2, at, 0, False)
        for seed, run in enumerate((([10, 20], [0.1, 0.2]), ([10, 30], [0.3, 0.5]), ([10, 20, 25], [0.5, 0.5, 0.6])))
        for at, rate in zip(*run, strict=True)
        for opponent, more in (("a", 0), ("b", 0.2))
    ]
    places, low, middle, high = median_curve(scores, "decisions")
    assert places.tolist() == [10, 20]
    assert middle == pytest.approx([0.4, 0.5])
    assert low == pytest.approx([0.3, 0.4])
    assert high == pytest.approx([0.5, 0.55])


def test_nobody_trains_against_the_opponents() -> None:
    """What plays against its judges in training would have an advantage."""
    for track in ("duel-2p", "classic-2p", "classic-4p", "house-4p", "rlcard-2p"):
        for algorithm in RunPlan().algorithms:
            assert not set(read_yaml(contest.config_file(algorithm, track)).get("opponents", ())) & set(OPPONENTS)


def test_an_algorithm_has_the_same_style_in_every_plot() -> None:
    """Whatever their order: one plot shows the strongest first, the other the one that was named first."""
    rates = {"random-play": 0.3, "tuned": 0.6, "weak": 0.4, "strong": 0.5, "elsewhere": 0.45}
    scores = [
        Score(name, track, 0, "greedy", rate, 0.0, 1.0, 10, 2, 0 if name in REFERENCES else 1_000 + final, 1.0, final)
        for track in ("duel-2p", "classic-2p")
        for name, rate in rates.items()
        for final in ((True,) if name in REFERENCES else (False, True))
        if (name, track) != ("elsewhere", "classic-2p")
    ]

    figure = draw_aggregate(scores)
    aggregate = styles(figure.axes[2])
    assert list(aggregate) == ["strong", "weak"]
    drawn = {label for panel in figure.axes for label in panel.get_legend_handles_labels()[1]}
    assert drawn == {"strong", "weak"}, "elsewhere has no score on classic-2p"
    for track in ("duel-2p", "classic-2p"):
        curves = styles(draw_track(track, scores).axes[0])
        assert aggregate.items() <= curves.items()
    without_curves = draw_aggregate([score for score in scores if score.final])
    assert styles(without_curves.axes[2]) == aggregate
    assert [axes.get_title() for axes in without_curves.axes] == [
        "IQM", "probability that the row improves on the column", "performance profiles",
    ]  # fmt: skip
