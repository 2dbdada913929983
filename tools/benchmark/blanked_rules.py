"""The worth of reading the rules on the track ``unseen-rules``: two players that do not see them.

    uno benchmark run unseen-rules --algorithms ppo tools/benchmark/blanked_rules.py:BlankedPPO --budget 1e6 --seeds 2
    uno benchmark run unseen-rules --policies frozen-blanked=tools/benchmark/blanked_rules.py:BlankedFrozen --budget 1e6

:class:`BlankedPPO` trains as ``configs/ppo/unseen-rules.yaml`` does, but the columns of its network that hold the rules
in force and the deck have weight 0, in training and in play. :class:`BlankedFrozen` is the frozen policy of the track
with these columns hidden. Both still see the number of players, by the seats.
"""

from dataclasses import dataclass

import numpy as np
import torch

from agents.policy.policy_agent import PolicyAgent
from agents.policy.policy_file import load_policy
from train.algorithms.ppo import PPO, PPOConfig
from train.common.suite import TOP, read_suite, training_rules
from train.networks.policy_network import Network
from train.runs.config import NonNegativeFloat, NonNegativeInt, PositiveInt
from uno_env import BatchedGames
from uno_env.observation import LAYOUT, OBSERVATION_SIZE

TRACK = "unseen-rules"
BLANKED = np.concatenate([np.arange(OBSERVATION_SIZE)[LAYOUT[name].columns] for name in ("deck", "rules")])
"""Columns of the observation that hold the rules and the deck."""


@dataclass(frozen=True, kw_only=True)
class BlankedConfig(PPOConfig):
    """The config of ``configs/ppo/unseen-rules.yaml``."""

    algorithm: str = "tools/benchmark/blanked_rules.py:BlankedPPO"
    random_rules: NonNegativeInt = 30
    rules_of_track: str = TRACK
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


class BlankedFrozen(PolicyAgent):
    """The frozen policy of ``unseen-rules``. The columns of the rules and the deck always have their means over the
    rule sets of the training list.

    Args:
        seed: see :class:`agents.Agent`.
    """

    def __init__(self, seed: int = 0) -> None:
        weights, card = load_policy(read_suite().track(TRACK).opponent_specs()[TOP])
        super().__init__("frozen-blanked", weights, card, seed)
        blanked = np.flatnonzero(np.isin(card.columns, BLANKED))
        shown = np.stack([BatchedGames(1, rules, obs_dtype="uint8").reset()[0][0] for rules in training_rules(TRACK)])
        read = self._canonical.rows(shown, self._canonical.forms(shown))
        means = (read * self._scales).mean(axis=0, dtype=np.float32)[blanked]
        matrix, bias = self._layers[0]
        bias = bias + means @ matrix[blanked]
        matrix[blanked] = 0
        self._layers[0] = matrix, bias
