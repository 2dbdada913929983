"""SB3's DQN and sb3-contrib's QR-DQN with masks (:mod:`train.algorithms.sb3.masked_q`), against agents: with what
:mod:`train.algorithms.sb3.base` provides.

The logits of the saved policy are values of actions, as those of :mod:`train.algorithms.dmc`; it has no value of the
state. QR-DQN learns quantiles of the return; their mean, by which it acts, is folded into the last layer of the policy
that is saved.

Sources: V. Mnih et al., "Human-level control through deep reinforcement learning", 2015; W. Dabney et al.,
"Distributional reinforcement learning with quantile regression", 2018.
"""

from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated, Any, Literal

import torch
from msgspec import Meta
from torch import Tensor

from train.algorithms import dmc
from train.algorithms.sb3.base import SB3Config, SB3Learner
from train.algorithms.sb3.masked_q import MaskedDQN, MaskedQRDQN
from train.runs.config import NonNegativeInt, PositiveInt, Share

NOTES = MappingProxyType(
    {**dmc.NOTES, "value": "always 0: Q-learning has no value of the state but that of the best legal action."}
)


@dataclass(frozen=True, kw_only=True)
class SB3DQNConfig(SB3Config):
    """The config of ``sb3_dqn``."""

    algorithm: Literal["sb3_dqn", "sb3_qrdqn"] = "sb3_dqn"
    num_envs: PositiveInt = 128
    """Games that are played at the same time; SB3's ``n_envs``."""
    num_steps: PositiveInt = 32
    """The learner's decisions in each game in an iteration."""
    minibatch_size: Annotated[int, Meta(ge=2, le=10**15)] = 256
    """Decisions of a gradient step; SB3's ``batch_size``."""
    gradient_steps: PositiveInt = 8
    """Gradient steps each time that the learner has decided in all games."""
    buffer_size: PositiveInt = 200_000
    """Decisions that the replay buffer holds."""
    learning_starts: NonNegativeInt = 20_000
    """Random decisions before learning starts. A resumed run learns again when the buffer has as many."""
    target_update_interval: PositiveInt = 4_000
    """Decisions of the learner between updates of the target network."""
    epsilon: Share = 1.0
    """Share of random decisions at the beginning; SB3's ``exploration_initial_eps``."""
    epsilon_final: Share = 0.02
    """Share of random decisions at the end; SB3's ``exploration_final_eps``."""
    exploration_fraction: Share = 0.1
    """Part of the run in which the share of random decisions falls."""
    choice_cost: Share = 0.05
    """Reward that each choice of the learner costs while training. Without it Q-learning learns to draw cards forever:
    a hand that does not end is not lost. After 1.2 minutes of ``duel`` on one core it won 1 % against random-play
    without a cost, 46 % with 0.02 and 56 % with 0.05."""

    def memory(self) -> dict[str, int]:
        """As :meth:`train.runs.run_config.RunConfig.memory`: the replay buffer too."""
        return super().memory() | {
            f"buffer_size={self.buffer_size}": self.buffer_size * 2 * self.network_inputs(),
            f"minibatch_size={self.minibatch_size}": self.minibatch_size * 2 * self.network_inputs(),
        }


class SB3DQN(SB3Learner):
    """DQN with masks; its state is all that it has learnt, without the replay buffer."""

    masks_observed = True
    notes = NOTES
    model_class: Any = MaskedDQN
    net_name = "q_net"
    """SB3's name of the network that acts, and in it of the last layer."""
    config: SB3DQNConfig
    _epsilon = 1.0

    @property
    def net(self) -> Any:
        """The network that acts."""
        return getattr(self.model, self.net_name)

    def build(self) -> Any:
        """The model."""
        config = self.config
        model = self.model_class(
            "MaskedPolicy",
            self.env,
            learning_rate=lambda _: self.rate,
            buffer_size=max(config.buffer_size, config.num_envs),
            learning_starts=config.learning_starts,
            batch_size=config.minibatch_size,
            gamma=1.0,
            train_freq=1,
            gradient_steps=config.gradient_steps,
            target_update_interval=max(config.target_update_interval, config.num_envs),
            max_grad_norm=config.max_grad_norm,
            device=config.device,
            policy_kwargs=self.layers,
        )
        model.exploration_schedule = lambda _: self._epsilon
        return model

    def schedule(self, progress: float) -> None:
        """Set the share of random decisions too, and learn only if there is enough to learn from."""
        super().schedule(progress)
        config = self.config
        part = min(1.0, progress / config.exploration_fraction) if config.exploration_fraction else 1.0
        self._epsilon = config.epsilon + (config.epsilon_final - config.epsilon) * part
        held = self.model.replay_buffer.size() * config.num_envs
        enough = held >= min(config.learning_starts, config.buffer_size // 2)
        self.model.gradient_steps = config.gradient_steps if enough else 0

    def heads(self) -> dict[str, Tensor]:
        """Of the values of actions, which are means of the quantiles if there are any; a value of 0."""
        (layer,) = getattr(self.net, self.net_name)
        quantiles = self.layers.get("n_quantiles", 1)
        weight, bias = (each.unflatten(0, (quantiles, -1)).mean(dim=0) for each in (layer.weight, layer.bias))
        zeros = {"value.weight": torch.zeros(1, weight.shape[1]), "value.bias": torch.zeros(1)}
        return {"policy.weight": weight, "policy.bias": bias, **zeros}


@dataclass(frozen=True, kw_only=True)
class SB3QRDQNConfig(SB3DQNConfig):
    """The config of ``sb3_qrdqn``."""

    algorithm: Literal["sb3_qrdqn"] = "sb3_qrdqn"
    n_quantiles: PositiveInt = 16
    """Quantiles of each action's return."""

    def memory(self) -> dict[str, int]:
        """As :meth:`train.runs.run_config.RunConfig.memory`: the last layer too."""
        return super().memory() | {f"n_quantiles={self.n_quantiles}": self.n_quantiles * self.hidden[-1] * 8}


class SB3QRDQN(SB3DQN):
    """QR-DQN with masks, with all that it has learnt but its replay buffer."""

    model_class, net_name = MaskedQRDQN, "quantile_net"
    config: SB3QRDQNConfig

    @property
    def layers(self) -> dict[str, Any]:
        """Arguments of the policy, with the number of quantiles."""
        return {**super().layers, "n_quantiles": self.config.n_quantiles}
