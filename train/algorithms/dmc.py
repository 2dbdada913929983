"""Deep Monte Carlo by self-play: the network learns the value of each action, and plays the action of the highest.

The outputs of the policy head are values of actions, Q(s, a): the seat's expected reward if it does a and continues as
it plays. They are fitted to the returns of the games played, with no value of a later state in between. Only if a
rollout ends in the middle of a hand does the value of the seat's last choice stand for the return that is not known
yet. All seats play the action of the highest value, except for a share ε of random actions. The value head learns the
same returns, whatever was done: the expected reward of the player to move.

Nothing anchors values that stand for returns: if all seats expect to win, hands that never end look best to each. The
rewards of a hand add up to 0 over its seats, so these values are shifted to add up to 0, too. If truncated hands count
as lost by all, that anchors the values, and they are not shifted.

The saved policy has values for logits. Its most probable action is the best one, and so it plays. With ``?sample=1`` it
would draw from the softmax of numbers from −1 to +1, which is close to uniform and was not trained: its card says so.

Source: D. Zha et al., "DouZero: Mastering DouDizhu with self-play deep reinforcement learning", 2021, which reads
the action as an input; here, with few actions and a mask, each has an output.
"""

from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor

from train.algorithms.parts.config import SelfPlayConfig, scheduled
from train.algorithms.parts.games import SelfPlayGames
from train.algorithms.parts.masked_softmax import draw_weighted
from train.algorithms.parts.rollout import Evaluate, Rollout, RolloutStats
from train.algorithms.parts.self_play_learner import SelfPlayLearner
from train.algorithms.parts.trainer import RolloutBuffer, Trainer
from train.networks import kernels
from train.runs.config import PositiveInt, Share

LOSSES = ("q_loss", "value_loss")
"""Names of the sums that :meth:`DMC.loss` gives."""


@dataclass(frozen=True, kw_only=True)
class DMCConfig(SelfPlayConfig):
    """The config of ``dmc``."""

    algorithm: Literal["dmc"] = "dmc"
    n_epochs: PositiveInt = 1
    """Number of times that each choice is used for an update."""
    epsilon: Share = 0.1
    """Share of random actions at the beginning."""
    epsilon_final: Share = 0.01
    """Share of random actions at the end; it changes linearly."""


class DMC(SelfPlayLearner):
    """Deep Monte Carlo with its network, games and trainer."""

    config_class = DMCConfig
    notes = MappingProxyType(
        {
            "logits": "values of actions: the expected reward, from -1 to 1; the policy is the highest. Probabilities "
            "made of them, and sample=1, are a softmax close to uniform that was not trained."
        }
    )
    config: DMCConfig

    def __init__(self, config: DMCConfig) -> None:
        self.config = config
        self.network = config.new_network()
        self.backend = config.new_backend()
        self.trainer = Trainer(config, self.backend, self.network)
        self.games = SelfPlayGames(config, self.backend, self.network)

    def iterate(self, progress: float) -> dict[str, float]:
        """Play ``num_steps`` decisions in every game and update the network. Return figures under SB3's names."""
        config = self.config
        epsilon = scheduled(config.epsilon, config.epsilon_final, "linear", progress)
        # Play, and compute returns
        stats = self.play(config.next_steps(self.decisions), epsilon)
        # Epochs of minibatches: loss, gradients, step
        figures = self.trainer.fit(self.games.buffer, self.loss, LOSSES, progress)
        return self.count(stats) | figures | {"rollout/exploration_rate": epsilon}

    def play(self, steps: int, epsilon: float) -> RolloutStats:
        """Play ``steps`` decisions in every game, with a share ``epsilon`` of random actions. Set the targets of the
        choices to the returns of their seats.
        """

        def play_group(rollout: Rollout, evaluate: Evaluate) -> RolloutStats:
            stats = rollout.collect(steps, evaluate, partial(explore, epsilon))
            if not self.config.truncated_is_lost:
                rollout.center_open_values()
            rollout.estimate_advantages(gae_lambda=1.0, choice_cost=self.config.choice_cost)
            return stats

        return self.games.play(play_group)

    def loss(self, batch: RolloutBuffer) -> tuple[Tensor, Tensor]:
        """Return the loss, summed over choices, and the sums of its two parts, float32 [2]: the squared errors of Q and
        those of the state's value.
        """
        q, value = self.network(batch.obs)
        q_loss = (q.gather(1, batch.action[:, None]).squeeze(1) - batch.target).square().sum()
        value_loss = (value - batch.target).square().sum()
        sums = torch.stack((q_loss, value_loss))
        return q_loss + self.config.vf_coef * value_loss, sums.detach()


def explore(epsilon: float, q: Any, values: Any, mask: Any, rng: Any) -> tuple[Any, Any, Any]:
    """Choose the actions of the highest value, except for a share ``epsilon`` of random ones, and store their values;
    with ``epsilon`` given, a :data:`train.algorithms.parts.rollout.Choose`."""
    if isinstance(rng, torch.Generator):
        best = q.masked_fill(mask == 0, -torch.inf).argmax(dim=1)
        is_random = torch.rand(len(q), generator=rng, device=q.device) < epsilon
        chosen = torch.where(is_random, draw_weighted(mask.float(), rng), best)
        return chosen, torch.zeros_like(values), q.gather(1, chosen[:, None]).squeeze(1)
    action, value = np.empty(len(mask), np.int64), np.empty(len(mask), np.float32)
    kernels.explore_masked(q, mask, rng.random(len(mask), np.float32), epsilon, action, value)
    return action, np.zeros_like(value), value
