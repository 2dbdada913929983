"""Proximal policy optimisation by self-play: play, estimate advantages, compute the loss, step.

The learner can also play a share of the games against a league (:mod:`train.algorithms.parts.league`) and imitate a
*teacher* at first: the loss then has the cross-entropy from the teacher's choices, with a weight that falls to 0.

Sources: J. Schulman et al., "Proximal policy optimization algorithms", 2017, and "High-dimensional continuous control
using generalized advantage estimation", 2015; S. Schmitt et al., "Kickstarting deep reinforcement learning", 2018, for
the teacher. Defaults found by trial on ``duel``.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import torch
from msgspec import Meta
from torch import Tensor

from train.algorithms.parts import threads as parallel
from train.algorithms.parts.config import SelfPlayConfig, Shape, scheduled
from train.algorithms.parts.games import Group, RandomTables, SelfPlayGames
from train.algorithms.parts.league import League, check_partners
from train.algorithms.parts.masked_softmax import chosen_logp_and_entropy
from train.algorithms.parts.rollout import Rollout, RolloutStats
from train.algorithms.parts.rollout_buffer import RolloutBuffer
from train.algorithms.parts.self_play_learner import SelfPlayLearner
from train.algorithms.parts.threads import TorchThreads
from train.algorithms.parts.trainer import Trainer
from train.common.random_rules import PLAYERS, random_rules
from train.common.suite import training_rules
from train.networks.critic import PrivilegedCritic
from train.networks.policy_network import Network
from train.runs.config import NonNegativeFloat, NonNegativeInt, NumPlayers, PositiveInt, Share
from uno_env import Rules

MANY_RULES = 500
"""Rules drawn at random among which everything varies that can."""


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
    """How far the ratio of probabilities may move from 1 within an iteration."""
    ent_coef: NonNegativeFloat = 0.015
    """Weight of the entropy bonus at the beginning."""
    ent_coef_final: NonNegativeFloat = 0.0
    """Weight of the entropy bonus at the end, unless it is constant."""
    ent_coef_shape: Shape = "constant"
    """How the weight of the entropy bonus changes."""
    critic: Literal["shared", "privileged"] = "shared"
    """The source of the values that advantages are estimated from: ``shared``: the policy network's value head;
    ``privileged``: a second network that sees all hands in training (:mod:`train.networks.critic`). It gained nothing
    clear on ``duel``, see docs/howto/train.md."""
    teacher: str = ""
    """An agent to imitate at first, see :func:`agents.load`: its choices in the learner's place are stored, and the
    policy is drawn to them. Empty: no teacher."""
    teacher_coef: NonNegativeFloat = 0.5
    """Weight of the cross-entropy from the teacher's choices at first. It falls to 0 as the learning rate does."""
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
    """How much more often stronger members are met: a member that is beaten with probability p is drawn in proportion
    to (1 − p) to the power of this."""

    def league_members(self) -> tuple[str, tuple[str, ...]]:
        """The field that names members of the league, and their names."""
        return "league_scripted", self.league_scripted

    def check(self) -> None:
        """Raise :class:`ValueError` if the rules, the device or the league cannot be used."""
        super().check()
        most = parallel.GROUP * len(self.training_rules())
        if self.rules_of_track:
            training_rules(self.rules_of_track)
        if self.random_rules and self.num_envs > most:
            raise ValueError(
                f"num_envs={self.num_envs} is not allowed with random_rules={self.random_rules}: choose {most} or less"
            )
        if self.critic == "privileged" and self.random_rules:
            raise ValueError(
                "critic='privileged' is not allowed with random_rules, whose decks differ: choose 'shared'"
            )
        if self.league_share:
            self._check_league(*self.league_members())
        if self.teacher:
            check_partners("teacher", (self.teacher,), self.training_rules(), self.history)

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
        check_partners(field, named, self.training_rules(), self.history)

    def training_rules(self) -> tuple[Rules, ...]:
        """The rules of the games when a run begins, those drawn at random last."""
        return (*self.all_rules(), *map(self.drawn_rules, range(self.random_rules)))

    def drawn_rules(self, number: int) -> Rules:
        """The rules of one number in the endless list of the tables with random rules."""
        if not self.rules_of_track:
            return random_rules(self.seed, number, players=self.random_players, layout_version=self.layout)
        return random.Random(f"{self.seed} {number}").choice(training_rules(self.rules_of_track))

    def network_rules(self) -> tuple[Rules, ...]:
        """Rules whose columns and actions the network has: with random rules all that are likely to vary."""
        numbers = range(MANY_RULES if self.random_rules else 0)
        more = (random_rules(self.seed, number, layout_version=self.layout) for number in numbers)
        return (*self.all_rules(), *more)

    def new_critic(self, network: Network) -> PrivilegedCritic | None:
        """The privileged critic with its first weights, to be made right after the network; None if shared."""
        if self.critic == "shared":
            return None
        rules = max(self.all_rules(), key=lambda each: each.players)
        return PrivilegedCritic(rules, network.columns, self.hidden, network.dtype).to(self.device)

    def new_league(self) -> League | None:
        """The league as it begins; None without one."""
        if not self.league_share:
            return None
        _, named = self.league_members()
        sizes = self.league_every, self.league_size, self.league_hardness
        return League(named, *sizes, share=self.league_share, learners=self.league_learners)


class PPO(SelfPlayLearner):
    """PPO with its networks, games and trainer; ``groups`` are the games that this process plays, None: all of them."""

    config_class: ClassVar[type[PPOConfig]] = PPOConfig
    config: PPOConfig
    losses: ClassVar[tuple[str, ...]] = (
        "policy_gradient_loss", "value_loss", "entropy_loss", "approx_kl", "clip_fraction",
    )  # fmt: skip
    """Names of the sums that :meth:`loss` gives."""

    def __init__(self, config: PPOConfig, groups: Sequence[Group] | None = None) -> None:
        self.config = config
        self.network = config.new_network()
        self.critic = config.new_critic(self.network)
        self.threads = TorchThreads(config.threads)
        self.trainer = Trainer(config, self.threads, {"network": self.network, "critic": self.critic})
        self.games = new_games(config, self.network, self.threads, self.critic, groups)
        self.ent_coef, self.teacher_coef = config.ent_coef, config.teacher_coef

    def iterate(self, progress: float) -> dict[str, float]:
        """Play ``num_steps`` decisions in every game and update the networks; figures under SB3's names."""
        self.games.begin_iteration(self.decisions, self.trainer.rng)
        stats = self.play()
        return self.update(self.games.buffer, stats, progress)

    def play(self) -> RolloutStats:
        """Play ``num_steps`` decisions in every game, and estimate the advantages of the choices."""
        stats = self.games.play()
        self.threads.map(lambda each: estimate_advantages(each, self.critic, self.config), self.games.rollouts)
        return stats

    def update(self, buffer: RolloutBuffer, stats: RolloutStats, progress: float) -> dict[str, float]:
        """Update the networks with the choices of a buffer, ``n_epochs`` times with each; figures."""
        config = self.config
        # Schedules
        self.ent_coef = scheduled(config.ent_coef, config.ent_coef_final, config.ent_coef_shape, progress)
        self.teacher_coef = scheduled(config.teacher_coef, 0.0, config.learning_rate_shape, progress)
        learning_rate = self.trainer.set_learning_rate(progress)
        # Epochs of minibatches: loss, gradients, step
        figures = self.trainer.fit(buffer, self.loss, self.losses)
        # Counts and figures
        self.decisions += stats.decisions
        self.choices += stats.choices
        return {
            **stats.figures(),
            **figures,
            "train/learning_rate": learning_rate,
            "train/entropy": -figures["train/entropy_loss"],
            "train/entropy_weight": self.ent_coef,
            **self.games.record_hands(),
        }

    def loss(self, batch: RolloutBuffer) -> tuple[Tensor, Tensor]:
        """The loss to minimise, summed over choices, and the sums of :attr:`losses`, float32 [F]."""
        logits, value = self.network(batch.obs)
        return self.loss_of(logits, value, batch)

    def loss_of(self, logits: Tensor, value: Tensor, batch: RolloutBuffer) -> tuple[Tensor, Tensor]:
        """The same for the network's outputs, logits float32 [N, A] and values float32 [N]."""
        loss, sums = ppo_loss(logits, value, batch, self.config, self.ent_coef)
        loss = loss + self.teacher_coef * imitation_loss(logits, batch)
        return loss + self.config.vf_coef * critic_loss(self.critic, batch), sums


def new_games(
    config: PPOConfig, network: Network, threads: TorchThreads, critic: PrivilegedCritic | None,
    groups: Sequence[Group] | None = None,
) -> SelfPlayGames:  # fmt: skip
    """The games as a config says: with a league, a teacher, hidden hands for a critic, and random rules."""
    return SelfPlayGames(
        config,
        network,
        threads,
        groups,
        hands=0 if critic is None else critic.hands,
        league=config.new_league(),
        teacher=config.teacher,
        random_tables=RandomTables(config.random_rules, config.drawn_rules),
    )


def estimate_advantages(rollout: Rollout, critic: PrivilegedCritic | None, config: PPOConfig) -> None:
    """Estimate the advantages of a group's choices, and normalise them.

    Each group by itself: tables of many players have smaller advantages, which the entropy bonus would outweigh.
    """
    buffer = rollout.buffer
    if critic is not None:
        use_critic(critic, buffer.part(slice(0, rollout.num_choices)))
    buffer.estimate_advantages(config.gae_lambda, config.choice_cost)
    buffer.normalise_advantages()


@torch.inference_mode()
def use_critic(critic: PrivilegedCritic, choices: RolloutBuffer) -> None:
    """Replace the values that the network gave by the critic's."""
    for begin in range(0, len(choices.value), parallel.CHUNK):
        part = choices.part(slice(begin, begin + parallel.CHUNK))
        obs, hands = (each.to(critic.scales.device, non_blocking=True) for each in (part.obs, part.hands))
        part.value.copy_(critic(obs, hands))


def ppo_loss(
    logits: Tensor, value: Tensor, batch: RolloutBuffer, config: PPOConfig, ent_coef: float
) -> tuple[Tensor, Tensor]:
    """The loss of policy, value and entropy, summed over choices, and the sums of :attr:`PPO.losses`, float32 [5]."""
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


def imitation_loss(logits: Tensor, batch: RolloutBuffer) -> Tensor | float:
    """Cross-entropy from the teacher's choices, summed; 0 without a teacher."""
    if not batch.teacher_action.shape[1]:
        return 0.0
    logp, _ = chosen_logp_and_entropy(logits, batch.mask, batch.teacher_action[:, 0])
    return -logp.sum()


def critic_loss(critic: PrivilegedCritic | None, batch: RolloutBuffer) -> Tensor | float:
    """Squared errors of the critic's values, summed; 0 without a critic."""
    return 0.0 if critic is None else (critic(batch.obs, batch.hands) - batch.target).square().sum()
