"""MaskablePPO of sb3-contrib, against agents, with what :mod:`train.algorithms.sb3.base` provides.

Source: S. Huang and S. Ontañón, "A closer look at invalid action masking in policy gradient algorithms", 2022.
"""

import warnings
from dataclasses import dataclass
from typing import Any, Literal

from sb3_contrib import MaskablePPO
from torch import Tensor

from train.algorithms.sb3.base import SB3Config, SB3Learner
from train.runs.config import NonNegativeFloat, PositiveInt, Share


@dataclass(frozen=True, kw_only=True)
class SB3PPOConfig(SB3Config):
    """The config of ``sb3_ppo``."""

    algorithm: Literal["sb3_ppo"] = "sb3_ppo"
    n_epochs: PositiveInt = 2
    """Number of times that each decision is learnt from."""
    gae_lambda: Share = 0.95
    """λ of the advantage estimates."""
    clip_range: NonNegativeFloat = 0.2
    """The furthest that the ratio of probabilities may move from 1 within an iteration."""
    ent_coef: NonNegativeFloat = 0.015
    """Weight of the entropy bonus."""
    vf_coef: NonNegativeFloat = 0.5
    """Weight of the value loss."""

    def memory(self) -> dict[str, int]:
        """Same as :meth:`train.runs.run_config.RunConfig.memory`: the rollouts too."""
        rollouts = self.num_envs * self.num_steps * self.network_inputs()
        return super().memory() | {f"num_envs={self.num_envs} with num_steps={self.num_steps}": rollouts}


class SB3PPO(SB3Learner):
    """MaskablePPO, with all that it has learnt."""

    config_class = SB3PPOConfig
    config: SB3PPOConfig

    def build(self) -> Any:
        """The model."""
        config = self.config
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "You have specified a mini-batch size")  # all parts but one are equal
            return MaskablePPO(
                "MlpPolicy",
                self.env,
                learning_rate=lambda _: self.rate,
                n_steps=config.num_steps,
                batch_size=self._batch_size(config.num_steps),
                n_epochs=config.n_epochs,
                gamma=1.0,
                gae_lambda=config.gae_lambda,
                clip_range=config.clip_range,
                ent_coef=config.ent_coef,
                vf_coef=config.vf_coef,
                max_grad_norm=config.max_grad_norm,
                device=config.device,
                policy_kwargs=self.layers,
            )

    def prepare_steps(self, steps: int) -> None:
        """Same as :meth:`train.algorithms.sb3.base.SB3Learner.prepare_steps`: a buffer for them, and minibatches."""
        self.model.n_steps = self.model.rollout_buffer.buffer_size = steps
        self.model.batch_size = self._batch_size(steps)

    def _batch_size(self, steps: int) -> int:
        """The decisions of a gradient step: equal parts of a rollout of ``steps`` steps. The last part can be smaller,
        but has two at least.
        """
        size = self.config.num_envs * steps
        batch = -(-size // max(1, round(size / self.config.minibatch_size)))
        while size % batch == 1:
            batch += 1
        return batch

    def iterate(self, progress: float) -> dict[str, float]:
        """As :meth:`train.algorithms.sb3.base.SB3Learner.iterate`, with value and entropy under our names."""
        figures = super().iterate(progress)
        value = float(self.model.rollout_buffer.values.mean())
        return {**figures, "rollout/value_mean": value, "train/entropy": -figures["train/entropy_loss"]}

    def heads(self) -> dict[str, Tensor]:
        """Of the actor and of the critic."""
        heads = {"policy": self.net.action_net, "value": self.net.value_net}
        return {f"{head}.{name}": each for head, layer in heads.items() for name, each in layer.named_parameters()}
