"""Deep Monte Carlo by self-play: the network learns what each action brings, and plays the one that brings most.

The outputs of the policy head are values of actions, Q(s, a): the seat's expected reward if it does a and goes on as it
plays. They are fitted to the returns of the games played, with no value of a later state in between; only where a
rollout ends in the middle of a hand does the value of the seat's last choice stand for the return that is not known
yet. All seats play the action of the highest value, but for a share ε of random ones. The value head learns the same
returns, whatever was done: what the player to move can expect.

Nothing holds values that stand for returns: where all seats expect to win, hands that never end look best to each. The
rewards of a hand add up to 0 over its seats, so these values are made to add up to 0, too, unless truncated hands count
as lost by all, which holds them as well.

The saved policy has values for logits. Its most probable action is the best one, and so it plays; drawn from, with
``?sample=1``, it would be the softmax of numbers from −1 to +1, close to uniform, which nobody trained: its card says
so.

Source: D. Zha et al., "DouZero: Mastering DouDizhu with self-play deep reinforcement learning", 2021, which reads
the action as an input; here, with few actions and a mask, each has an output.
"""

from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from train.algorithms.ppo import learn
from train.algorithms.rollout import Evaluate, Rollout, RolloutBuffer, RolloutStats
from train.algorithms.schedules import scheduled
from train.algorithms.self_play import SelfPlayConfig, SelfPlayLearner, new_network
from train.networks import kernels
from train.runs.checkpoint import Array
from train.runs.config import PositiveInt, Share

NOTES = MappingProxyType(
    {
        "logits": "values of actions: the expected reward, from -1 to 1; the policy is the highest. Probabilities made "
        "of them, and sample=1, are a softmax close to uniform that was not trained."
    }
)


@dataclass(frozen=True, kw_only=True)
class DMCConfig(SelfPlayConfig):
    """The config of ``dmc``."""

    algorithm: Literal["dmc"] = "dmc"
    n_epochs: PositiveInt = 1
    """Number of times that each choice is learnt from."""
    epsilon: Share = 0.1
    """Share of random actions at the beginning."""
    epsilon_final: Share = 0.01
    """Share of random actions at the end; it changes linearly."""


class DMC(SelfPlayLearner):
    """Deep Monte Carlo, with all that it has learnt."""

    losses = ("q_loss", "value_loss")
    notes = NOTES
    config: DMCConfig

    def __init__(self, config: DMCConfig) -> None:
        super().__init__(config, new_network(config), new_rollout=ExploringRollout)

    def iterate(self, progress: float) -> dict[str, float]:
        """Play ``num_steps`` decisions in every game and learn from them; figures under SB3's names."""
        epsilon = scheduled(self.config.epsilon, self.config.epsilon_final, "linear", progress)
        learning_rate = self.learning_rate(progress)
        for rollout in self.rollouts:
            assert isinstance(rollout, ExploringRollout)
            rollout.epsilon = epsilon
        stats = self.play_groups(self._play_group)
        buffer, rows = self.buffer, self.buffer.closed()
        value_mean = float(buffer.value[rows].mean()) if len(rows) else 0.0
        losses = learn(self, rows)
        self.decisions += stats.decisions
        self.choices += stats.choices
        return {
            **stats.figures(),
            "rollout/value_mean": value_mean,
            **losses,
            "train/learning_rate": learning_rate,
            "rollout/exploration_rate": epsilon,
        }

    def _play_group(self, rollout: "ExploringRollout") -> RolloutStats:
        stats = rollout.collect(self.config.num_steps, self.evaluate)
        if not self.config.truncated_is_lost:
            rollout.center_open_values()
        rollout.buffer.estimate_advantages(gae_lambda=1.0, choice_cost=self.config.choice_cost)
        return stats

    def loss(self, batch: RolloutBuffer) -> tuple[Tensor, Tensor]:
        """Squared errors of the value of what was done, and of the state's value; their sums, float32 [2]."""
        q, value = self.network(batch.row)
        q_loss = (q.gather(1, batch.action[:, None]).squeeze(1) - batch.target).square().sum()
        value_loss = (value - batch.target).square().sum()
        sums = torch.stack((q_loss, value_loss))
        return q_loss + self.config.vf_coef * value_loss, sums.detach()


class ExploringRollout(Rollout):
    """Plays the actions of the highest value, but for a share ``epsilon``; the values stored are those of actions."""

    epsilon = 0.0

    def _choose(self, choosing: Array, rows: slice, evaluate: Evaluate) -> None:
        arrays = self._arrays
        q, _ = self._evaluated(rows, evaluate)
        uniform = self.rng.random(len(choosing), np.float32)
        taken = arrays["action"][rows]
        kernels.explore_masked(q, arrays["mask"][rows], uniform, self.epsilon, taken, arrays["value"][rows])
