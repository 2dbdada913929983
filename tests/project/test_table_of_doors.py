"""What differs between the doors is as the page says; those of other libraries are compared in tests/adapters."""

from typing import Any

import gymnasium
import numpy as np
import pytest

import uno_env
from tests.helpers.doors import Door, Seen, doors, verify_door
from train.evaluation.duplicate import evaluate
from uno_env import BatchedGames
from uno_env.player import PlayerError
from uno_env.sb3 import UnoVecEnv


def pettingzoo(**rules: Any) -> Door:
    env = uno_env.env(**rules)
    env.reset(seed=1)

    def step(action: int) -> Any:
        env.step(action if env.agents and not env.terminations[env.agent_selection] else None)
        return [*env.rewards.values()], any(env.terminations.values())

    return Door(
        env.unwrapped.rules, lambda: {"observation": Seen(env.observe(env.agent_selection), "observation")}, step
    )


def gym(**rules: Any) -> Door:
    env: Any = gymnasium.make("uno_env/Uno-v0", **rules)
    told = dict(zip(("observation", "info"), env.reset(seed=1), strict=True))

    def step(action: int) -> Any:
        told["observation"], reward, terminated, _, told["info"] = env.step(action)
        return reward, terminated

    return Door(env.unwrapped.rules, lambda: dict(told), step)


def gym_vector(**rules: Any) -> Door:
    envs: Any = gymnasium.make_vec("uno_env/Uno-v0", num_envs=1, **rules)
    told = dict(zip(("observation", "infos"), envs.reset(seed=1), strict=True))

    def step(action: int) -> Any:
        told["observation"], rewards, terminations, _, told["infos"] = envs.step([action])
        return rewards[0], bool(terminations[0])

    return Door(envs.unwrapped.rules, lambda: dict(told), step)


def sb3(**rules: Any) -> Door:
    env = UnoVecEnv(1, **rules, seed=1)
    told = {"observation": env.reset(), "env": env}

    def step(action: int) -> Any:
        told["observation"], rewards, dones, _ = env.step(np.array([action]))
        return rewards[0], bool(dones[0])

    return Door(env.rules, lambda: dict(told), step)


def batched(**rules: Any) -> Door:
    batch = BatchedGames(1, **rules, seed=1)
    told = dict(zip(("observation", "mask"), batch.reset()[:2], strict=True), batch=batch)
    assert batch.masks.dtype == bool

    def step(action: int) -> Any:
        told["observation"], told["mask"], _, reward, done = batch.step([action])
        return reward[0], bool(done[0])

    return Door(batch.rules, lambda: dict(told), step)


OURS = {
    "uno_env.env": pettingzoo,
    "gymnasium.make": gym,
    "gymnasium.make_vec": gym_vector,
    "uno_env.sb3.UnoVecEnv": sb3,
    "uno_env.BatchedGames": batched,
}


@pytest.mark.thorough
@pytest.mark.parametrize("name", OURS)
def test_a_door_does_what_the_page_says(name: str) -> None:
    verify_door(name, OURS[name])


def test_an_agent_of_ones_own_is_shown_what_the_page_says() -> None:
    _, observation, mask, _, illegal, *_ = doors()["an agent of your own"]

    def wrong(seen: Any, legal: Any) -> Any:
        assert (seen.dtype, legal.dtype) == (observation, mask)
        return legal.argmin()

    assert illegal == "is an error"
    with pytest.raises(PlayerError, match="chose an action that is not legal"):
        evaluate(wrong, "random", "duel", deals=2)


def test_no_door_is_left_out() -> None:
    assert set(doors()) == {*OURS, "uno_env.torchrl.BatchedUnoEnv", "uno_env.rllib.UnoMultiAgentEnv",
                            "an agent of your own"}  # fmt: skip
