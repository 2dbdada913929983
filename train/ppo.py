"""Proximal policy optimisation by self-play: what :mod:`train.learner` leaves open is the loss.

Sources: J. Schulman et al., "Proximal policy optimization algorithms", 2017, and "High-dimensional continuous control
using generalized advantage estimation", 2015; defaults found by trial on ``duel``.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import torch
from torch import Tensor

from train import learner
from train.config import option
from train.critic import HandsCritic
from train.learner import SelfPlayConfig, SelfPlayLearner, check
from train.masked import chosen_logp_and_entropy
from train.schedules import SHAPES, scheduled
from train.selfplay import Choices

__all__ = ["PPO", "Config", "PPOConfig", "check", "finish_targets", "ppo_loss", "prepare_resume", "resume", "train"]


@dataclass(frozen=True, kw_only=True)
class PPOConfig(SelfPlayConfig):
    """What :func:`train` can be told."""

    gae_lambda: float = option(0.95, low=0, high=1)
    """λ of the advantage estimates."""
    clip: float = option(0.2, low=0)
    """How far a probability's ratio may move from 1 within an iteration."""
    entropy: float = option(0.015, low=0)
    """Weight of the entropy bonus at the beginning."""
    last_entropy: float = option(0.0, low=0)
    """The same at the end, unless it is constant."""
    entropy_shape: str = option("constant", choices=SHAPES)
    """How it goes from the one to the other."""
    critic: str = option("own", choices=("own", "all_hands"))
    """Whose values advantages are estimated by: the policy network's ``own``, or those of a second network that sees
    all hands while the policy is trained (:mod:`train.critic`)."""


Config = PPOConfig


def train(config: PPOConfig) -> Path:
    """Train a policy by self-play; the run's folder. Raises as :func:`train.learner.train`."""
    return learner.train(config, PPO)


def resume(folder: Path, overrides: Mapping[str, str] | None = None) -> Path:
    """Go on with a run from its last checkpoint, as if it had not stopped; the folder.

    Raises as :func:`train.learner.prepare_resume` and :func:`train.learner.train`.
    """
    return prepare_resume(folder, overrides or {})()


def prepare_resume(folder: Path, overrides: Mapping[str, str]) -> Callable[[], Path]:
    """What :func:`resume` does, up to the training itself, which the returned function does."""
    return learner.prepare_resume(folder, overrides, PPOConfig, PPO)


class PPO(SelfPlayLearner):
    """PPO, with all that it has learnt."""

    losses: ClassVar[tuple[str, ...]] = (
        "policy_gradient_loss",
        "value_loss",
        "entropy_loss",
        "approx_kl",
        "clip_fraction",
    )
    config: PPOConfig

    def __init__(self, config: PPOConfig) -> None:
        super().__init__(config)
        self.trace = config.gae_lambda
        self.entropy_weight = config.entropy

    def loss(self, batch: Choices) -> tuple[Tensor, Tensor]:
        """See :func:`ppo_loss`."""
        logits, value = self.network(batch.row)
        return ppo_loss(logits, value, batch, self.config, self.entropy_weight)

    def new_critic(self) -> HandsCritic | None:
        """See :class:`PPOConfig`."""
        if self.config.critic == "own":
            return None
        network = self.network
        return HandsCritic(self.config.game_rules(), network.columns, self.config.hidden, network.dtype)

    def prepare(self, rows: Tensor) -> dict[str, float]:
        """Set targets and normalise advantages."""
        return {"train/explained_variance": finish_targets(self.store, rows)}

    def iterate(self, progress: float) -> dict[str, float]:
        """Play ``steps`` decisions in every game and learn from them; figures under SB3's names."""
        config = self.config
        self.entropy_weight = scheduled(config.entropy, config.last_entropy, config.entropy_shape, progress)
        figures = super().iterate(progress)
        figures["train/entropy"] = -figures["train/entropy_loss"]
        return {**figures, "train/entropy_weight": self.entropy_weight}


def ppo_loss(
    logits: Tensor, value: Tensor, batch: Choices, config: PPOConfig, entropy_weight: float
) -> tuple[Tensor, Tensor]:
    """The loss to minimise, summed over choices, and the sums of :attr:`PPO.losses`, float32 [5]."""
    logp, entropy = chosen_logp_and_entropy(logits, batch.mask, batch.action)
    log_ratio = logp - batch.logp
    ratio = log_ratio.exp()
    clipped = ratio.clamp(1 - config.clip, 1 + config.clip)
    policy_loss = -torch.min(ratio * batch.advantage, clipped * batch.advantage).sum()
    value_loss = (value - batch.target).square().sum()
    entropy_loss = -entropy.sum()
    loss = policy_loss + config.value_weight * value_loss + entropy_weight * entropy_loss
    with torch.no_grad():
        approx_kl = (ratio - 1 - log_ratio).sum()
        clip_fraction = ((ratio - 1).abs() > config.clip).float().sum()
        return loss, torch.stack((policy_loss, value_loss, entropy_loss, approx_kl, clip_fraction))


def finish_targets(store: Choices, rows: Tensor) -> float:
    """Set the targets of the value and normalise the advantages of some rows; the variance explained by the value."""
    if len(rows) < 2:
        return 0.0
    advantage, value = store.advantage[rows], store.value[rows]
    target = advantage + value
    store.target[rows] = target
    store.advantage[rows] = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
    return float(1 - advantage.var() / (target.var() + 1e-8))


if __name__ == "__main__":
    import sys

    from train.cli import main

    sys.exit(main(["train", *sys.argv[1:]]))
