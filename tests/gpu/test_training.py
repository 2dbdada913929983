"""Training on a GPU: it is the processor's, and it learns."""

import operator
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from agents.scripted.dispatch import STRATEGIES
from tests.helpers.failures import failing
from tests.helpers.saved_runs import assert_equal, last_checkpoint
from tests.train.algorithms.parts.device.test_rollout import RULES, Both
from tests.train.algorithms.parts.device.test_scripted_kernels import decided
from train.algorithms.ppo import PPO, PPOConfig
from train.algorithms.registry import prepare_training, train
from train.evaluation.duplicate import evaluate
from train.runs.config import find_config, make_config, read_yaml
from train.runs.learner import RunError

pytestmark = pytest.mark.gpu

DUEL = make_config(PPOConfig, read_yaml(find_config(Path("ppo_duel-2p_gpu"))))
ITERATION = 2_048 * 16
SMALL = replace(
    DUEL, name="small", num_envs=2_048, num_steps=16, minibatch_size=4_096, hidden=(32,), total_timesteps=4 * ITERATION,
    max_minutes=0.0, eval_every=0, checkpoint_every=2 * ITERATION,
)  # fmt: skip
CHANGES: list[dict[str, Any]] = [
    {},
    {"league_share": 0.5, "league_every": ITERATION},
    {"random_rules": 6, "truncated_is_lost": True},
]


@pytest.mark.parametrize("number", range(len(RULES)))
def test_the_rollout_is_the_processors(number: int) -> None:
    """Choices, chains, rewards and advantages, of a policy that draws nothing."""
    rules = RULES[number]
    both = Both(rules, symmetry=number % 2 == 0, device="cuda")
    for _ in range(3):
        mine, device = both.collect()
        assert (mine.choices, mine.hands) == (device.choices, device.hands)
        for rollout in (*both.own, both.device):
            rollout.estimate_advantages(0.9, 0.01)
        both.assert_same_choices()
        both.assert_same_states()


@pytest.mark.parametrize("name", STRATEGIES)
def test_scripted_agents_decide_as_on_the_processor(name: str) -> None:
    """But where two scores are so near that powers and logarithms, which a GPU rounds otherwise, decide."""
    actions, expected = decided(name, "cuda")
    assert sum(map(operator.ne, actions, expected)) <= 1


def test_it_learns_in_twenty_seconds() -> None:
    """Without compiling: 70 % against a beginner."""
    with PPO(DUEL) as learner:
        learner.warm_up()
        learner.iterate(0.0)
        began = time.perf_counter()
        while (seconds := time.perf_counter() - began) < 20:
            learner.iterate(seconds / 20)
            torch.cuda.synchronize()
        assert evaluate(learner.policy(), "random-play", DUEL.game_rules(), deals=5_000).win_rate > 0.7


@pytest.mark.parametrize("changes", CHANGES)
def test_a_run_resumes_and_moves_to_the_processor(
    changes: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = replace(SMALL, folder=str(tmp_path), **changes)
    with failing(monkeypatch, PPO, 3 * ITERATION):
        train(config)
    folder = tmp_path / "small"
    saved = last_checkpoint(folder)
    with PPO(config) as learner:
        learner.set_state(*saved)
        arrays, values = learner.get_state()
    assert {name: saved[1][name] for name in values} == values
    for name, array in arrays.items():
        np.testing.assert_array_equal(array, saved[0][name], err_msg=name)
    for device, iterations in (("cuda", 4), ("cpu", 5), ("cuda", 6)):
        prepare_training(folder, {"device": device, "total_timesteps": iterations * ITERATION})()
        assert last_checkpoint(folder)[1]["decisions"] == iterations * ITERATION


@pytest.mark.parametrize("changes", CHANGES)
def test_graphs_do_what_python_does(changes: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same games and weights; both runs have the learning rate as a tensor."""
    config = replace(SMALL, folder=str(tmp_path), cuda_graphs=True, total_timesteps=12 * ITERATION, **changes)
    recorded = train(replace(config, name="recorded"))
    monkeypatch.setattr("train.algorithms.parts.graphs.WARM_UP", 10**9)
    straight = train(replace(config, name="straight"))
    (ours, _), (expected, _) = map(last_checkpoint, (recorded, straight))
    assert_equal(ours, expected)


def test_too_little_memory_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"^the GPU has too little memory for num_envs=4000000, .*: choose less$"):
        train(replace(SMALL, folder=str(tmp_path), num_envs=4_000_000, num_steps=1_000))
