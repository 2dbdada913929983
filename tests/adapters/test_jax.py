"""`BatchedGames.xla`: the same games inside JAX's compiled functions, bit for bit, and what is refused there."""

import subprocess
import sys
import time
from typing import Any

import numpy as np
import pytest

from tests.helpers import ROOT
from tests.helpers.pages import run_section
from uno_env import BatchedGames
from uno_env.common.importing import import_object

jax = pytest.importorskip("jax", reason="JAX is not installed: make test-adapters")
import jax.numpy as jnp  # noqa: E402  # after the line that skips

pytestmark = pytest.mark.adapters


def first_legal(mask: Any) -> Any:
    return jnp.argmax(mask, axis=1)


def scanned(step: Any, steps: int) -> Any:
    """A compiled function of a handle and a mask: the last of both, and all that was seen."""

    def one(carry: Any, _: Any) -> Any:
        handle, mask = carry
        handle, outcome = step(handle, first_legal(mask))
        return (handle, outcome[1]), outcome

    return jax.jit(lambda handle, mask: jax.lax.scan(one, (handle, mask), None, steps))


def assert_equal(ours: Any, theirs: Any) -> None:
    for own, other in zip(ours, theirs, strict=True):
        assert own.dtype == other.dtype
        np.testing.assert_array_equal(own, other)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"obs_dtype": "uint8", "threads": 3},
        {"rules": "house", "players": 4, "match": True, "reward": "points", "obs_dtype": "uint8"},
        {"encoding": "planes"},
    ],
    ids=str,
)
def test_bit_equal_in_scan(options: dict[str, Any]) -> None:
    options = {"rules": "duel", **options}
    handle, reset, step = BatchedGames(37, seed=5, **options).xla()
    batch = BatchedGames(37, seed=5, **options)
    for seed in (None, 9):
        handle, seen = reset(handle, seed)
        expected: Any = batch.reset(seed)
        assert_equal(seen, expected)
        (handle, _), outcomes = scanned(step, 120)(handle, seen[1])
        ended = 0
        for number in range(120):
            expected = batch.step(expected[1].argmax(axis=1))
            assert_equal([array[number] for array in outcomes], expected)
            ended += expected[4].sum()
        assert ended > 0 or options.get("match")


def test_python_and_jax_play_the_same_games_in_turn() -> None:
    ours, batch = BatchedGames(8, "duel", seed=2), BatchedGames(8, "duel", seed=2)
    handle, reset, step = ours.xla()
    handle, (_, mask, _) = jax.jit(reset)(handle)
    expected: Any = batch.reset()
    for _ in range(30):
        handle, outcome = step(handle, first_legal(mask))
        expected = batch.step(expected[1].argmax(axis=1))
        assert_equal(outcome, expected)
        seen = ours.step(np.asarray(first_legal(outcome[1])))
        expected = batch.step(expected[1].argmax(axis=1))
        assert_equal(seen, expected)
        mask = jnp.array(seen[1])


def refused(call: Any, *arguments: Any) -> str:
    with pytest.raises(jax.errors.JaxRuntimeError) as caught:
        jax.block_until_ready(call(*arguments))
    return str(caught.value)


def test_what_is_refused_changes_nothing() -> None:
    batch = BatchedGames(4, "duel", seed=1)
    handle, reset, step = batch.xla()
    assert "call reset() before step()" in refused(step, handle, jnp.zeros(4, int))
    first, seen = reset(handle)
    before = batch.get_state()
    assert "action 999 is illegal in game 0" in refused(step, first, jnp.full(4, 999))
    assert (batch.get_state()["games"] == before["games"]).all()
    second, (_, after_mask, *_) = jax.block_until_ready(step(first, first_legal(seen[1])))
    after = batch.get_state()
    assert (after["games"] != before["games"]).any()
    assert "not an older one" in refused(step, first, first_legal(seen[1]))
    assert (batch.get_state()["games"] == after["games"]).all()
    jax.block_until_ready(step(second, first_legal(after_mask)))


@pytest.mark.parametrize("actions", [np.zeros(3, int), np.zeros(4), np.zeros((4, 1), int)], ids=str)
def test_actions_of_another_form(actions: Any) -> None:
    handle, _, step = BatchedGames(4, "duel").xla()
    with pytest.raises(ValueError, match=r"actions must be integers of shape \(4,\)"):
        step(handle, actions)


def test_history_is_refused() -> None:
    with pytest.raises(ValueError, match="does not show the history"):
        BatchedGames(4, "duel", history=2).xla()


def call_and_wait(step: Any, *arguments: Any) -> None:
    assert "KeyboardInterrupt" in refused(step, *arguments)
    for _ in range(500):
        time.sleep(0.01)


def test_a_step_that_is_cut_off_uses_its_handle_up(monkeypatch: pytest.MonkeyPatch) -> None:
    batch = BatchedGames(4, "duel", seed=1)
    handle, reset, step = batch.xla()
    handle, seen = reset(handle)
    stepped = batch._stepped

    def cut_off(actions: Any) -> Any:
        stepped(actions)
        raise KeyboardInterrupt

    monkeypatch.setattr(batch, "_stepped", cut_off)
    with pytest.raises(KeyboardInterrupt):
        call_and_wait(step, handle, first_legal(seen[1]))
    monkeypatch.undo()
    assert "not an older one" in refused(step, handle, first_legal(seen[1]))
    newest, _, newer_step = batch.xla()
    assert "step() was interrupted: call reset()" in refused(newer_step, newest, first_legal(seen[1]))
    handle, seen = reset(handle, 1)
    assert_equal(seen, BatchedGames(4, "duel", seed=1).reset())


def test_jax_is_loaded_only_when_asked_for() -> None:
    code = "import sys, uno_env; uno_env.BatchedGames(2, 'mini').reset(); print('jax' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False\n"


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


def test_the_page() -> None:
    run_section("docs/howto/libraries.md", "JAX")
