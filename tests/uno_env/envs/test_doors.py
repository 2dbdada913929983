"""What all environments take and refuse in the same way: actions, seeds, and names of arguments."""

import functools
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest
import torch

import uno_env
from uno_env import text
from uno_env.envs.sb3 import UnoVecEnv


@pytest.mark.parametrize(
    ("make", "given", "meant"),
    [
        (uno_env.env, "num_players", "players"),
        (uno_env.parallel_env, "symetry", "symmetry"),
        (functools.partial(uno_env.BatchedGames, 4), "num_players", "players"),
        (functools.partial(uno_env.BatchedGames, 4), "dtype", "obs_dtype"),
        (uno_env.Game, "num_players", "players"),
        (functools.partial(gymnasium.make, "uno_env/Uno-v0"), "num_players", "players"),
        (functools.partial(gymnasium.make, "uno_env/Uno-v0"), "opponent", "opponents"),
        (functools.partial(gymnasium.make_vec, "uno_env/Uno-v0"), "autoreset", "autoreset_mode"),
        (functools.partial(UnoVecEnv, 4), "n_envs", "num_envs"),
        (text.TextEnv, "num_players", "players"),
    ],
)
def test_an_argument_that_is_not_there_is_named_with_the_one_that_was_meant(
    make: Callable[..., Any], given: str, meant: str
) -> None:
    with pytest.raises(TypeError, match=f"has no argument '{given}' \\(did you mean '{meant}'\\?\\): there are "):
        make(**{given: 3})


@pytest.mark.parametrize("whole", [np.int64, np.uint8, np.array, torch.tensor])
def test_every_door_takes_a_whole_number_of_any_library(whole: Callable[[int], Any]) -> None:
    for step, action in doors():
        step(whole(action))


@pytest.mark.parametrize("no_action", [True, np.True_, 21.0, np.float32(21), np.array([21]), torch.tensor([21]), [21]])
def test_no_door_takes_anything_else(no_action: Any) -> None:
    for step, _ in doors():
        with pytest.raises(ValueError, match="is no action: give a whole number from 0 to 131"):
            step(no_action)


def doors() -> Iterator[tuple[Callable[[Any], Any], int]]:
    """The ``step`` of each environment of a single game, with a legal action."""
    game = uno_env.Game("starter", seed=1)
    yield game.step, game.legal_actions()[0]
    for env in (uno_env.env("starter"), uno_env.raw_env("starter"), uno_env.raw_env("starter", symmetry=True)):
        env.reset(seed=1)
        yield env.step, int(env.observe(env.agent_selection)["action_mask"].argmax())
    for wrapped in (gymnasium.make("uno_env/Uno-v0"), gymnasium.make("uno_env/Uno-v0", symmetry=True)):
        _, info = wrapped.reset(seed=1)
        yield wrapped.step, int(info["action_mask"].argmax())


@pytest.mark.parametrize("seed", [5, np.int64(5), np.uint64(5)])
def test_a_seed_may_be_a_number_of_numpy(seed: Any) -> None:
    hands = {uno_env.Game("starter", seed=5).observe(0).tobytes()}
    for env in (gymnasium.make("uno_env/Uno-v0"), uno_env.env("starter")):
        env.reset(seed=1)
        env.reset(seed=seed)
        hands.add(env.unwrapped.game.observe(0).tobytes())
    envs = gymnasium.make_vec("uno_env/Uno-v0", num_envs=1)
    first = envs.reset(seed=seed)[0]
    assert np.array_equal(first, envs.reset(seed=5)[0])
    assert len(hands) == 1


@pytest.mark.parametrize(
    ("name", "value", "instead"),
    [
        ("max_episode_steps", 5, "give rules with max_decisions, the decisions of all seats"),
        ("render_mode", "rgb_array", "draw a single game, made by gymnasium.make, or choose vectorization_mode='sync'"),
    ],
)
def test_keywords_of_a_single_game_are_refused_for_many_with_what_to_use(name: str, value: Any, instead: str) -> None:
    with pytest.raises(ValueError, match=f"^{name} is not known to many games at once: {instead}"):
        gymnasium.make_vec("uno_env/Uno-v0", num_envs=2, **{name: value})
    gymnasium.make_vec("uno_env/Uno-v0", num_envs=2, **{name: None})
    gymnasium.make_vec("uno_env/Uno-v0", num_envs=2, vectorization_mode="sync", **{name: value})


def test_arrays_of_a_batch_that_copies_are_the_callers_own() -> None:
    batch = uno_env.BatchedGames(8, "starter", seed=1, copy=True)
    views = uno_env.BatchedGames(8, "starter", seed=1)
    shown = batch.reset(), views.reset()
    before = [array.copy() for array in shown[0]]
    for _ in range(50):
        actions = views.sample_actions().copy()
        shown = batch.step(actions), views.step(actions)
        assert all(np.array_equal(mine, theirs) for mine, theirs in zip(*shown, strict=True))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for array in shown[0]:
                torch.as_tensor(array)
                array[:] = 0
    assert not any(array.flags.writeable for array in shown[1])
    assert any(array.any() for array in before)


def test_the_masks_of_a_batch_are_booleans_to_index_with() -> None:
    batch = uno_env.BatchedGames(8, "starter", seed=1)
    _, mask, _ = batch.reset()
    for _ in range(20):
        assert batch.masks.dtype == bool
        assert np.array_equal(~batch.masks, mask == 0)
        batch.step(batch.sample_actions())
    with pytest.raises(ValueError, match="read-only"):
        batch.masks[0] = True
