"""The warning of environments to learn in where hands hardly end."""

import warnings
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest

import uno_env
from tests.helpers.marks import thorough
from uno_env import Rules
from uno_env.actions import DRAW
from uno_env.envs import hand_length
from uno_env.envs.hand_length import HandLengthCheck
from uno_env.envs.sb3 import UnoVecEnv

BOTH = r'choose rules without it \(rules="starter", or voluntary_draw=False\) or take a small cost, such as 0.002, off'


class Hoarder:
    """An agent that draws whenever it may."""

    def act_batch(self, observations: Any, masks: Any) -> Any:
        return np.where(masks[:, DRAW], DRAW, masks.argmax(axis=1))


def hoarding(mask: Any) -> Any:
    return np.where(mask[..., DRAW], DRAW, mask.argmax(axis=-1))


def play_pettingzoo(rules: Any, decisions: int) -> None:
    env = uno_env.env(rules)
    env.reset(seed=0)
    for _ in range(decisions):
        observation, _, terminated, truncated, _ = env.last()
        if terminated or truncated:
            env.reset()
        else:
            env.step(int(hoarding(observation["action_mask"])))


def play_gymnasium(rules: Any, decisions: int) -> None:
    env = gymnasium.make("uno_env/Uno-v0", rules=rules, opponents=Hoarder())
    _, info = env.reset(seed=0)
    for _ in range(decisions // 2):
        *_, terminated, truncated, info = env.step(int(hoarding(info["action_mask"])))
        if terminated or truncated:
            _, info = env.reset()


def play_many(rules: Any, decisions: int) -> None:
    envs = gymnasium.make_vec("uno_env/Uno-v0", num_envs=4, rules=rules, opponents=Hoarder())
    _, infos = envs.reset(seed=0)
    for _ in range(decisions // 8):
        infos = envs.step(hoarding(infos["action_mask"]))[-1]


def play_sb3(rules: Any, decisions: int) -> None:
    envs = UnoVecEnv(4, rules, opponents=Hoarder())
    envs.reset()
    for _ in range(decisions // 8):
        envs.step(hoarding(envs.action_masks()))


DOORS = [play_pettingzoo, play_gymnasium, play_many, play_sb3]


@pytest.fixture(autouse=True)
def _few_decisions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hand_length, "FIRST_DECISIONS", 2_000)


@pytest.mark.parametrize("play", DOORS)
def test_a_door_where_hands_do_not_end_warns_once_and_names_both_cures(play: Callable[[Any, int], None]) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        play("duel", 10_000)
    (warning,) = [each for each in caught if each.category is UserWarning]
    assert "hands take more than 500 decisions on average" in str(warning.message)
    with pytest.raises(AssertionError, match=BOTH):
        raise AssertionError(warning.message)


@pytest.mark.parametrize("play", DOORS)
@pytest.mark.parametrize("rules", ["starter", *thorough(Rules.preset("duel", max_decisions=400))])
def test_a_door_where_hands_end_is_silent(play: Callable[[Any, int], None], rules: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        play(rules, 10_000)


def test_hands_of_matches_are_counted_before_the_match_is_over() -> None:
    rules = Rules(players=2, voluntary_draw=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        envs = gymnasium.make_vec("uno_env/Uno-v0", num_envs=4, rules=rules, match=True)
        _, infos = envs.reset(seed=0)
        for _ in range(1_500):
            infos = envs.step(infos["action_mask"].argmax(axis=1))[-1]


def test_an_episode_that_an_illegal_action_ends_counts_as_one() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for envs in (gymnasium.make_vec("uno_env/Uno-v0", num_envs=4), UnoVecEnv(4, illegal_action="terminate")):
            envs.reset()
            for _ in range(2_000):
                envs.step(np.zeros(4, np.int64))


def test_many_games_are_given_the_time_that_a_long_hand_takes() -> None:
    check = HandLengthCheck(Rules.preset("duel"), num_games=100)
    check.decisions = 199_999
    assert not check.is_due
    check.decisions = 200_000
    assert check.is_due


def test_without_voluntary_drawing_the_cost_alone_is_named() -> None:
    check = HandLengthCheck(Rules.preset("house", voluntary_draw=False))
    check.decisions = 20_000
    with pytest.warns(UserWarning, match="too many to learn from: take a small cost, such as 0.002, off"):
        check.warn_if_due()
