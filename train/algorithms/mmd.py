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

from train.algorithms.parts.config import scheduled
from train.algorithms.parts.masked_softmax import masked_divergence
from train.algorithms.parts.trainer import RolloutBuffer, Trainer
from train.algorithms.ppo import LOSSES, PPOConfig, Proximal, new_games, ppo_loss
from train.runs.checkpoint import under
from train.runs.config import NonNegativeFloat, Share
from uno_env.core.arrays import Array

MAGNET = "magnet."
"""Prefix of the names of the magnet's weights in a checkpoint."""


@dataclass(frozen=True, kw_only=True)
class MMDConfig(PPOConfig):
    """The config of ``mmd``."""

    algorithm: Literal["mmd"] = "mmd"
    ent_coef: NonNegativeFloat = 0.0
    """Weight of the entropy bonus at the beginning; the pull of the magnet is a term of its own."""
    magnet_coef: NonNegativeFloat = 0.1
    """Weight of the divergence from the magnet at the beginning. It falls to 0 as the learning rate does."""
    magnet_rate: Share = 0.02
    """The share of the way to the policy that the magnet moves in an iteration: 0 not at all, 1 all the way."""


class MMD(Proximal):
    """Magnetic mirror descent with its networks, games and trainer."""

    config_class = MMDConfig
    config: MMDConfig
    losses = (*LOSSES, "magnet_kl")

    def __init__(self, config: MMDConfig) -> None:
        self.config = config
        self.network = config.new_network()
        self.magnet = copy.deepcopy(self.network).requires_grad_(False)
        self.backend = config.new_backend()
        self.trainer = Trainer(config, self.backend, self.network)
        self.games = new_games(config, self.backend, self.network)
        self.ent_coef, self.magnet_coef = (
            torch.tensor(each, device=self.backend.device) for each in (config.ent_coef, config.magnet_coef)
        )

    def iterate(self, progress: float) -> dict[str, float]:
        """Play ``num_steps`` decisions in every game, update the network, and move the magnet; figures under SB3's
        names.
        """
        config = self.config
        self.magnet_coef.fill_(scheduled(config.magnet_coef, 0.0, config.learning_rate_shape, progress))
        figures = super().iterate(progress)
        # The magnet follows the network
        with torch.no_grad():
            for slow, fast in zip(self.magnet.parameters(), self.network.parameters(), strict=True):
                slow.lerp_(fast, config.magnet_rate)
        return figures

    def loss(self, batch: RolloutBuffer) -> tuple[Tensor, Tensor]:
        """PPO's loss and the divergence from the magnet, summed over choices; the sums of PPO's figures and of the
        divergence, float32 [6].
        """
        logits, value = self.network(batch.obs)
        with torch.no_grad():
            magnet, _ = self.magnet(batch.obs)
        loss, sums = ppo_loss(logits, value, batch, self.config, self.ent_coef)
        divergence = masked_divergence(logits, magnet, batch.mask).sum()
        return loss + self.magnet_coef * divergence, torch.cat((sums, divergence.detach()[None]))

    def begin(self) -> None:
        """Load the weights of the initial policy, if there is one; the magnet begins as a copy of the policy."""
        super().begin()
        self.magnet.load_weights(self.network.state())

    def get_state(self) -> tuple[dict[str, Array], dict[str, Any]]:
        """Arrays and plain values that the next iteration depends on: those of trainer, games and magnet."""
        arrays, values = super().get_state()
        magnet = {MAGNET + name: weight for name, weight in self.magnet.state().items()}
        return arrays | magnet, values

    def set_state(self, arrays: dict[str, Array], values: dict[str, Any]) -> None:
        """Continue from a state that :meth:`get_state` gave."""
        super().set_state(arrays, values)
        self.magnet.load_weights(under(MAGNET, arrays))
