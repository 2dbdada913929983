"""The parts that algorithms which learn by self-play share: games, network, optimiser, threads, state.

One network plays all seats. Each iteration plays ``num_steps`` decisions in every game, then learns from the choices
among them (decisions with two or more legal actions). A seat's chain of choices in a hand is an episode of its own: the
next value is that of the same seat's next choice, γ = 1, and the reward at the end is the seat's own, whoever made the
hand's last decision. :mod:`train.algorithms.ppo` and :mod:`train.algorithms.dmc` say how they play and learn, and call
the methods of :class:`SelfPlayLearner` for it.

The work is cut into parts that do not depend on the number of threads (groups of games, chunks of a minibatch), each
computed by one thread; so a run gives the same weights, bit for bit, for any number of threads on one machine.
"""

import ctypes
import sys
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

from train.algorithms.rollout import Rollout, RolloutBuffer, RolloutStats
from train.algorithms.schedules import Shape, scheduled
from train.networks.critic import HandsCritic
from train.networks.policy_network import Network
from train.runs.checkpoint import Array, as_bytes, from_bytes, load_generator, load_optimizer, optimizer_arrays, under
from train.runs.config import NonNegativeFloat, PositiveInt, Share
from train.runs.learner import DivergedError, Learner
from train.runs.run_config import RunConfig
from uno_env import BatchedGames, Rules
from uno_env.history import EVENT_SIZE
from uno_env.observation import OBSERVATION_SIZE
from uno_env.policy_columns import policy_actions, policy_columns

GROUP = 1024
"""Games that one thread plays at a time: enough for the network, few enough for the cache."""
CHUNK = 2048
"""Choices of a minibatch that one thread learns from at a time."""
A_ROW = 36
"""Bytes of a row of the rollout buffer besides observation, events and mask."""
ADAM_EPSILON = 1e-5
_MIB = 1 << 20
_MALLOC_OPTIONS = {
    -8: 1,  # M_ARENA_MAX
    -3: 32 * _MIB,  # M_MMAP_THRESHOLD, the most that glibc accepts
    -1: 1024 * _MIB,  # M_TRIM_THRESHOLD
    -2: 64 * _MIB,  # M_TOP_PAD
}
"""Options of glibc's ``mallopt`` by number."""

Precision = Literal["auto", "float32", "bfloat16"]

_T = TypeVar("_T")
_R = TypeVar("_R")


@dataclass(frozen=True, kw_only=True)
class SelfPlayConfig(RunConfig):
    """What the config of every algorithm that learns by self-play has."""

    num_envs: PositiveInt = 2048
    """Games that are played at the same time."""
    num_steps: PositiveInt = 64
    """Decisions in each game between two updates."""
    symmetry: bool = False
    """Whether the network reads observations in canonical form (:mod:`uno_env.symmetry`). It then need not learn that
    the four colours are interchangeable, and the two directions of play."""
    history: Annotated[int, Meta(ge=0, le=256)] = 0
    """Past events that the network reads besides the observation (:mod:`agents.policy.event_features`), 0: none. They
    gained nothing on ``duel``, see docs/howto/train.md."""
    event_width: Annotated[int, Meta(ge=1, le=1_024)] = 16
    """Size of the embedding of each past event."""
    initial_policy: str = ""
    """A saved policy or ``zoo:NAME`` whose weights the network begins with; it must read the same columns and have the
    same outputs and as many layers, each at most as wide. Empty: weights drawn at random."""
    precision: Precision = "auto"
    """Type of the matrix products; ``auto``: bfloat16 if a measurement finds it clearly faster."""
    learning_rate: NonNegativeFloat = 2e-3
    """Adam's learning rate at the beginning."""
    learning_rate_final: NonNegativeFloat = 0.0
    """Learning rate at the end."""
    learning_rate_shape: Shape = "linear"
    """How the learning rate changes; ``constant``: it stays as at the beginning."""
    n_epochs: PositiveInt = 2
    """Number of times that each choice is learnt from."""
    minibatch_size: PositiveInt = 4_096
    """Choices of a gradient step."""
    vf_coef: NonNegativeFloat = 0.5
    """Weight of the value loss."""
    max_grad_norm: NonNegativeFloat = 0.5
    """Norm to which gradients are clipped."""
    choice_cost: Share = 0.0
    """Reward that each choice costs while training. Without it, a policy that expects to lose can learn never to end a
    hand, such as with four players of ``house`` rules. Rules with ``max_decisions`` of a few hundred help, too."""
    truncated_is_lost: bool = False
    """Whether a truncated hand counts, while training, as lost by every seat: −1 / (players − 1) for each instead of 0.
    Else a player who is behind gains by a hand that never ends, and of four players somebody always is."""

    def check(self) -> None:
        """Raise :class:`ValueError` if a run cannot be done here."""
        tables = len(self.training_rules())
        if self.num_envs < tables:
            raise ValueError(
                f"num_envs={self.num_envs} is not allowed with {tables} tables of different rules: "
                f"choose {tables} or more"
            )
        super().check()

    def training_rules(self) -> tuple[Rules, ...]:
        """The rules of the games, each in an equal share of them."""
        return self.all_rules()

    def network_inputs(self) -> int:
        """How many numbers the network's first layer reads."""
        return super().network_inputs() + self.history * self.event_width

    def memory(self) -> dict[str, int]:
        """As :meth:`train.runs.run_config.RunConfig.memory`: the games, and the rows of the rollout buffer."""
        rules = self.network_rules()
        a_row = len(policy_columns(rules)) + self.history * EVENT_SIZE + len(policy_actions(rules)) + A_ROW
        return super().memory() | {
            f"num_envs={self.num_envs}": self.num_envs * OBSERVATION_SIZE,
            f"num_envs={self.num_envs} with num_steps={self.num_steps}": self.num_envs * self.num_steps * a_row,
        }

    def resolved(self) -> Self:
        """The config with what depends on this machine: the number of threads and the precision."""
        return replace(super().resolved(), precision=resolve_precision(self.precision, self.device))


class SelfPlayLearner(Learner):
    """Network, optimiser, games and threads of an algorithm, and their state.

    Args:
        config: the run's.
        network: what plays, see :func:`new_network`.
        critic: whose values are learnt from instead of the network's own; None: there is none.
        new_rollout: what makes the rollout of a group of games from the arguments of
            :class:`train.algorithms.rollout.Rollout`.
    """

    first_group = 0
    """Number of the first group of games: their seeds are derived from it and the run's seed."""
    teachers = 0
    """How many agents are asked what they would choose in the network's place."""
    losses: ClassVar[tuple[str, ...]] = ()
    """Names of the sums that :meth:`loss` gives."""
    config: SelfPlayConfig
    rollouts: list[Rollout]

    def __init__(
        self,
        config: SelfPlayConfig,
        network: Network,
        critic: HandsCritic | None = None,
        new_rollout: Callable[..., Rollout] = Rollout,
    ) -> None:
        self.config, self.network, self.critic = config, network, critic
        self.device = torch.device(config.device)
        self.decisions = self.choices = 0
        self._products: list[tuple[Tensor, Tensor]] | None = None
        modules = (network,) if critic is None else (network, critic)
        self._parameters = [list(module.parameters()) for module in modules]
        self.optimizer = torch.optim.Adam(chain(*self._parameters), eps=ADAM_EPSILON, fused=True)
        self.rng = np.random.default_rng([config.seed, 0])
        self.buffer, self.rollouts = self._deal_games(new_rollout)
        keep_freed_memory()
        self._outer_threads = torch.get_num_threads()
        torch.set_num_threads(1)
        self._pool = ThreadPoolExecutor(config.threads or 1, initializer=torch.set_num_threads, initargs=(1,))

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown()
        torch.set_num_threads(self._outer_threads)

    def begin(self) -> None:
        """As :meth:`train.runs.learner.Learner.begin`: take over the weights of the initial policy, if there is one."""
        if self.config.initial_policy:
            self.network.begin_as(self.config.initial_policy)

    def warm_up(self) -> None:
        """Compile everything that an iteration needs, by one of a few games."""
        new: Any = type(self)  # each algorithm is made from its config alone
        with new(few_games(self.config)) as learner:
            learner.iterate(0.0)

    def map(self, function: Callable[[_T], _R], items: Iterable[_T]) -> list[_R]:
        """What a function gives for each item, computed by the threads."""
        return list(self._pool.map(function, items))

    @abstractmethod
    def loss(self, batch: RolloutBuffer) -> tuple[Tensor, Tensor]:
        """The loss to minimise, summed over choices, and the sums of :attr:`losses`, float32 [F]."""

    def play_groups(self, play: Callable[[Any], RolloutStats]) -> RolloutStats:
        """Play in every group of games, by the threads, with the weights as they are now."""
        with torch.inference_mode():
            self._products = self.network.products()
        try:
            return sum(self.map(play, self.rollouts), start=RolloutStats())
        finally:
            self._products = None  # the weights are about to change

    @torch.inference_mode()
    def evaluate(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        """Logits float32 [N, A] and values float32 [N] of rows uint8 [N, C], on the CPU; see :meth:`play_groups`."""
        logits, values = self.network(rows.to(self.device, non_blocking=True), self._products)
        return logits.cpu(), values.cpu()

    def minibatches(self, rows: Tensor) -> Sequence[Tensor]:
        """Rows of the buffer in random order, int64, in parts of about ``minibatch_size``."""
        order = rows[torch.from_numpy(self.rng.permutation(len(rows)))].to(self.device)
        return order.tensor_split(max(1, round(len(rows) / self.config.minibatch_size)))

    def set_gradients(self, loss: Callable[[Tensor], tuple[Tensor, Tensor]], minibatch: Tensor) -> Tensor:
        """Set the gradients of all parameters; the threads share the minibatch.

        Args:
            loss: gives for some rows the loss, summed over them, and sums of figures, float32 [F].
            minibatch: rows, int64.

        Returns:
            The sums of figures over the minibatch, float32 [F].
        """
        parameters = list(chain(*self._parameters))

        def gradients(rows: Tensor) -> tuple[tuple[Tensor, ...], Tensor]:
            total, sums = loss(rows)
            return torch.autograd.grad(total / len(minibatch), parameters), sums

        chunks = minibatch.tensor_split(-(-len(minibatch) // CHUNK)) if self.device.type == "cpu" else (minibatch,)
        by_chunk, sums = zip(*self.map(gradients, chunks), strict=True)
        for parameter, *parts in zip(parameters, *by_chunk, strict=True):
            parameter.grad = torch.stack(parts).sum(dim=0)
        return torch.stack(sums).sum(dim=0)

    def clip_gradients(self) -> None:
        """Clip the gradients of each network to a norm of ``max_grad_norm``.

        Raises:
            DivergedError: they are not finite.
        """
        clip = torch.nn.utils.clip_grad_norm_
        norms = [clip(parameters, self.config.max_grad_norm) for parameters in self._parameters]
        if not all(map(torch.isfinite, norms)):
            raise DivergedError(
                f"learning_rate={self.config.learning_rate!r} led to gradients that are not finite after "
                f"{self.decisions:,} decisions: choose a smaller one"
            )

    def learning_rate(self, progress: float) -> float:
        """The learning rate of the moment, which the optimiser takes over."""
        config = self.config
        rate = scheduled(config.learning_rate, config.learning_rate_final, config.learning_rate_shape, progress)
        self.optimizer.param_groups[0]["lr"] = rate
        return rate

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
        own, *chance = values["chance"]
        load_generator(self.rng, own)
        self.set_games(arrays, chance)

    def get_weights(self) -> dict[str, Array]:
        """All weights that playing depends on, copied."""
        arrays = {f"network.{name}": weight for name, weight in self.network.weights().items()}
        if self.critic is not None:
            arrays |= {f"critic.{name}": weight for name, weight in self.critic.weights().items()}
        return arrays

    def set_weights(self, arrays: Mapping[str, Array]) -> None:
        """Take over weights that :meth:`get_weights` gave; other arrays are ignored."""
        self.network.load_weights(under("network.", arrays))
        if self.critic is not None:
            self.critic.load_weights(under("critic.", arrays))

    def get_games(self) -> tuple[dict[str, Array], list[dict[str, Any]]]:
        """The games as they stand, as bytes, and the state of each group's generator of random numbers."""
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

    def _deal_games(self, new_rollout: Callable[..., Rollout]) -> tuple[RolloutBuffer, list[Rollout]]:
        """The buffer, and the rollouts of the groups of games, each with a part of it."""
        config, network = self.config, self.network
        self._new_rollout = new_rollout
        hands = 0 if self.critic is None else self.critic.hands
        rows = config.num_envs * config.num_steps
        pinned = self.device.type == "cuda"
        buffer = RolloutBuffer.empty(rows, network.width, len(network.actions), hands, self.teachers, pinned)
        rollouts, begin = [], 0
        for group, (rules, games) in enumerate(game_groups(config)):
            part = buffer.part(slice(begin * config.num_steps, (begin + games) * config.num_steps))
            rollouts.append(self.deal_group(rules, games, part, self.first_group + group))
            begin += games
        return buffer, rollouts

    def deal_group(self, rules: Rules, games: int, buffer: RolloutBuffer, *number: int) -> Rollout:
        """New games of one table's rules; their seeds are derived from the run's and the group's ``number``."""
        path = [self.config.seed, 1, *number]
        seed, rollout_seed = np.random.SeedSequence(path).generate_state(2, np.uint64).tolist()
        batch = BatchedGames(games, rules, seed, obs_dtype="uint8", history=self.config.history)
        read = batch, self.network.columns, self.network.actions
        options = {"symmetry": self.network.symmetry, "truncated_is_lost": self.config.truncated_is_lost}
        return self._new_rollout(*read, buffer, np.random.default_rng(rollout_seed), **options)


def new_network(config: SelfPlayConfig) -> Network:
    """The network of a run as it begins: its weights depend on the seed; PyTorch's own generator is seeded here."""
    torch.manual_seed(config.seed)
    dtype = torch.bfloat16 if config.precision == "bfloat16" else torch.float32
    shape = config.hidden, dtype, config.history, config.event_width
    network = Network(config.network_rules(), *shape, symmetry=config.symmetry)
    return network.to(config.device)


def few_games(config: SelfPlayConfig) -> Any:
    """A config of the same kind, with as little to play as has everything compiled."""
    return replace(config, num_envs=max(4, len(config.training_rules())), num_steps=16, threads=1)


def resolve_precision(precision: Precision, device: str) -> Precision:
    """What ``auto`` means here: bfloat16 only where it is clearly faster, so that timing noise does not decide.

    Both types compute matrix products of the size met in training and take turns, a millisecond each on one thread:
    other work on the machine does not hit all those of one type.
    """
    if precision != "auto":
        return precision
    factors = [
        [torch.ones(size, 256, dtype=dtype, device=device) for size in (CHUNK, 256)]
        for dtype in (torch.float32, torch.bfloat16)
    ]
    best = [float("inf"), float("inf")]
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    for turn in range(80):
        began = time.perf_counter()
        torch.nn.functional.linear(*factors[turn % 2])
        if device == "cuda":
            torch.cuda.synchronize()
        best[turn % 2] = min(best[turn % 2], time.perf_counter() - began)
    torch.set_num_threads(threads)
    return "bfloat16" if best[0] > 1.2 * best[1] else "float32"


def keep_freed_memory() -> None:
    """Have the C library keep freed memory of any size instead of giving it back to the system; glibc only.

    By default it returns blocks of a few megabytes at once, which is the size of a layer's activations, and the next
    one costs a page fault every 4 KiB. Without that, a PPO update took a quarter less time.
    """
    if sys.platform.startswith("linux") and hasattr(libc := ctypes.CDLL(None), "mallopt"):
        for parameter, value in _MALLOC_OPTIONS.items():
            libc.mallopt(parameter, value)


def game_groups(config: SelfPlayConfig) -> list[tuple[Rules, int]]:
    """Rules and size of the groups of games: as few of at most :data:`GROUP` as possible for each of the rules."""
    tables = config.training_rules()
    shares = zip(tables, _even_sizes(config.num_envs, len(tables)), strict=True)
    return [(rules, games) for rules, share in shares for games in _even_sizes(share, -(-share // GROUP))]


def _even_sizes(number: int, parts: int) -> list[int]:
    """``number`` as a sum of so many parts, all about the same."""
    return [number // parts + (part < number % parts) for part in range(parts)]
