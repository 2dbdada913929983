"""What algorithms that learn by self-play share: games, network, optimiser, threads, state; one network for all seats.

Each iteration plays ``num_steps`` decisions in every game, then learns from the choices among them (decisions with two
or more legal actions). A seat's chain of choices in a hand is an episode of its own: the next value is that of the same
seat's next choice, γ = 1, and the reward at the end is the seat's own, whoever made the hand's last decision. An
algorithm is a subclass of :class:`SelfPlayLearner` that says what its loss is.

The work is cut into parts that do not depend on the number of threads (groups of games, chunks of a minibatch), each
computed by one thread; so a run gives the same weights, bit for bit, for any number of threads on one machine.
"""

import time
from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import chain
from typing import Annotated, Any, ClassVar, Literal, Self, TypeVar

import numpy as np
import torch
from msgspec import Meta
from torch import Tensor

from train.algorithms.malloc import keep_freed_memory
from train.algorithms.rollout import Choices, Played, Rollout
from train.algorithms.schedules import Shape, scheduled
from train.networks import kernels
from train.networks.critic import HandsCritic
from train.networks.policy_network import Network, take_weights, weights_of
from train.runs.checkpoint import Array, as_bytes, from_bytes, load_optimizer, optimizer_arrays, under
from train.runs.config import LayerSize, NonNegativeFloat, PositiveInt, Share
from train.runs.learner import DivergedError, Learner
from train.runs.run_config import RunConfig
from uno_env import BatchedGames, Rules

GROUP = 1024
"""Games that one thread plays at a time: enough for the network, few enough for the cache."""
CHUNK = 2048
"""Choices of a minibatch that one thread learns from at a time."""
ADAM_EPSILON = 1e-5

Precision = Literal["auto", "float32", "bfloat16"]

_T = TypeVar("_T")
_R = TypeVar("_R")


@dataclass(frozen=True, kw_only=True)
class SelfPlayConfig(RunConfig):
    """What the config of every algorithm that learns by self-play has."""

    num_envs: PositiveInt = 2048
    """Games played side by side."""
    num_steps: PositiveInt = 64
    """Decisions in each game between updates."""
    hidden: tuple[LayerSize, ...] = (256, 256)
    """Sizes of the network's hidden layers."""
    history: Annotated[int, Meta(ge=0, le=256)] = 0
    """Past events that the network reads besides the observation (:mod:`agents.policy.event_features`), 0: none. After
    5.1 million decisions of ``ppo`` on ``duel`` (2 seeds of 10,000 deals) 16 events won 63.4 % against random-play and
    45.9 % against greedy, none 63.5 % and 46.5 %: no gain there, in 2.1 times the time."""
    event_width: Annotated[int, Meta(ge=1, le=1_024)] = 16
    """Numbers that each of them becomes before it meets the first hidden layer."""
    precision: Precision = "auto"
    """What matrix products are computed in; ``auto``: bfloat16 if that is measured to be clearly faster."""
    learning_rate: NonNegativeFloat = 2e-3
    """Adam's step size at the beginning."""
    learning_rate_final: NonNegativeFloat = 0.0
    """The same at the end."""
    learning_rate_shape: Shape = "linear"
    """How it goes from the one to the other; ``constant``: it stays as it is at the beginning."""
    n_epochs: PositiveInt = 2
    """How often each choice is learnt from."""
    minibatch_size: PositiveInt = 4_096
    """Choices that one step of the optimiser learns from."""
    vf_coef: NonNegativeFloat = 0.5
    """Weight of the value loss."""
    max_grad_norm: NonNegativeFloat = 0.5
    """Norm to which gradients are clipped."""
    choice_cost: Share = 0.0
    """Reward that each choice costs while training. Who expects to lose does better by never letting a hand end, which
    four players of ``house`` rules can: their hands soon took thousands of decisions, and values of what had no end in
    sight lost touch with rewards. A small cost, and rules with ``max_decisions`` of a few hundred, kept them to it."""

    def check(self) -> None:
        """Raise :class:`ValueError` if the rules cannot be played or the device is not there."""
        tables = len(self.all_rules())
        if self.num_envs < tables:
            raise ValueError(
                f"num_envs={self.num_envs} is not allowed with {tables} numbers of players: choose {tables} or more"
            )
        super().check()

    def resolved(self) -> Self:
        """The config with what depends on this machine: the number of threads and the precision."""
        return replace(super().resolved(), precision=resolve_precision(self.precision, self.device))


class SelfPlayLearner(Learner):
    """The network, its optimiser and the games it learns from; a :class:`train.runs.learner.Learner`."""

    losses: ClassVar[tuple[str, ...]]
    """Names of the sums that :meth:`loss` gives."""
    trace: float
    """λ of the advantage estimates, see :func:`train.networks.kernels.estimate_advantages`."""
    first_group = 0
    """Number of the first group of games: what chance is derived from, beside the seed."""
    rollouts: Sequence[Rollout]

    config: SelfPlayConfig

    def __init__(self, config: SelfPlayConfig) -> None:
        self.config, self.device = config, torch.device(config.device)
        self.decisions = self.choices = 0
        torch.manual_seed(config.seed)
        dtype = torch.bfloat16 if config.precision == "bfloat16" else torch.float32
        reading = (config.history, config.event_width)
        self.network = Network(config.all_rules(), config.hidden, dtype, *reading).to(self.device)
        critic = self.new_critic()
        self.critic = None if critic is None else critic.to(self.device)
        learnt = (self.network,) if self.critic is None else (self.network, self.critic)
        self._parameters = [list(module.parameters()) for module in learnt]
        self.optimizer = torch.optim.Adam(chain(*self._parameters), eps=ADAM_EPSILON, fused=True)
        self.rng = np.random.default_rng([config.seed, 0])
        self.store, self.rollouts = self._seat_games()
        keep_freed_memory()
        self._outer_threads = torch.get_num_threads()
        torch.set_num_threads(1)
        self._pool = ThreadPoolExecutor(config.threads or 1, initializer=torch.set_num_threads, initargs=(1,))

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown()
        torch.set_num_threads(self._outer_threads)

    @abstractmethod
    def loss(self, batch: Choices) -> tuple[Tensor, Tensor]:
        """The loss to minimise, summed over choices, and the sums of :attr:`losses`, float32 [len(losses)]."""

    def new_critic(self) -> HandsCritic | None:
        """A critic whose values are learnt from instead of the network's own, on the CPU; None: there is none."""
        return None

    def prepare(self, rows: Tensor) -> dict[str, float]:
        """Set the targets of the value for some rows of the store, of which there may be none; figures."""
        self.store.target[rows] = self.store.advantage[rows] + self.store.value[rows]
        return {}

    def play(self) -> Played:
        """Play ``num_steps`` decisions in every game and put the choices into the store, with advantages."""
        return sum(self._each(self._play, self.rollouts), start=Played())

    def iterate(self, progress: float) -> dict[str, float]:
        """Play ``num_steps`` decisions in every game and learn from them; figures under SB3's names."""
        learning_rate = self._learning_rate(progress)
        played = self.play()
        rows = self.store.closed()
        figures = {
            "rollout/ep_rew_mean": played.reward / max(1, played.hands),
            "rollout/ep_len_mean": played.hand_decisions / max(1, played.hands),
            "rollout/value_mean": float(self.store.value[rows].mean()) if len(rows) else 0.0,
            **self.prepare(rows),
        }
        losses = self._learn(rows, learning_rate)
        self.decisions += played.decisions
        self.choices += played.choices
        named = {f"train/{name}": value for name, value in losses.items()}
        return {**figures, **named, "train/learning_rate": learning_rate}

    def _learning_rate(self, progress: float) -> float:
        config = self.config
        return scheduled(config.learning_rate, config.learning_rate_final, config.learning_rate_shape, progress)

    def warm_up(self) -> None:
        """Have everything compiled that an iteration needs, by one of a few games."""
        with type(self)(few_games(self.config)) as learner:
            learner.iterate(0.0)

    def get_state(self) -> tuple[dict[str, Array], dict[str, Any]]:
        """All that the next iteration depends on, and the counts."""
        arrays = self.get_weights()
        arrays |= {f"optimizer.{name}": array for name, array in optimizer_arrays(self.optimizer).items()}
        games, chance = self.get_games()
        values = {"decisions": self.decisions, "choices": self.choices}
        return arrays | games, {**values, "chance": [self.rng.bit_generator.state, *chance]}

    def set_state(self, arrays: dict[str, Array], values: dict[str, Any]) -> None:
        """Go on from a state that :meth:`get_state` gave."""
        self.decisions, self.choices = values["decisions"], values["choices"]
        self.set_weights(arrays)
        load_optimizer(self.optimizer, under("optimizer.", arrays))
        self.rng.bit_generator.state, *chance = values["chance"]
        self.set_games(arrays, chance)

    def get_weights(self) -> dict[str, Array]:
        """All weights that :meth:`play` depends on, copied."""
        arrays = {f"network.{name}": weight for name, weight in self.network.weights().items()}
        if self.critic is not None:
            arrays |= {f"critic.{name}": weight for name, weight in weights_of(self.critic).items()}
        return arrays

    def set_weights(self, arrays: Mapping[str, Array]) -> None:
        """Take over weights that :meth:`get_weights` gave; other arrays are left alone."""
        self.network.load_weights(under("network.", arrays))
        if self.critic is not None:
            take_weights(self.critic, under("critic.", arrays))

    def get_games(self) -> tuple[dict[str, Array], list[dict[str, Any]]]:
        """The games as they stand, as bytes, and the chance of each group's actions."""
        arrays: dict[str, Array] = {}
        chance = []
        for number, rollout in enumerate(self.rollouts):
            state = rollout.get_state()
            chance.append(state["rng"])
            arrays |= {f"games.{number}.{name}": as_bytes(array) for name, array in state["games"].items()}
        return arrays, chance

    def set_games(self, arrays: Mapping[str, Array], chance: Sequence[dict[str, Any]]) -> None:
        """Go on with games that :meth:`get_games` gave."""
        for number, rollout in enumerate(self.rollouts):
            own = rollout.get_state()["games"]
            games = {name: from_bytes(array, own[name]) for name, array in under(f"games.{number}.", arrays).items()}
            rollout.set_state({"games": games, "rng": chance[number]})

    def _seat_games(self) -> tuple[Choices, list[Rollout]]:
        config, network = self.config, self.network
        pinned = self.device.type == "cuda"
        hands = 0 if self.critic is None else self.critic.hands
        rows = config.num_envs * config.num_steps
        store = Choices.empty(rows, network.width, len(network.actions), hands, pinned)
        rollouts, begin = [], 0
        for group, (rules, games) in enumerate(game_groups(config)):
            path = [config.seed, 1, self.first_group + group]
            seed, chance = np.random.SeedSequence(path).generate_state(2, np.uint64).tolist()
            batch = BatchedGames(games, rules, seed, obs_dtype="uint8", history=config.history)
            room = store.part(slice(begin * config.num_steps, (begin + games) * config.num_steps))
            rollouts.append(self._new_rollout(batch, room, np.random.default_rng(chance)))
            begin += games
        return store, rollouts

    def _new_rollout(self, batch: BatchedGames, room: Choices, rng: np.random.Generator) -> Rollout:
        return Rollout(batch, self.network.columns, self.network.actions, room, rng)

    def _play(self, rollout: Rollout) -> Played:
        played = rollout.collect(self.config.num_steps, self._evaluate)
        if self.critic is not None:
            self._judge(self.critic, rollout.choices.part(slice(0, played.choices)))
        value, reward, following, advantage = (
            getattr(rollout.choices, name).numpy() for name in ("value", "reward", "following", "advantage")
        )
        kernels.estimate_advantages(value, reward, following, self.trace, self.config.choice_cost, advantage)
        return played

    @torch.inference_mode()
    def _evaluate(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        logits, values = self.network(rows.to(self.device, non_blocking=True))
        return logits.cpu(), values.cpu()

    @torch.inference_mode()
    def _judge(self, critic: HandsCritic, choices: Choices) -> None:
        """Put the critic's values in the place of the network's."""
        for begin in range(0, len(choices.value), CHUNK):
            part = choices.part(slice(begin, begin + CHUNK))
            values = critic(part.row.to(self.device, non_blocking=True), part.hands.to(self.device, non_blocking=True))
            part.value.copy_(values)

    def _learn(self, rows: Tensor, learning_rate: float) -> dict[str, float]:
        """Learn from some rows of the store, if there are enough to compare; the means of the losses."""
        if len(rows) < 2:
            return dict.fromkeys(self.losses, 0.0)
        self.optimizer.param_groups[0]["lr"] = learning_rate
        store = self.store
        if self.device.type == "cuda":
            store, rows = store.select(rows).to(self.device), torch.arange(len(rows))
        totals = torch.zeros(len(self.losses), device=self.device)
        minibatches = max(1, round(len(rows) / self.config.minibatch_size))
        for _ in range(self.config.n_epochs):
            order = rows[torch.from_numpy(self.rng.permutation(len(rows)))].to(self.device)
            for minibatch in order.tensor_split(minibatches):
                totals += self._step(store, minibatch)
        means = (totals / (len(rows) * self.config.n_epochs)).tolist()
        return dict(zip(self.losses, means, strict=True))

    def _step(self, store: Choices, minibatch: Tensor) -> Tensor:
        """One step of the optimiser; the sums of the losses."""
        parameters = list(chain(*self._parameters))

        def gradients(rows: Tensor) -> tuple[tuple[Tensor, ...], Tensor]:
            batch = store.select(rows)
            loss, sums = self.loss(batch)
            if self.critic is not None:
                errors = self.critic(batch.row, batch.hands) - batch.target
                loss = loss + self.config.vf_coef * errors.square().sum()
            return torch.autograd.grad(loss / len(minibatch), parameters), sums

        chunks = minibatch.tensor_split(-(-len(minibatch) // CHUNK)) if self.device.type == "cpu" else (minibatch,)
        by_chunk, sums = zip(*self._each(gradients, chunks), strict=True)
        for parameter, *parts in zip(parameters, *by_chunk, strict=True):
            parameter.grad = torch.stack(parts).sum(dim=0)
        clip = torch.nn.utils.clip_grad_norm_
        norms = [clip(each, self.config.max_grad_norm) for each in self._parameters]
        if not all(map(torch.isfinite, norms)):
            raise DivergedError(
                f"learning_rate={self.config.learning_rate!r} led to gradients that are not finite after "
                f"{self.decisions:,} decisions: choose a smaller one"
            )
        self.optimizer.step()
        return torch.stack(sums).sum(dim=0)

    def _each(self, function: Callable[[_T], _R], items: Iterable[_T]) -> list[_R]:
        return list(self._pool.map(function, items))


def few_games(config: SelfPlayConfig) -> Any:
    """A config of the same kind, with as little to play as has everything compiled."""
    return replace(config, num_envs=max(4, len(config.all_rules())), num_steps=16, threads=1)


def resolve_precision(precision: Precision, device: str) -> Precision:
    """What ``auto`` means here: bfloat16 only where it is clearly faster, so that timing noise does not decide."""
    if precision != "auto":
        return precision
    plain, short = (torch.float32, torch.bfloat16)
    times = time_products((plain, short), torch.device(device))
    return "bfloat16" if times[plain] > 1.2 * times[short] else "float32"


def time_products(dtypes: Sequence[torch.dtype], device: torch.device, tries: int = 40) -> dict[torch.dtype, float]:
    """Seconds of the fastest of some matrix products of each type, of the size met in training.

    They take turns, a millisecond each on one thread: other work on the machine does not hit all those of one type.
    """
    factors = {
        dtype: tuple(torch.ones(size, 256, dtype=dtype, device=device) for size in (CHUNK, 256)) for dtype in dtypes
    }
    best = dict.fromkeys(dtypes, float("inf"))
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    for _ in range(tries):
        for dtype, (inputs, weight) in factors.items():
            began = time.perf_counter()
            torch.nn.functional.linear(inputs, weight)
            if device.type == "cuda":
                torch.cuda.synchronize()
            best[dtype] = min(best[dtype], time.perf_counter() - began)
    torch.set_num_threads(threads)
    return best


def game_groups(config: SelfPlayConfig) -> list[tuple[Rules, int]]:
    """Rules and size of the groups of games: as few of at most :data:`GROUP` as possible for each of the rules."""
    tables = config.all_rules()
    shares = zip(tables, _even_sizes(config.num_envs, len(tables)), strict=True)
    return [(rules, games) for rules, share in shares for games in _even_sizes(share, -(-share // GROUP))]


def _even_sizes(number: int, parts: int) -> list[int]:
    """``number`` as a sum of so many parts, all about the same."""
    return [number // parts + (part < number % parts) for part in range(parts)]
