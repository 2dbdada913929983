"""PPO that does not see the rules: ``tools/benchmark/blanked_rules.py:BlankedPPO``, for the track ``unseen-rules``.

    uno benchmark run unseen-rules --algorithms ppo tools/benchmark/blanked_rules.py:BlankedPPO --budget 1e6 --seeds 2

It trains as ``configs/ppo/unseen-rules.yaml`` does, but the columns of its network that hold the rules in force and the
deck have weight 0, in training and in play. What it loses against ``ppo`` is what reading the rules is worth on the
track. The number of players it still sees, by the seats.
"""

from dataclasses import dataclass

import numpy as np
import torch

from train.algorithms.ppo import PPO, PPOConfig
from train.networks.policy_network import Network
from train.runs.config import NonNegativeFloat, NonNegativeInt, PositiveInt
from uno_env.observation import LAYOUT, OBSERVATION_SIZE

BLANKED = np.concatenate(
    [np.arange(OBSERVATION_SIZE)[LAYOUT[name].columns] for name in ("deck", "rules", "later_rules")]
)
"""Columns of the observation that hold the rules and the deck."""


@dataclass(frozen=True, kw_only=True)
class BlankedConfig(PPOConfig):
    """The config of ``configs/ppo/unseen-rules.yaml``."""

    algorithm: str = "tools/benchmark/blanked_rules.py:BlankedPPO"
    random_rules: NonNegativeInt = 30
    rules_of_track: str = "unseen-rules"
    symmetry: bool = True
    minibatch_size: PositiveInt = 8_192
    choice_cost: NonNegativeFloat = 0.002
    truncated_is_lost: bool = True

    def new_network(self) -> Network:
        """The network, whose weights of :data:`BLANKED` are 0 and stay 0: their inputs are multiplied by 0."""
        network = super().new_network()
        blanked = np.flatnonzero(np.isin(network.columns, BLANKED))
        first = network.trunk[0].weight
        assert isinstance(first, torch.Tensor)
        with torch.no_grad():
            network.scales[blanked] = 0
            first[:, blanked] = 0
        return network


class BlankedPPO(PPO):
    """PPO with such a network."""

    config_class = BlankedConfig
