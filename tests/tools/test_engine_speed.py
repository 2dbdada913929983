"""tools/speed/engine.py: what is measured is what is said."""

import pytest

from tools.speed import engine
from uno_env import BatchedGames

pytestmark = pytest.mark.adapters


def test_each_environment_is_measured_as_often_as_was_asked(monkeypatch):
    for name in ("GAMES", "MANY"):
        monkeypatch.setattr(engine, name, 64)
    monkeypatch.setattr(engine, "PLAYOUTS", 5)
    measured = engine.medians(engine.take_turns(engine.env_turns(0), repeats=3, seconds=0.0))
    assert set(measured) == set(engine.RUNNERS)
    for name, rates in measured.items():
        assert len(rates["turns"]) == 3, name
        assert sorted(rates["turns"])[1] == rates["median"] > 0, name


def test_a_turn_counts_the_decisions_that_were_made():
    turn = engine.batch_turn(16, "duel", 2, seed=3)
    twin = BatchedGames(16, "duel", 3, obs_dtype="uint8", players=2)
    twin.reset()
    work = turn()
    ended = 0
    for _ in range(work // 16):
        ended += int(twin.step(twin.sample_actions())[4].sum())
    assert work == 16 * engine.BATCH_STEPS
    assert ended < 16


def test_speed_is_work_by_time(monkeypatch):
    clock = iter([0.0, 1.0, 2.5, 4.0])
    monkeypatch.setattr(engine.time, "perf_counter", lambda: next(clock))
    assert engine.speed_of(lambda: 6, 3.0) == 18 / 4.0
