"""Proximal policy optimisation by self-play: play, estimate advantages, compute the loss, step.

The learner can also play a share of the games against a league (:mod:`train.algorithms.parts.league`).

Sources: J. Schulman et al., "Proximal policy optimization algorithms", 2017, and "High-dimensional continuous control
using generalized advantage estimation", 2015. Defaults found by trial on ``duel``.
"""

import random
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

import torch
from msgspec import Meta
from torch import Tensor

from train.algorithms.parts import backends
from train.algorithms.parts.config import SelfPlayConfig, Shape, scheduled
from train.algorithms.parts.games import Group, RandomTables, SelfPlayGames
from train.algorithms.parts.league import League, check_partners
from train.algorithms.parts.masked_softmax import chosen_logp_and_entropy
from train.algorithms.parts.rollout import Evaluate, Rollout, RolloutStats
from train.algorithms.parts.self_play_learner import SelfPlayLearner
from train.algorithms.parts.trainer import RolloutBuffer, Trainer
from train.common.random_rules import PLAYERS, random_rules
from train.common.suite import training_rules
from train.networks.policy_network import Network
from train.runs.config import NonNegativeFloat, NonNegativeInt, NumPlayers, PositiveInt, Share
from uno_env import Rules
from uno_env.editions.classic import CLASSIC

MANY_RULES = 500
"""Rules drawn at random among which everything varies that can."""
LOSSES = ("policy_gradient_loss", "value_loss", "entropy_loss", "approx_kl", "clip_fraction")
"""Names of the sums that :func:`ppo_loss` gives."""


@dataclass(frozen=True, kw_only=True)
class PPOConfig(SelfPlayConfig):
    """The config of ``ppo``."""

    algorithm: str = "ppo"
    random_rules: Annotated[int, Meta(ge=0, le=4096)] = 0
    """Number of tables with rules drawn at random (:mod:`train.common.random_rules`), besides ``rules`` and
    ``players``. Each table gets an equal share of the games, and the network reads the rules in force. Each iteration
    replaces one of these tables. Evaluations use ``rules`` and ``players``."""
    random_players: Annotated[tuple[NumPlayers, ...], Meta(min_length=1)] = PLAYERS
    """Numbers of players at these tables, one of which is drawn for each. Against a league the learner has one seat,
    and so the fewer choices the more players there are: list many players more often to make up for it."""
    rules_of_track: str = ""
    """A track of the frozen suite, such as ``unseen-rules``: these tables get the rules of its training list, in an
    order drawn by the seed. Empty: rules drawn at random."""
    gae_lambda: Share = 0.95
    """λ of the advantage estimates."""
    clip_range: NonNegativeFloat = 0.2
    """The furthest that the ratio of probabilities may move from 1 within an iteration."""
    ent_coef: NonNegativeFloat = 0.015
    """Weight of the entropy bonus at the beginning."""
    ent_coef_final: NonNegativeFloat = 0.0
    """Weight of the entropy bonus at the end, unless it is constant."""
    ent_coef_shape: Shape = "constant"
    """The course of the weight of the entropy bonus."""
    league_share: Share = 0.0
    """Share of the games that are played against a member of the league; 0: no league."""
    league_learners: PositiveInt = 1
    """Number of seats that learn in such a game; the member plays all others."""
    league_scripted: tuple[str, ...] = ("tuned", "greedy")
    """Agents in the league beside past selves, see :func:`agents.load`."""
    league_size: NonNegativeInt = 8
    """Past selves in the league at most. If there are more, the one that is beaten most often is dropped."""
    league_every: PositiveInt = 4_000_000
    """Decisions after which another past self joins the league."""
    league_hardness: NonNegativeFloat = 2.0
    """The preference for stronger members: a member that is beaten with probability p is drawn in proportion to (1 − p)
    to the power of this."""

    def league_members(self) -> tuple[str, tuple[str, ...]]:
        """The field that names members of the league, and their names."""
        return "league_scripted", self.league_scripted

    def check(self) -> None:
        """Raise :class:`ValueError` if the rules, the device or the league cannot be used."""
        other = [rules.edition for rules in self.all_rules() if rules.edition != CLASSIC.name]
        if self.random_rules and other:
            raise ValueError(
                f"random_rules={self.random_rules} is not allowed with edition={other[0]!r}: rules are drawn for "
                f"{CLASSIC.name!r} alone, choose 0"
            )
        super().check()
        most = backends.GROUP * len(self.training_rules())
        if self.rules_of_track:
            training_rules(self.rules_of_track)
        if self.random_rules and self.num_envs > most:
            raise ValueError(
                f"num_envs={self.num_envs} is not allowed with random_rules={self.random_rules}: choose {most} or less"
            )
        if self.league_share:
            self._check_league(*self.league_members())

    def _check_league(self, field: str, named: Sequence[str]) -> None:
        fewest = min(rules.players for rules in self.training_rules())
        if self.league_learners >= fewest:
            raise ValueError(
                f"league_learners={self.league_learners} is not allowed with {fewest} players: "
                f"choose {fewest - 1} or less"
            )
        if not named and not self.league_size:
            raise ValueError(f"{field}=[] is not allowed with league_size=0: there would be nobody to play against")
        if len(set(named)) < len(named):
            raise ValueError(f"{field}={list(named)!r} is not allowed: it names a member twice")
        check_partners(field, named, self.training_rules())

    def training_rules(self) -> tuple[Rules, ...]:
        """The rules of the games when a run begins, those drawn at random last."""
        return (*self.all_rules(), *map(self.drawn_rules, range(self.random_rules)))

    def drawn_rules(self, number: int) -> Rules:
        """The rules of one number in the endless list of the tables with random rules."""
        if not self.rules_of_track:
            return random_rules(self.seed, number, players=self.random_players)
        return random.Random(f"{self.seed} {number}").choice(training_rules(self.rules_of_track))

    def network_rules(self) -> tuple[Rules, ...]:
        """Rules whose columns and actions the network has: with random rules all that are likely to vary."""
        numbers = range(MANY_RULES if self.random_rules else 0)
        more = (random_rules(self.seed, number) for number in numbers)
        return (*self.all_rules(), *more)

    def new_league(self) -> League | None:
        """Return the league as it begins, or None without one."""
        if not self.league_share:
            return None
        _, named = self.league_members()
        return League(
            named,
            every=self.league_every,
            size=self.league_size,
            hardness=self.league_hardness,
            share=self.league_share,
            learners=self.league_learners,
        )


class Proximal(SelfPlayLearner):
    """A learner that iterates as PPO does, with a loss of its own."""

    config: PPOConfig
    ent_coef: Tensor
    """float32 []: the weight of the entropy bonus at present."""
    losses: ClassVar[tuple[str, ...]] = LOSSES
    """Names of the sums that :meth:`loss` gives."""

    def iterate(self, progress: float) -> dict[str, float]:
        """Play ``num_steps`` decisions in every game and update the network. Return figures under SB3's names."""
        self.games.begin_iteration(self.decisions, self.trainer.rng)
        stats = self.play(self.config.next_steps(self.decisions))
        return self.update(self.games.buffer, stats, progress)

    def play(self, steps: int) -> RolloutStats:
        """Play ``steps`` decisions in every game, and estimate the advantages of the choices.

        Advantages are normalised in each rollout by itself: tables of many players have smaller advantages, which the
        entropy bonus would outweigh.
        """

        def play_group(rollout: Rollout, evaluate: Evaluate) -> RolloutStats:
            stats = rollout.collect(steps, evaluate)
            rollout.estimate_advantages(self.config.gae_lambda, self.config.choice_cost)
            rollout.buffer.normalise_advantages()
            return stats

        return self.games.play(play_group)

    def update(self, buffer: RolloutBuffer, stats: RolloutStats, progress: float) -> dict[str, float]:
        """Update the network with the choices of a buffer, ``n_epochs`` times with each, and return figures."""
        config = self.config
        entropy_weight = scheduled(config.ent_coef, config.ent_coef_final, config.ent_coef_shape, progress)
        self.ent_coef.fill_(entropy_weight)
        # Epochs of minibatches: loss, gradients, step
        figures = self.trainer.fit(buffer, self.loss, self.losses, progress)
        entropy = {"train/entropy": -figures["train/entropy_loss"], "train/entropy_weight": entropy_weight}
        return self.count(stats) | figures | entropy

    @abstractmethod
    def loss(self, batch: RolloutBuffer) -> tuple[Tensor, Tensor]:
        """The loss to minimise, summed over choices, and the sums of :attr:`losses`, float32 [F]."""


class PPO(Proximal):
    """PPO with its network, games and trainer; ``groups`` are the games that this process plays, None: all of them."""

    config_class: ClassVar[type[PPOConfig]] = PPOConfig

    def __init__(self, config: PPOConfig, groups: Sequence[Group] | None = None) -> None:
        self.config = config
        self.network = config.new_network()
        self.backend = config.new_backend()
        self.trainer = Trainer(config, self.backend, self.network)
        self.games = new_games(config, self.backend, self.network, groups)
        self.ent_coef = torch.tensor(config.ent_coef, device=self.backend.device)

    def loss(self, batch: RolloutBuffer) -> tuple[Tensor, Tensor]:
        """PPO's loss, summed over choices, and the sums of :data:`LOSSES`, float32 [5]."""
        logits, value = self.network(batch.obs)
        return ppo_loss(logits, value, batch, self.config, self.ent_coef)


def ppo_loss(
    logits: Tensor, value: Tensor, batch: RolloutBuffer, config: PPOConfig, ent_coef: Tensor
) -> tuple[Tensor, Tensor]:
    """The loss of policy, value and entropy for the network's outputs, logits float32 [N, A] and values float32 [N],
    summed over choices; and the sums of :data:`LOSSES`, float32 [5]. ``ent_coef``, float32 [], is the weight of the
    entropy bonus.
    """
    logp, entropy = chosen_logp_and_entropy(logits, batch.mask, batch.action)
    log_ratio = logp - batch.logp
    ratio = log_ratio.exp()
    clipped = ratio.clamp(1 - config.clip_range, 1 + config.clip_range)
    policy_loss = -torch.min(ratio * batch.advantage, clipped * batch.advantage).sum()
    value_loss = (value - batch.target).square().sum()
    entropy_loss = -entropy.sum()
    loss = policy_loss + config.vf_coef * value_loss + ent_coef * entropy_loss
    with torch.no_grad():
        approx_kl = (ratio - 1 - log_ratio).sum()
        clip_fraction = ((ratio - 1).abs() > config.clip_range).float().sum()
        return loss, torch.stack((policy_loss, value_loss, entropy_loss, approx_kl, clip_fraction))


def new_games(
    config: PPOConfig, backend: backends.Backend, network: Network, groups: Sequence[Group] | None = None
) -> SelfPlayGames:
    """The games as a config says: with a league, and tables with random rules."""
    return SelfPlayGames(
        config,
        backend,
        network,
        groups,
        league=config.new_league(),
        random_tables=RandomTables(config.random_rules, config.drawn_rules),
    )
