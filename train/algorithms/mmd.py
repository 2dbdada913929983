"""Magnetic mirror descent by self-play: PPO whose policy is drawn to a slowly moving one, the *magnet*.

The loss of :mod:`train.algorithms.ppo` gets a term more, the Kullback–Leibler divergence KL(π ‖ magnet) over the legal
actions. In games of two players with hidden hands, policies that only learn from each other may go round in circles;
the pull makes the last policy come to an equilibrium, one regularised towards the magnet, and as the magnet moves on
with the policy and the weight falls, to one of the game. The clipped ratio stands for the method's own step towards the
last policy.

The magnet begins as the policy does, all but uniform, and so the term is an entropy bonus at first; after each
iteration its weights go ``magnet_rate`` of the way to those of the policy.

Source: S. Sokota et al., "A unified approach to reinforcement learning, quantal response equilibria, and two-player
zero-sum games", 2023.
"""

import copy
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor

from train.algorithms.masked_softmax import masked_divergence
from train.algorithms.ppo import PPO, PPOConfig, ppo_loss
from train.algorithms.rollout import RolloutBuffer
from train.algorithms.schedules import scheduled
from train.runs.checkpoint import Array, under
from train.runs.config import NonNegativeFloat, Share

MAGNET = "magnet."
"""What the names of the magnet's weights begin with in a checkpoint."""


@dataclass(frozen=True, kw_only=True)
class MMDConfig(PPOConfig):
    """The config of ``mmd``."""

    algorithm: Literal["mmd"] = "mmd"
    ent_coef: NonNegativeFloat = 0.0
    """Weight of the entropy bonus at the beginning, besides the pull of the magnet."""
    magnet_weight: NonNegativeFloat = 0.1
    """Weight of the divergence from the magnet at the beginning. It falls to 0 as the learning rate does."""
    magnet_rate: Share = 0.02
    """How far the magnet moves to the policy in an iteration: 0 not at all, 1 all the way."""


class MMD(PPO):
    """Magnetic mirror descent, with all that it has learnt."""

    losses = (*PPO.losses, "magnet_kl")
    config: MMDConfig

    def __init__(self, config: MMDConfig) -> None:
        super().__init__(config)
        self.magnet = copy.deepcopy(self.network).requires_grad_(False)
        self._weight = config.magnet_weight

    def begin(self) -> None:
        """As :meth:`train.runs.learner.Learner.begin`; the magnet begins as the policy does."""
        super().begin()
        self.magnet.load_weights(self.network.weights())

    def iterate(self, progress: float) -> dict[str, float]:
        """Play ``num_steps`` decisions in every game, learn from them, and let the magnet follow; figures."""
        self._weight = scheduled(self.config.magnet_weight, 0.0, self.config.learning_rate_shape, progress)
        figures = super().iterate(progress)
        with torch.no_grad():
            for slow, fast in zip(self.magnet.parameters(), self.network.parameters(), strict=True):
                slow.lerp_(fast, self.config.magnet_rate)
        return figures

    def loss(self, batch: RolloutBuffer) -> tuple[Tensor, Tensor]:
        """PPO's, and the divergence from the magnet."""
        logits, value = self.network(batch.row)
        loss, sums = ppo_loss(logits, value, batch, self.config, self.ent_coef)
        with torch.no_grad():
            magnet, _ = self.magnet(batch.row)
        divergence = masked_divergence(logits, magnet, batch.mask).sum()
        loss = loss + self._weight * divergence + self.teacher_loss(logits, batch) + self.critic_loss(batch)
        return loss, torch.cat((sums, divergence.detach()[None]))

    def get_state(self) -> tuple[dict[str, Array], dict[str, Any]]:
        """All that the next iteration depends on, the magnet too."""
        arrays, values = super().get_state()
        return arrays | {MAGNET + name: weight for name, weight in self.magnet.weights().items()}, values

    def set_state(self, arrays: dict[str, Array], values: dict[str, Any]) -> None:
        """Go on from a state that :meth:`get_state` gave."""
        super().set_state(arrays, values)
        self.magnet.load_weights(under(MAGNET, arrays))
