"""Proximal policy optimisation by self-play: what :mod:`train.algorithms.self_play` leaves open is the loss.

In a share of the games the learner plays against members of a league instead of itself, see
:mod:`train.algorithms.league`.

Sources: J. Schulman et al., "Proximal policy optimization algorithms", 2017, and "High-dimensional continuous control
using generalized advantage estimation", 2015; defaults found by trial on ``duel``.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import torch
from torch import Tensor

from train.algorithms.league import League
from train.algorithms.masked_softmax import chosen_logp_and_entropy
from train.algorithms.opponent_rollout import AgainstRollout, check_opponent
from train.algorithms.rollout import Choices, Rollout
from train.algorithms.schedules import Shape, scheduled
from train.algorithms.self_play import SelfPlayConfig, SelfPlayLearner
from train.networks.critic import HandsCritic
from train.runs.checkpoint import Array, under
from train.runs.config import NonNegativeFloat, NonNegativeInt, PositiveInt, Share
from uno_env import BatchedGames

LEAGUE = "league."
"""What the names of the past selves' weights begin with in a checkpoint."""


@dataclass(frozen=True, kw_only=True)
class PPOConfig(SelfPlayConfig):
    """The config of ``ppo``."""

    algorithm: Literal["ppo", "mmd", "response", "distributed_ppo"] = "ppo"
    gae_lambda: Share = 0.95
    """λ of the advantage estimates."""
    clip_range: NonNegativeFloat = 0.2
    """How far a probability's ratio may move from 1 within an iteration."""
    ent_coef: NonNegativeFloat = 0.015
    """Weight of the entropy bonus at the beginning."""
    ent_coef_final: NonNegativeFloat = 0.0
    """The same at the end, unless it is constant."""
    ent_coef_shape: Shape = "constant"
    """How it goes from the one to the other."""
    critic: Literal["own", "all_hands"] = "own"
    """Whose values advantages are estimated by: the policy network's ``own``, or those of a second network that sees
    all hands while the policy is trained (:mod:`train.networks.critic`). After 5.1 million decisions of ``duel`` (3
    seeds of 10,000 deals) ``all_hands`` won 64.1 % against random-play and 47.1 % against greedy, ``own`` 63.7 % and
    46.6 %, which is within what seeds differ by; it explained 0.35 of the variance, not 0.27, and took 1.5 times the
    time."""
    league_share: Share = 0.0
    """Share of the games that are played against a member of the league; 0: there is no league."""
    league_learners: PositiveInt = 1
    """Seats that learn in such a game, fewer than players; the member plays the others."""
    league_scripted: tuple[str, ...] = ("tuned", "greedy")
    """Members of the league besides past selves, see :func:`agents.load`."""
    league_size: NonNegativeInt = 8
    """Past selves in the league at most; if there are more, the one that is beaten most goes."""
    league_every: PositiveInt = 4_000_000
    """Decisions after which another past self joins."""
    league_hardness: NonNegativeFloat = 2.0
    """How much more often harder members are met: the chance of one that is beaten with probability p is in proportion
    to (1 − p) to the power of this."""

    def league_members(self) -> tuple[str, tuple[str, ...]]:
        """The field that names members of the league, and their names."""
        return "league_scripted", self.league_scripted

    def check(self) -> None:
        """Raise :class:`ValueError` if the rules, the device or the league cannot be used."""
        super().check()
        if self.league_share:
            self._check_league(*self.league_members())

    def _check_league(self, field: str, named: Sequence[str]) -> None:
        """Raise :class:`ValueError` if there are too few seats, or a member named in a field cannot play."""
        fewest = min(rules.players for rules in self.all_rules())
        if self.league_learners >= fewest:
            raise ValueError(
                f"league_learners={self.league_learners} is not allowed with {fewest} players: "
                f"choose {fewest - 1} or less"
            )
        if not named and not self.league_size:
            raise ValueError(f"{field}=[] is not allowed with league_size=0: there would be nobody to play against")
        if len(set(named)) < len(named):
            raise ValueError(f"{field}={list(named)!r} is not allowed: it names a member twice")
        for spec, rules in itertools.product(named, self.all_rules()):
            check_opponent(field, spec, rules, self.history)


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
        self.entropy_weight = config.ent_coef
        self.league = self._new_league() if config.league_share else None

    def loss(self, batch: Choices) -> tuple[Tensor, Tensor]:
        """See :func:`ppo_loss`."""
        logits, value = self.network(batch.row)
        return ppo_loss(logits, value, batch, self.config, self.entropy_weight)

    def new_critic(self) -> HandsCritic | None:
        """See :class:`PPOConfig`."""
        if self.config.critic == "own":
            return None
        network = self.network
        rules = max(self.config.all_rules(), key=lambda each: each.players)
        return HandsCritic(rules, network.columns, self.config.hidden, network.dtype)

    def prepare(self, rows: Tensor) -> dict[str, float]:
        """Set targets and normalise advantages."""
        return {"train/explained_variance": finish_targets(self.store, rows)}

    def iterate(self, progress: float) -> dict[str, float]:
        """Play ``num_steps`` decisions in every game and learn from them; figures under SB3's names."""
        config = self.config
        self.entropy_weight = scheduled(config.ent_coef, config.ent_coef_final, config.ent_coef_shape, progress)
        self.meet()
        figures = super().iterate(progress)
        figures["train/entropy"] = -figures["train/entropy_loss"]
        figures["train/entropy_weight"] = self.entropy_weight
        return figures if self.league is None else {**figures, **self.league.note(self._against())}

    def meet(self) -> None:
        """Say who is met in the games that are played next."""
        if self.league is not None:
            self.league.admit(self.network, self.decisions)
            self.league.meet(self._against(), self.rng)

    def get_state(self) -> tuple[dict[str, Array], dict[str, Any]]:
        """All that the next iteration depends on, the league too."""
        arrays, values = super().get_state()
        if self.league is None:
            return arrays, values
        weights, members = self.league.get_state()
        return arrays | {LEAGUE + name: weight for name, weight in weights.items()}, {**values, "league": members}

    def set_state(self, arrays: dict[str, Array], values: dict[str, Any]) -> None:
        """Go on from a state that :meth:`get_state` gave."""
        super().set_state(arrays, values)
        if self.league is not None:
            self.league.set_state(under(LEAGUE, arrays), values["league"], self.network)

    def _new_league(self) -> League:
        config = self.config
        _, named = config.league_members()
        return League(named, config.league_every, config.league_size, config.league_hardness)

    def _against(self) -> list[AgainstRollout]:
        return [rollout for rollout in self.rollouts if isinstance(rollout, AgainstRollout)]

    def _new_rollout(self, batch: BatchedGames, room: Choices, rng: np.random.Generator) -> Rollout:
        config = self.config
        if not config.league_share:
            return super()._new_rollout(batch, room, rng)
        others = (batch, self.network.columns, self.network.actions, room, rng)
        return AgainstRollout(*others, share=config.league_share, learners=config.league_learners)


def ppo_loss(
    logits: Tensor, value: Tensor, batch: Choices, config: PPOConfig, entropy_weight: float
) -> tuple[Tensor, Tensor]:
    """The loss to minimise, summed over choices, and the sums of :attr:`PPO.losses`, float32 [5]."""
    logp, entropy = chosen_logp_and_entropy(logits, batch.mask, batch.action)
    log_ratio = logp - batch.logp
    ratio = log_ratio.exp()
    clipped = ratio.clamp(1 - config.clip_range, 1 + config.clip_range)
    policy_loss = -torch.min(ratio * batch.advantage, clipped * batch.advantage).sum()
    value_loss = (value - batch.target).square().sum()
    entropy_loss = -entropy.sum()
    loss = policy_loss + config.vf_coef * value_loss + entropy_weight * entropy_loss
    with torch.no_grad():
        approx_kl = (ratio - 1 - log_ratio).sum()
        clip_fraction = ((ratio - 1).abs() > config.clip_range).float().sum()
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
