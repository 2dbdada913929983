"""What all environments take and refuse in the same way: actions, seeds, and names of arguments."""

import functools
import re
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest
import torch

import uno_env
from tests.helpers.table import Table
from uno_env import Rules, text
from uno_env.cards import parse_cards
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
    for step, game, action in doors():
        before = len(game().history)
        step(whole(action))
        assert len(game().history) > before


@pytest.mark.parametrize(
    "no_action",
    [True, np.True_, 21.0, np.float32(21), np.array([21]), torch.tensor([21]), [21], [], None, -1, 132, 10**30, "r55"],
)
def test_no_door_takes_anything_else(no_action: Any) -> None:
    for step, game, _ in doors():
        before = game().to_json()
        with pytest.raises(ValueError, match=rf"{re.escape(repr(no_action))} is no action: (give|write|ids) "):
            step(no_action)
        assert game().to_json() == before


def doors() -> Iterator[tuple[Callable[[Any], Any], Callable[[], uno_env.Game], int]]:
    """The ``step`` of each environment of a single game, the game, and a legal action."""
    ending = Rules.preset("starter", illegal_action="terminate")
    for rules in (Rules.preset("starter"), ending):
        game = uno_env.Game(rules, seed=1)
        yield game.step, lambda game=game: game, game.legal_actions()[0]  # type: ignore[misc]
    for env in (
        *(make(rules) for make in (uno_env.env, uno_env.raw_env) for rules in ("starter", ending)),
        uno_env.raw_env("starter", symmetry=True),
    ):
        env.reset(seed=1)
        action = int(env.observe(env.agent_selection)["action_mask"].argmax())
        yield env.step, lambda env=env: env.unwrapped.game, action  # type: ignore[misc]
    for options in ({}, {"symmetry": True}, *({"illegal_action": answer} for answer in ("penalty", "random", "raise"))):
        wrapped: Any = gymnasium.make("uno_env/Uno-v0", **options)
        _, info = wrapped.reset(seed=1)
        yield wrapped.step, lambda wrapped=wrapped: wrapped.unwrapped.game, int(info["action_mask"].argmax())


@pytest.mark.parametrize("seed", [5, np.int64(5), np.uint64(5)])
def test_a_seed_is_that_of_the_game_and_may_be_a_number_of_numpy(seed: Any) -> None:
    for env in single_games():
        env.reset(seed=1)
        env.reset(seed=seed)
        assert env.unwrapped.game.start().to_json() == uno_env.Game("starter", seed=5).to_json()
    envs = gymnasium.make_vec("uno_env/Uno-v0", num_envs=1)
    first = envs.reset(seed=seed)[0]
    assert np.array_equal(first, envs.reset(seed=5)[0])


def single_games() -> tuple[Any, Any]:
    return gymnasium.make("uno_env/Uno-v0", seat=0), uno_env.env("starter")


def test_the_deck_can_be_given() -> None:
    """Unknown options are let be."""
    deck = "g1 b1 g2 b2 g3 b3 g4 b4 g5 b5 g6 b6 gs b+2 g7 y9 w+4"
    for env in single_games():
        env.reset(seed=0, options={"deck": deck, "dealer": 1, "more": 1})
        table = Table.of(env.unwrapped.game)
        assert (table.hands, table.top) == (["g1 g2 g3 g4 g5 g6 gs", "b1 b2 b3 b4 b5 b6 b+2"], "g7")
        assert (table.to_move, table.pile[:6]) == (0, "y9 w+4")
        env.reset()
        assert env.unwrapped.game.hand(0) != parse_cards("g1 g2 g3 g4 g5 g6 gs")


def test_without_a_render_mode_nothing_is_rendered() -> None:
    for env in single_games():
        env.reset(seed=0)
        with pytest.warns(UserWarning, match="choose one of 'ansi', 'human', 'rgb_array', 'svg'"):
            assert env.unwrapped.render() is None


THE_DOORS = """
import sys, uno_env, gymnasium, pettingzoo
assert not {'uno_env.envs.gym_env', 'uno_env.envs.vector_env', 'agents'} & set(sys.modules)
env = gymnasium.make('uno_env/Uno-v0', rules='duel', opponents=['greedy'], seat=1, render_mode='ansi')
obs, info = env.reset(seed=1)
env.step(env.action_space.sample(info['action_mask']))
assert 'player_1 (you)' in env.render()
envs = gymnasium.make_vec('uno_env:uno_env/Uno-v0', num_envs=3)
assert envs.reset()[0].shape[0] == 3

assert 'uno_env.envs.pettingzoo_env' not in sys.modules
env = pettingzoo.make('aec', 'uno_env/uno-v0', rules='duel', render_mode='ansi')
env.reset(seed=1)
assert len(env.possible_agents) == 2 and 'Top card' in env.render()
assert pettingzoo.spec('aec', 'uno_env/uno').id == 'uno_env/uno-v0'
assert env.unwrapped.game._repr_svg_()
"""
OTHER_LIBRARIES = {
    "PIL", "cuda", "matplotlib", "numba.cuda", "open_spiel", "pyspiel", "ray", "stable_baselines3", "torch", "torchrl"
}  # fmt: skip


def test_the_doors_are_registered_by_importing_the_package_which_loads_no_other_library() -> None:
    code = f"{THE_DOORS}assert not {OTHER_LIBRARIES} & set(sys.modules)"
    subprocess.run([sys.executable, "-W", "error::UserWarning", "-c", code], check=True, timeout=120)


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
