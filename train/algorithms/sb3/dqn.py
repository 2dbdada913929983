"""SB3's DQN with masks (:mod:`train.algorithms.sb3.masked_q`), against agents: with what
:mod:`train.algorithms.sb3.base` provides.

The logits of the saved policy are values of actions, as those of :mod:`train.algorithms.dmc`; it has no value of the
state.

Source: V. Mnih et al., "Human-level control through deep reinforcement learning", 2015.
"""

from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated, Any, Literal

import torch
from msgspec import Meta
from torch import Tensor

from train.algorithms.sb3.base import SB3Config, SB3Learner, Trunk
from train.algorithms.sb3.masked_q import MaskedDQN
from train.runs.config import NonNegativeInt, PositiveInt, Share

NOTES = MappingProxyType(
    {
        "logits": "values of actions: the expected reward, from -1 to 1; the policy is the highest. Probabilities made "
        "of them, and sample=1, are a softmax close to uniform that was not trained.",
        "value": "always 0: Q-learning has no value of the state but that of the best legal action.",
    }
)


@dataclass(frozen=True, kw_only=True)
class SB3DQNConfig(SB3Config):
    """The config of ``sb3_dqn``."""

    algorithm: Literal["sb3_dqn", "sb3_qrdqn"] = "sb3_dqn"
    num_envs: PositiveInt = 128
    """Games played side by side; SB3's ``n_envs``."""
    num_steps: PositiveInt = 32
    """The learner's decisions in each game in an iteration."""
    minibatch_size: Annotated[int, Meta(ge=2)] = 256
    """Decisions of a gradient step; SB3's ``batch_size``."""
    gradient_steps: PositiveInt = 8
    """Gradient steps after each decision of the learner in all games."""
    buffer_size: PositiveInt = 200_000
    """Decisions that the replay buffer holds."""
    learning_starts: NonNegativeInt = 20_000
    """Random decisions before learning starts; a resumed run learns when as many are in the buffer again."""
    target_update_interval: PositiveInt = 4_000
    """Decisions of the learner between updates of the target network."""
    epsilon: Share = 1.0
    """Share of random decisions at the beginning; SB3's ``exploration_initial_eps``."""
    epsilon_final: Share = 0.02
    """The same at the end; SB3's ``exploration_final_eps``."""
    exploration_fraction: Share = 0.1
    """Part of the run in which the share of random decisions falls from the one to the other."""
    choice_cost: Share = 0.05
    """What each choice of the learner costs it while it learns. Without it Q-learning learns to draw card after card:
    who plays at random loses nearly always, and a hand that goes on is worth what the network began with. After 1.2
    minutes of ``duel`` on one core it won 1 % against random-play without a cost, 46 % with 0.02 and 56 % with 0.05."""


class SB3DQN(SB3Learner):
    """DQN with masks; its state is all that it has learnt, without the replay buffer."""

    masks_observed = True
    notes = NOTES
    model_class: Any = MaskedDQN
    config: SB3DQNConfig
    _epsilon = 1.0

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
        """Of the values of actions; a value of 0."""
        weight, bias = self.action_values()
        zeros = {"value.weight": torch.zeros(1, weight.shape[1]), "value.bias": torch.zeros(1)}
        return {"policy.weight": weight, "policy.bias": bias, **zeros}

    def action_values(self) -> tuple[Tensor, Tensor]:
        """Weight [A, hidden[-1]] and bias [A] of the last layer, which gives the values of actions."""
        (layer,) = self.model.q_net.q_net
        return layer.weight, layer.bias

    @property
    def trunk(self) -> Trunk:
        """The hidden layers of the network that acts."""
        return self.model.q_net.features_extractor
