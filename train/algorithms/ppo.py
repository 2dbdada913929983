"""Proximal policy optimisation by self-play: play, estimate advantages, update, log.

In a share of the games the learner plays against members of a league instead of itself, see
:mod:`train.algorithms.league`.

Sources: J. Schulman et al., "Proximal policy optimization algorithms", 2017, and "High-dimensional continuous control
using generalized advantage estimation", 2015; defaults found by trial on ``duel``.

``response`` is the same in a league that has one member only, and all games are played against it: the learner plays
one seat, a fixed agent all others. A learner that wins more than its share uses the agent's weaknesses: see
:mod:`train.benchmarks.exploit`.

A *teacher* is an agent whose choices the policy is drawn to at first: the loss gets the cross-entropy from them, by a
weight that falls to 0. Source: S. Schmitt et al., "Kickstarting deep reinforcement learning", 2018.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, ClassVar, Literal

import torch
from msgspec import Meta
from torch import Tensor

import agents
from train.algorithms import self_play
from train.algorithms.league import League
from train.algorithms.masked_softmax import chosen_logp_and_entropy
from train.algorithms.rollout import Rollout, RolloutBuffer, RolloutStats
from train.algorithms.schedules import Shape, scheduled
from train.algorithms.self_play import SelfPlayConfig, SelfPlayLearner, new_network
from train.common.random_rules import PLAYERS, random_rules
from train.networks.critic import HandsCritic
from train.runs.checkpoint import Array, under
from train.runs.config import NonNegativeFloat, NonNegativeInt, NumPlayers, PositiveInt, Share
from uno_env import BatchedGames, Rules

LEAGUE = "league."
"""What the names of the past selves' weights begin with in a checkpoint."""
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
    critic: Literal["own", "all_hands"] = "own"
    """Whose values estimate the advantages: the policy network's ``own``, or those of a second network that sees all
    hands in training (``all_hands``, :mod:`train.networks.critic`). It gained nothing clear on ``duel``, see
    docs/howto/train.md."""
    teacher: str = ""
    """An agent to learn from besides, see :func:`agents.load`: it is asked what it would choose in the learner's place,
    and the policy is drawn to that. Empty: nobody."""
    teacher_coef: NonNegativeFloat = 0.5
    """Weight of the cross-entropy from the teacher's choices at the beginning. It falls to 0 as the learning rate
    does."""
    league_share: Share = 0.0
    """Share of the games that are played against a member of the league; 0: no league."""
    league_learners: PositiveInt = 1
    """Number of seats that learn in such a game; the member plays all others."""
    league_scripted: tuple[str, ...] = ("tuned", "greedy")
    """Agents in the league besides past selves, see :func:`agents.load`."""
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
        if self.random_rules and self.num_envs > self_play.GROUP * len(self.training_rules()):
            raise ValueError(
                f"num_envs={self.num_envs} is not allowed with random_rules={self.random_rules}: choose "
                f"{self_play.GROUP * len(self.training_rules())} or less"
            )
        if self.critic == "all_hands" and self.random_rules:
            raise ValueError("critic='all_hands' is not allowed with random_rules, whose decks differ: choose 'own'")
        if self.league_share:
            self._check_league(*self.league_members())
        if self.teacher:
            self._check_players("teacher", (self.teacher,))

    def training_rules(self) -> tuple[Rules, ...]:
        """The rules of the games when a run begins, those drawn at random last."""
        return (*self.all_rules(), *(self.drawn_rules(number) for number in range(self.random_rules)))

    def drawn_rules(self, number: int) -> Rules:
        """The rules drawn at random for the table of a number; the tables of a run are numbered as they come."""
        return random_rules(self.seed, number, players=self.random_players)

    def network_rules(self) -> tuple[Rules, ...]:
        """Rules whose columns and actions the network has: with random rules all that are likely to vary."""
        more = (random_rules(self.seed, number) for number in range(MANY_RULES if self.random_rules else 0))
        return (*self.all_rules(), *more)

    def _check_league(self, field: str, named: Sequence[str]) -> None:
        """Raise :class:`ValueError` if there are too few seats, or a member named in a field cannot play."""
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
        self._check_players(field, named)

    def _check_players(self, field: str, named: Sequence[str]) -> None:
        """Raise :class:`ValueError` if an agent named in a field cannot play where it learns."""
        for spec, rules in itertools.product(named, self.training_rules()):
            agent = agents.load(spec, rules=rules)
            problem = f"{field}={spec!r} is not allowed"
            if agent.sees_all_hands:
                raise ValueError(f"{problem}: who sees all hands plays only where games are evaluated")
            if agent.state_size:
                raise ValueError(
                    f"{problem}: it remembers the hand it is in, which is kept for it in evaluations alone"
                )
            if agent.history > self.history:
                raise ValueError(f"{problem} with history={self.history}: it reads {agent.history} past events")


@dataclass(frozen=True, kw_only=True)
class ResponseConfig(PPOConfig):
    """The config of ``response``."""

    algorithm: Literal["response"] = "response"
    opponent: str = "tuned"
    """The agent to respond to, see :func:`agents.load`."""
    league_share: Annotated[float, Meta(ge=1.0, le=1.0)] = 1.0
    """All games are against the opponent."""
    league_scripted: Annotated[tuple[str, ...], Meta(max_length=0)] = ()
    """Nobody but the opponent."""
    league_size: Literal[0] = 0
    """No past selves."""

    def league_members(self) -> tuple[str, tuple[str, ...]]:
        """As :meth:`PPOConfig.league_members`: the opponent alone."""
        return "opponent", (self.opponent,)


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
        network, critic = new_network(config), None
        if config.critic == "all_hands":
            rules = max(config.all_rules(), key=lambda each: each.players)
            critic = HandsCritic(rules, network.columns, config.hidden, network.dtype).to(config.device)
        self.teachers = int(bool(config.teacher))
        super().__init__(config, network, critic, partial(_new_rollout, config))
        self.league: League | None = None
        if config.league_share:
            _, named = config.league_members()
            self.league = League(named, config.league_every, config.league_size, config.league_hardness)
        self.ent_coef, self.teacher_coef = config.ent_coef, config.teacher_coef

    def iterate(self, progress: float) -> dict[str, float]:
        """Play ``num_steps`` decisions in every game and learn from them; figures under SB3's names."""
        config = self.config
        self.ent_coef = scheduled(config.ent_coef, config.ent_coef_final, config.ent_coef_shape, progress)
        self.teacher_coef = scheduled(config.teacher_coef, 0.0, config.learning_rate_shape, progress)
        self.draw_rules(self.iterations)
        self.draw_opponents()
        learning_rate = self.learning_rate(progress)
        stats = self.play()
        rows = self.buffer.closed()
        value_mean = float(self.buffer.value[rows].mean()) if len(rows) else 0.0
        explained = explained_variance(self.buffer, rows)
        losses = learn(self, rows)
        self.decisions += stats.decisions
        self.choices += stats.choices
        return {
            **stats.figures(),
            "rollout/value_mean": value_mean,
            "train/explained_variance": explained,
            **losses,
            "train/learning_rate": learning_rate,
            "train/entropy": -losses["train/entropy_loss"],
            "train/entropy_weight": self.ent_coef,
            **({} if self.league is None else self.league.record_hands(self.rollouts)),
        }

    @property
    def iterations(self) -> int:
        """How many iterations are done."""
        return self.decisions // (self.config.num_envs * self.config.num_steps)

    def draw_rules(self, iteration: int) -> None:
        """Let one of the tables with random rules, in turn, make room for a new one, but for the first iteration."""
        number = self.config.random_rules
        if number and iteration:
            group = len(self.rollouts) - number + (iteration - 1) % number
            rules = self.config.drawn_rules(number + iteration - 1)
            games, buffer = self.rollouts[group].games.num_games, self.rollouts[group].buffer
            self.rollouts[group] = self.deal_group(rules, games, buffer, group, iteration)

    def draw_opponents(self) -> None:
        """Draw the opponents in the hands that begin next."""
        if self.league is not None:
            self.league.admit(self.network, self.decisions)
            self.league.draw_opponents(self.rollouts, self.rng)

    def play(self) -> RolloutStats:
        """Play ``num_steps`` decisions in every game and put the choices into the buffer, with advantages."""
        return self.play_groups(self._play_group)

    def _play_group(self, rollout: Rollout) -> RolloutStats:
        stats = rollout.collect(self.config.num_steps, self.evaluate)
        if self.critic is not None:
            self._take_values_of(self.critic, rollout.buffer.part(slice(0, stats.choices)))
        rollout.buffer.estimate_advantages(self.config.gae_lambda, self.config.choice_cost)
        normalise_advantages(rollout.buffer)
        return stats

    @torch.inference_mode()
    def _take_values_of(self, critic: HandsCritic, choices: RolloutBuffer) -> None:
        """Replace the network's values by the critic's."""
        for begin in range(0, len(choices.value), self_play.CHUNK):
            part = choices.part(slice(begin, begin + self_play.CHUNK))
            values = critic(part.row.to(self.device, non_blocking=True), part.hands.to(self.device, non_blocking=True))
            part.value.copy_(values)

    def loss(self, batch: RolloutBuffer) -> tuple[Tensor, Tensor]:
        """The loss to minimise, summed over choices, and the sums of :attr:`losses`, float32 [5]."""
        logits, value = self.network(batch.row)
        loss, sums = ppo_loss(logits, value, batch, self.config, self.ent_coef)
        return loss + self.teacher_loss(logits, batch) + self.critic_loss(batch), sums

    def teacher_loss(self, logits: Tensor, batch: RolloutBuffer) -> Tensor | float:
        """The cross-entropy from the teacher's choices by its weight of the moment, if there is a teacher."""
        if not self.teachers:
            return 0.0
        logp, _ = chosen_logp_and_entropy(logits, batch.mask, batch.taught[:, 0])
        return -self.teacher_coef * logp.sum()

    def critic_loss(self, batch: RolloutBuffer) -> Tensor | float:
        """The value loss of the critic, if there is one."""
        if self.critic is None:
            return 0.0
        return self.config.vf_coef * (self.critic(batch.row, batch.hands) - batch.target).square().sum()

    def get_state(self) -> tuple[dict[str, Array], dict[str, Any]]:
        """All that the next iteration depends on, the league too."""
        arrays, values = super().get_state()
        if self.league is None:
            return arrays, values
        weights, members = self.league.get_state()
        return arrays | {LEAGUE + name: weight for name, weight in weights.items()}, {**values, "league": members}

    def set_state(self, arrays: dict[str, Array], values: dict[str, Any]) -> None:
        """Go on from a state that :meth:`get_state` gave."""
        self.decisions = values["decisions"]
        for iteration in range(max(0, self.iterations - self.config.random_rules), self.iterations):
            self.draw_rules(iteration)
        super().set_state(arrays, values)
        if self.league is not None:
            self.league.set_state(under(LEAGUE, arrays), values["league"], self.network)


def _new_rollout(config: PPOConfig, games: BatchedGames, *read: Any, **options: Any) -> Rollout:
    """The rollout of a group of games as a config says, with a teacher of its own."""
    teacher = agents.load(config.teacher, rules=games.rules) if config.teacher else None
    options |= {"opponent_share": config.league_share, "learners": config.league_learners, "teacher": teacher}
    return Rollout(games, *read, **options)


def learn(learner: SelfPlayLearner, rows: Tensor) -> dict[str, float]:
    """Learn from rows of the buffer, ``n_epochs`` times from each; the means of the losses."""
    if len(rows) < 2:  # too few to compare
        return {f"train/{name}": 0.0 for name in learner.losses}
    buffer, rows = learner.buffer.on_device(learner.device, rows)
    totals = torch.zeros(len(learner.losses), device=learner.device)
    for _ in range(learner.config.n_epochs):
        for minibatch in learner.minibatches(rows):
            totals += learner.set_gradients(lambda chunk: learner.loss(buffer.select(chunk)), minibatch)
            learner.clip_gradients()
            learner.optimizer.step()
    means = (totals / (len(rows) * learner.config.n_epochs)).tolist()
    return {f"train/{name}": mean for name, mean in zip(learner.losses, means, strict=True)}


def ppo_loss(
    logits: Tensor, value: Tensor, batch: RolloutBuffer, config: PPOConfig, ent_coef: float
) -> tuple[Tensor, Tensor]:
    """The loss to minimise, summed over choices, and the sums of :attr:`PPO.losses`, float32 [5]."""
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


def normalise_advantages(buffer: RolloutBuffer) -> None:
    """Normalise the advantages of a group of games.

    Each group by itself: where tables differ, so do the sizes of their advantages, which are smaller the more players
    there are, and the entropy bonus would outweigh the small ones.
    """
    rows = buffer.closed()
    if len(rows) > 1:
        advantage = buffer.advantage[rows]
        buffer.advantage[rows] = (advantage - advantage.mean()) / (advantage.std() + 1e-8)


def explained_variance(buffer: RolloutBuffer, rows: Tensor) -> float:
    """The share of the variance of the targets of some rows that the values explain."""
    if len(rows) < 2:
        return 0.0
    target = buffer.target[rows]
    return float(1 - (target - buffer.value[rows]).var() / (target.var() + 1e-8))
