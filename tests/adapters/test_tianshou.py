"""Tianshou's own wrapper on the PettingZoo environment, as it is: its trainer runs on real hands."""

from typing import Any

import numpy as np
import pytest

import uno_env
from tests.helpers.pages import run_section
from uno_env.actions import NUM_ACTIONS

pytest.importorskip("tianshou", reason="Tianshou is not installed: make test-adapters")
pytestmark = pytest.mark.adapters
QUICK = {"preset": "duel", "hand_size": 3, "voluntary_draw": False}
"""Rules under which random play soon goes out."""


def wrapped(**arguments: Any) -> Any:
    """The environment in Tianshou's wrapper."""
    from tianshou.env import PettingZooEnv

    return PettingZooEnv(uno_env.env(**arguments))


def test_a_hand_by_random_legal_actions() -> None:
    env, chance = wrapped(rules=QUICK, players=3), np.random.default_rng(1)
    seen, _ = env.reset(seed=1)
    rewards, over = [0.0], False
    while not over:
        assert seen["agent_id"] == env.env.agent_selection
        assert len(seen["mask"]) == NUM_ACTIONS
        seen, rewards, terminated, truncated, _ = env.step(int(chance.choice(np.flatnonzero(seen["mask"]))))
        over = terminated or truncated
    assert max(rewards) == 1
    assert sum(rewards) == pytest.approx(0, abs=1e-6)


def test_its_trainer_trains_dqn_against_a_random_player() -> None:
    import torch
    from tianshou.algorithm import DQN
    from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
    from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm
    from tianshou.algorithm.optim import AdamOptimizerFactory
    from tianshou.algorithm.random import MARLRandomDiscreteMaskedOffPolicyAlgorithm
    from tianshou.data import Collector, VectorReplayBuffer
    from tianshou.env import DummyVectorEnv
    from tianshou.trainer import OffPolicyTrainerParams
    from tianshou.utils.net.common import Net

    torch.manual_seed(0)
    np.random.seed(0)  # noqa: NPY002  (Tianshou's random player draws from there)
    env = wrapped(rules=QUICK)
    net = Net(state_shape=env.observation_space["observation"].shape, action_shape=NUM_ACTIONS, hidden_sizes=[64])
    policy = DiscreteQLearningPolicy(model=net, action_space=env.action_space, eps_training=0.2)
    learner = DQN(policy=policy, optim=AdamOptimizerFactory(lr=1e-3), target_update_freq=100)
    other = MARLRandomDiscreteMaskedOffPolicyAlgorithm(env.action_space)
    both = MultiAgentOffPolicyAlgorithm(algorithms=[learner, other], env=env)
    games = DummyVectorEnv([lambda: wrapped(rules=QUICK) for _ in range(4)])
    collector = Collector(both, games, VectorReplayBuffer(4_000, 4), exploration_noise=True)
    before = [weight.clone() for weight in net.parameters()]
    stats = both.run_training(
        OffPolicyTrainerParams(
            training_collector=collector,
            test_collector=Collector(both, DummyVectorEnv([lambda: wrapped(rules=QUICK)])),
            max_epochs=2,
            epoch_num_steps=600,
            collection_step_num_env_steps=200,
            test_step_num_episodes=3,
            batch_size=64,
            update_step_num_gradient_steps_per_sample=0.02,
            multi_agent_return_reduction=lambda returns: returns[:, 0],
            show_progress=False,
            verbose=False,
        )
    )
    assert stats.train_episode > 3
    assert -1 <= stats.best_reward <= 1
    assert any((old != new).any() for old, new in zip(before, net.parameters(), strict=True))


def test_the_code_of_the_page_runs() -> None:
    run_section("docs/howto/libraries.md", "Tianshou")
