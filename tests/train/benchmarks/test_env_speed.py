"""train/benchmarks/env_speed.py: what is measured is what is said, the figures hang together, and the picture can be
drawn."""

import io
import json

import pytest
from rich.console import Console

from train.benchmarks import env_speed, turns
from train.benchmarks.plans import SpeedPlan
from train.plots.draw import plot
from uno_env import BatchedGames
from uno_env.observation import OBSERVATION_SIZE

pytestmark = pytest.mark.adapters

FIND_COMPILED = """
import os, pathlib
found = pathlib.Path(os.environ["UNO_ENV_CACHE_DIR"], "compiled")
print(0.5 if found.exists() else 8.0)
found.touch()
"""
QUICK = {
    "GAMES": 64,
    "PLAYOUTS": 5,
    "MEMORY_GAMES": 4096,
    "CURVE_GAMES": (64, 4096),
    "CURVE_PLAYERS": (3,),
    "_START": FIND_COMPILED,
}


def test_the_figures_hang_together(monkeypatch, tmp_path):
    for name, value in QUICK.items():
        for module in (env_speed, turns):
            monkeypatch.setattr(module, name, value, raising=hasattr(module, name))
    measured = json.loads(json.dumps(env_speed.measure(SpeedPlan(repeats=3, seconds=0.0))))
    assert set(measured["speeds"]) == set(env_speed.RUNNERS)
    assert [(line["ours"], line["peer"]) for line in measured["ratios"]] == [line[:2] for line in env_speed.LINES]
    for name, rates in measured["speeds"].items():
        assert len(rates["turns"]) == 3, name
        assert sorted(rates["turns"])[1] == rates["median"] > 0, name
    for line in measured["ratios"]:
        pairs = zip(*(measured["speeds"][line[side]]["turns"] for side in ("ours", "peer")), strict=True)
        assert line["ratio"] == sorted(ours / theirs for ours, theirs in pairs)[1]
    assert measured["start"] == {"cold": 8.0, "warm": 0.5}
    assert measured["memory"]["all"] > measured["memory"]["record"] + OBSERVATION_SIZE
    assert [row["games"] for row in measured["curves"]["games"]] == [64, 4096]
    assert [row["players"] for row in measured["curves"]["players"]] == [3]

    output = io.StringIO()
    env_speed.show(measured, Console(file=output, width=160))
    assert "RLCard" in output.getvalue()
    file = tmp_path / "speed.json"
    file.write_text(json.dumps({"speed": measured}))
    assert {path.suffix for path in plot([file], tmp_path / "plots")} == {".png", ".svg"}


def test_a_peer_that_is_missing_is_left_out(monkeypatch):
    monkeypatch.setattr(turns.importlib.util, "find_spec", lambda name: None)
    found = turns.env_turns(0)
    assert set(env_speed.RUNNERS) - set(found) == {"rlcard", "rlcard_playouts", "open_spiel"}
    ratios = env_speed._ratios({name: [1.0] for name in found})
    assert [line["peer"] for line in ratios] == ["many"]


def test_a_turn_counts_the_decisions_that_were_made():
    turn = turns.batch_turn(16, "duel", 2, seed=3)
    twin = BatchedGames(16, "duel", 3, obs_dtype="uint8", players=2)
    twin.reset()
    work = turn()
    ended = 0
    for _ in range(work // 16):
        ended += int(twin.step(twin.sample_actions())[4].sum())
    assert work == 16 * turns.BATCH_STEPS
    assert ended < 16


def test_speed_is_work_by_time(monkeypatch):
    clock = iter([0.0, 1.0, 2.5, 4.0])
    monkeypatch.setattr(turns.time, "perf_counter", lambda: next(clock))
    assert turns.speed_of(lambda: 6, 3.0) == 18 / 4.0
