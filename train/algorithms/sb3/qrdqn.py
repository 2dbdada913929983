"""sb3-contrib's QR-DQN with masks (:mod:`train.algorithms.sb3.masked_q`): as :mod:`train.algorithms.sb3.dqn`, with
quantiles of the return.

The mean of the quantiles, by which it acts, is folded into the last layer of the policy that is saved.

Source: W. Dabney et al., "Distributional reinforcement learning with quantile regression", 2018.
"""

from dataclasses import dataclass
from typing import Any, Literal

from torch import Tensor

from train.algorithms.sb3.base import Trunk
from train.algorithms.sb3.dqn import SB3DQN, SB3DQNConfig
from train.algorithms.sb3.masked_q import MaskedQRDQN
from train.runs.config import PositiveInt


@dataclass(frozen=True, kw_only=True)
class SB3QRDQNConfig(SB3DQNConfig):
    """The config of ``sb3_qrdqn``."""

    algorithm: Literal["sb3_qrdqn"] = "sb3_qrdqn"
    n_quantiles: PositiveInt = 16
    """Quantiles of each action's return."""


class SB3QRDQN(SB3DQN):
    """QR-DQN with masks, with all that it has learnt but its replay buffer."""

    model_class = MaskedQRDQN
    config: SB3QRDQNConfig

    @property
    def layers(self) -> dict[str, Any]:
        """Arguments of the policy, with the number of quantiles."""
        return {**super().layers, "n_quantiles": self.config.n_quantiles}

    def action_values(self) -> tuple[Tensor, Tensor]:
        """Weight [A, hidden[-1]] and bias [A] of the quantiles' mean."""
        (layer,) = self.model.quantile_net.quantile_net
        quantiles = self.config.n_quantiles
        weight = layer.weight.unflatten(0, (quantiles, -1)).mean(dim=0)
        return weight, layer.bias.unflatten(0, (quantiles, -1)).mean(dim=0)

    @property
    def trunk(self) -> Trunk:
        """The hidden layers of the network that acts."""
        return self.model.quantile_net.features_extractor
