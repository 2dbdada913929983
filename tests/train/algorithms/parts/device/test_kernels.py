"""Kernels of self-play on a device: every kernel compiles for the GPUs that people have."""

from typing import Any

import numpy as np
import pytest

import agents
from tests.helpers.recorded_kernels import Recorder, assert_compiles
from train.algorithms.parts import kernels
from train.algorithms.parts.device import kernels as of_opponents
from train.algorithms.parts.rollout import Rollout
from train.algorithms.parts.trainer import RolloutBuffer
from uno_env import DeviceGames
from uno_env.policy_columns import policy_actions, policy_columns

pytest.importorskip("numba_cuda", reason="needs the compiler of the extra 'gpu'")

KERNELS = sorted(
    each.name
    for each in (*vars(kernels).values(), *vars(of_opponents).values())
    if isinstance(each, (kernels.Each, kernels.Blocks)) and each is not kernels.DECIDE
)
"""All but what decides on the processor."""


@pytest.fixture(scope="module")
def bound() -> dict[str, Any]:
    """Every kernel of a rollout against a saved policy with its arguments, by its name."""
    recorder = Recorder()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("uno_env.envs.device_games.machine_of", lambda device: recorder)
        games = DeviceGames(4, "house", players=4, device="cpu", obs_dtype="uint8")
        columns, actions = policy_columns(games.rules), policy_actions(games.rules)
        buffer, rngs = RolloutBuffer.empty(16, len(columns), len(actions)), [np.random.default_rng(1)]
        recorder.bound.clear()
        rollout = Rollout(games, columns, actions, buffer, rngs, opponent_share=0.5, symmetry=True)
        rollout.set_opponents({0: lambda: agents.load("zoo:house-4p", rules=games.rules)}, 0)
        rollout.estimate_advantages(0.9, 0.0)
    return recorder.bound


def test_all_kernels_are_listed(bound: dict[str, Any]) -> None:
    assert sorted(bound) == KERNELS


@pytest.mark.parametrize("name", KERNELS)
def test_every_kernel_compiles(bound: dict[str, Any], name: str) -> None:
    assert_compiles(*bound[name])
