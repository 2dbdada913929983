"""The examples in JAX: their games are those of the batch bit for bit; they learn, and measure."""

from typing import Any

import numpy as np
import pytest

from tests.helpers import ROOT
from uno_env import BatchedGames
from uno_env.common.importing import import_object

jax = pytest.importorskip("jax", reason="JAX is not installed: make test-adapters")

pytestmark = pytest.mark.adapters


@pytest.mark.parametrize("rules", ["duel", "house"])
def test_the_games_inside_a_scan_are_those_of_the_batch(rules: str) -> None:
    step_of = import_object(f"{ROOT}/examples/jax_ppo.py:step_of")
    inside, outside = (BatchedGames(37, rules, seed=5, obs_dtype="uint8", copy=True) for _ in "ab")
    start = inside.reset()
    step = step_of(inside, start)

    def first_legal(mask: Any, _: Any) -> Any:
        outcome = step(jax.numpy.argmax(mask, axis=1))
        return outcome[1], outcome

    _, outcomes = jax.jit(lambda mask: jax.lax.scan(first_legal, mask, None, 120))(start[1])
    seen = outside.reset()
    for number in range(120):
        seen = outside.step(seen[1].argmax(axis=1))
        for ours, theirs in zip(outcomes, seen, strict=True):
            assert ours.dtype == theirs.dtype
            np.testing.assert_array_equal(ours[number], theirs)
    assert outcomes[4].any()


def test_the_example_learns_and_measures() -> None:
    results = import_object(f"{ROOT}/examples/jax_ppo.py:main")(iterations=1, deals=4)
    assert [(result.opponent, result.games) for result in results] == [("random-play", 8), ("greedy", 8)]


def test_the_example_of_device_games_learns_and_measures() -> None:
    """Its games run on the processor here."""
    pytest.importorskip("torch", reason="PyTorch is not installed")
    main = import_object(f"{ROOT}/examples/jax_device_games.py:main")
    results = main(iterations=2, num_games=40, device="cpu", deals=4)
    assert [(result.opponent, result.games) for result in results] == [("random-play", 8), ("greedy", 8)]


def test_jax_reads_the_memory_of_device_games() -> None:
    """Observations that JAX took over once are those of each later step."""
    pytest.importorskip("torch", reason="PyTorch is not installed")
    from uno_env import DeviceGames

    games, batch = DeviceGames(40, "duel", device="cpu", obs_dtype="uint8"), BatchedGames(40, "duel", obs_dtype="uint8")
    obs, *_ = games.reset()
    batch.reset()
    array = jax.dlpack.from_dlpack(obs)
    for _ in range(3):
        seen, *_ = batch.step(batch.sample_actions())
        games.step(games.sample_actions())
        np.testing.assert_array_equal(np.asarray(array), seen)
