"""Magnetic mirror descent by self-play: PPO whose policy is drawn to a slowly moving one, the *magnet*.

The loss of :mod:`train.algorithms.ppo` gets one more term, the Kullback–Leibler divergence KL(π ‖ magnet) over the
legal actions. In games of two players with hidden hands, policies that only learn from each other may go round in
circles. The pull makes the last policy converge to an equilibrium that is regularised towards the magnet. As the magnet
follows the policy and the weight falls, that becomes an equilibrium of the game. The clipped ratio replaces the
method's own step towards the last policy.

The magnet begins as a copy of the policy, which is all but uniform, so the term is an entropy bonus at first. After
each iteration the magnet's weights move towards those of the policy by the share ``magnet_rate``.

Source: S. Sokota et al., "A unified approach to reinforcement learning, quantal response equilibria, and two-player
zero-sum games", 2023.
"""

import copy
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor

from train.algorithms import ppo
from train.algorithms.parts.config import scheduled
from train.algorithms.parts.masked_softmax import masked_divergence
from train.algorithms.parts.rollout import RolloutStats
from train.algorithms.parts.rollout_buffer import RolloutBuffer
from train.runs.checkpoint import under
from train.runs.config import NonNegativeFloat, Share
from uno_env.core.arrays import Array

MAGNET = "magnet."
"""Prefix of the names of the magnet's weights in a checkpoint."""


@dataclass(frozen=True, kw_only=True)
class MMDConfig(ppo.PPOConfig):
    """The config of ``mmd``."""

    algorithm: Literal["mmd"] = "mmd"
    ent_coef: NonNegativeFloat = 0.0
    """Weight of the entropy bonus at the beginning; the pull of the magnet is a term of its own."""
    magnet_coef: NonNegativeFloat = 0.1
    """Weight of the divergence from the magnet at the beginning. It falls to 0 as the learning rate does."""
    magnet_rate: Share = 0.02
    """How far the magnet moves to the policy in an iteration: 0 not at all, 1 all the way."""


class MMD(ppo.PPO):
    """Magnetic mirror descent with its networks, games and trainer."""

    config_class = MMDConfig
    config: MMDConfig
    losses = (*ppo.PPO.losses, "magnet_kl")

    def __init__(self, config: MMDConfig) -> None:
        super().__init__(config)
        self.magnet = copy.deepcopy(self.network).requires_grad_(False)
        self.magnet_coef = config.magnet_coef

    def begin(self) -> None:
        """Load the weights of the initial policy, if there is one; the magnet begins as a copy of the policy."""
        super().begin()
        self.magnet.load_weights(self.network.weights())

    def get_state(self) -> tuple[dict[str, Array], dict[str, Any]]:
        """Arrays and plain values that the next iteration depends on: those of trainer, games and magnet."""
        arrays, values = super().get_state()
        magnet = {MAGNET + name: weight for name, weight in self.magnet.weights().items()}
        return arrays | magnet, values

    def set_state(self, arrays: dict[str, Array], values: dict[str, Any]) -> None:
        """Continue from a state that :meth:`get_state` gave."""
        super().set_state(arrays, values)
        self.magnet.load_weights(under(MAGNET, arrays))

    def update(self, buffer: RolloutBuffer, stats: RolloutStats, progress: float) -> dict[str, float]:
        """Update the networks as PPO does, with the pull of the magnet, and move the magnet; figures."""
        self.magnet_coef = scheduled(self.config.magnet_coef, 0.0, self.config.learning_rate_shape, progress)
        figures = super().update(buffer, stats, progress)
        with torch.no_grad():
            for slow, fast in zip(self.magnet.parameters(), self.network.parameters(), strict=True):
                slow.lerp_(fast, self.config.magnet_rate)
        return figures

    def loss_of(self, logits: Tensor, value: Tensor, batch: RolloutBuffer) -> tuple[Tensor, Tensor]:
        """PPO's loss and the divergence from the magnet, summed over choices; the sums of :attr:`losses`."""
        loss, sums = super().loss_of(logits, value, batch)
        with torch.no_grad():
            magnet, _ = self.magnet(batch.obs)
        divergence = masked_divergence(logits, magnet, batch.mask).sum()
        return loss + self.magnet_coef * divergence, torch.cat((sums, divergence.detach()[None]))
