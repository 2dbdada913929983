"""studies/regression.py: coefficients of planted effects, and intervals over games."""

import numpy as np
import pytest

from studies.regression import fit
from studies.snapshot import Snapshot
from studies.tables import play_alike, share
from uno_env import Rules

pytestmark = pytest.mark.adapters


def planted(seed: int, games: int = 400) -> tuple[dict[str, np.ndarray], np.ndarray]:
    chance = np.random.default_rng(seed)
    columns = {name: chance.integers(0, 4, (games, 3)).astype(float) for name in ("a", "b")}
    shared = chance.normal(size=(games, 1))  # what all seats of a game have in common
    return columns, 2 * columns["a"] - 0.5 * columns["b"] + 7 + shared + 0.3 * chance.normal(size=(games, 3))


def test_planted_effects_are_found() -> None:
    columns, outcome = planted(0)
    found = fit({**columns, "constant": np.ones((400, 3))}, outcome)
    assert set(found) == {"a", "b"}, "what does not vary has no coefficient"
    assert found["a"].low < 2 < found["a"].high
    assert found["b"].low < -0.5 < found["b"].high
    assert found["a"].half < 0.15


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    held = [fit(*planted(seed, 60))["a"] for seed in range(300)]
    assert 0.9 < np.mean([each.low < 2 < each.high for each in held]) < 0.985


def test_the_same_games_twice_over_tell_nothing_more() -> None:
    columns, outcome = planted(1)
    once = fit(columns, outcome)["a"]
    doubled = fit({name: np.hstack([each, each]) for name, each in columns.items()}, np.hstack([outcome, outcome]))["a"]
    assert doubled.mean == pytest.approx(once.mean)
    assert doubled.half == pytest.approx(once.half)


def test_a_share_has_an_interval_also_when_nothing_happened() -> None:
    none, some = share(np.zeros(100)), share(np.arange(100) < 20)
    assert none.mean == none.low == 0
    assert none.high == pytest.approx(0.0370, abs=1e-4), "Wilson's"
    assert (some.low, some.high) == pytest.approx((0.1334, 0.2888), abs=1e-4)


def test_a_snapshot_sees_each_hand_at_its_moment() -> None:
    rules = Rules.preset("duel", players=3)
    start, late = Snapshot(0, 50, rules), Snapshot(12, 50, rules)

    def watch(*seen: object) -> None:
        start(*seen)  # type: ignore[arg-type]
        late(*seen)  # type: ignore[arg-type]

    played = play_alike("tuned", rules, 50, seed=3, watch=watch)
    assert start.reached.all()
    assert (start.sizes == 7).all()
    assert (start.turn == played.starter).all()
    assert (late.reached == (played.length > 12)).all()
    assert (late.sizes[late.reached] > 0).all()
    assert not late.sizes[~late.reached].any()
