"""train/benchmarks/env_speed.py: what is measured is what is said, and the picture can be drawn."""

import json

import pytest

from train.benchmarks import env_speed
from train.benchmarks.plans import SpeedPlan
from train.plots.draw import plot
from uno_env import BatchedGames

pytestmark = pytest.mark.adapters


def test_the_figures_hang_together(monkeypatch, tmp_path, capsys):
    for name in ("GAMES", "MANY"):
        monkeypatch.setattr(env_speed, name, 64)
    monkeypatch.setattr(env_speed, "PLAYOUTS", 5)
    measured = json.loads(json.dumps(env_speed.measure(SpeedPlan(repeats=3, seconds=0.0))))
    assert set(measured["speeds"]) == set(env_speed.RUNNERS)
    for name, rates in measured["speeds"].items():
        assert len(rates["turns"]) == 3, name
        assert sorted(rates["turns"])[1] == rates["median"] > 0, name

    env_speed.show(measured)
    printed = capsys.readouterr().out
    assert all(label in printed for label in env_speed.RUNNERS.values())
    file = tmp_path / "speed.json"
    file.write_text(json.dumps({"speed": measured}))
    assert {path.suffix for path in plot([file], tmp_path / "plots")} == {".png", ".svg"}


def test_a_turn_counts_the_decisions_that_were_made():
    turn = env_speed.batch_turn(16, "duel", 2, seed=3)
    twin = BatchedGames(16, "duel", 3, obs_dtype="uint8", players=2)
    twin.reset()
    work = turn()
    ended = 0
    for _ in range(work // 16):
        ended += int(twin.step(twin.sample_actions())[4].sum())
    assert work == 16 * env_speed.BATCH_STEPS
    assert ended < 16


def test_speed_is_work_by_time(monkeypatch):
    clock = iter([0.0, 1.0, 2.5, 4.0])
    monkeypatch.setattr(env_speed.time, "perf_counter", lambda: next(clock))
    assert env_speed.speed_of(lambda: 6, 3.0) == 18 / 4.0
