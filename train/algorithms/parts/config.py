"""The config that every algorithm of self-play has, and its schedules: :class:`SelfPlayConfig`."""

import math
import time
from dataclasses import dataclass, replace
from typing import Literal, Self

import torch

from train.algorithms.parts.backends import CHUNK, Backend, CudaBackend
from train.common import replicas
from train.common.processes import torch_threads
from train.networks.policy_network import Network
from train.runs.config import NonNegativeFloat, PositiveInt, Share
from train.runs.run_config import RunConfig
from uno_env import Rules
from uno_env.core.jit.cuda.requirements import DeviceUnavailableError, check_cuda
from uno_env.observation import number_of_columns
from uno_env.policy_columns import policy_actions

ROW_BYTES = 36
"""Bytes of a row of the rollout buffer without observation and mask."""

Precision = Literal["auto", "float32", "bfloat16"]
Shape = Literal["linear", "cosine", "constant"]
"""``linear`` falls or rises evenly; ``cosine`` slowly at both ends; ``constant`` keeps the first value."""


@dataclass(frozen=True, kw_only=True)
class SelfPlayConfig(RunConfig):
    """The config of an algorithm of self-play. One network plays all seats; each iteration plays ``num_steps``
    decisions in every game, then learns from the choices among them (decisions with two or more legal actions). The
    last iteration is shorter if ``total_timesteps`` has no room for as many."""

    num_envs: PositiveInt = 2048
    """Games that are played at the same time, by each process if ``torchrun`` starts several."""
    num_steps: PositiveInt = 64
    """Decisions in each game between two updates, fewer before the last one."""
    symmetry: bool = False
    """True if the network reads observations in canonical form (:mod:`uno_env.symmetry`). Then it does not have to
    learn that the four colours are interchangeable, and the two directions of play."""
    initial_policy: str = ""
    """A saved policy or ``zoo:NAME`` whose weights the network begins with; it must read the same columns and have the
    same outputs and as many layers, each at most as wide. Empty: random weights."""
    precision: Precision = "auto"
    """Type of the matrix products; ``auto``: bfloat16 if a measurement finds it clearly faster."""
    learning_rate: NonNegativeFloat = 2e-3
    """Adam's learning rate at the beginning."""
    learning_rate_final: NonNegativeFloat = 0.0
    """Learning rate at the end."""
    learning_rate_shape: Shape = "linear"
    """The course of the learning rate; ``constant``: it stays as at the beginning."""
    n_epochs: PositiveInt = 2
    """Number of times that each choice is used for an update."""
    minibatch_size: PositiveInt = 4_096
    """Choices of a gradient step."""
    vf_coef: NonNegativeFloat = 0.5
    """Weight of the value loss."""
    max_grad_norm: NonNegativeFloat = 0.5
    """Norm to which gradients are clipped."""
    choice_cost: Share = 0.0
    """Reward that each choice costs while training. Without it, a policy that expects to lose can learn never to end a
    hand, such as with four players of ``house`` rules. Rules with ``max_decisions`` of a few hundred help, too."""
    cuda_graphs: bool = False
    """True if a GPU repeats rollouts and gradient steps as CUDA graphs (:mod:`train.algorithms.parts.graphs`). This
    needs a single process, and for rollouts also opponents that all decide on the GPU. On the processor it changes
    nothing."""
    truncated_is_lost: bool = False
    """True if a truncated hand counts, in training, as lost by every seat: −1 / (players − 1) for each instead of 0.
    Otherwise a player who is behind gains by a hand that never ends, and of four players somebody always is."""

    def check(self) -> None:
        """Raise :class:`ValueError` if a run cannot be done here."""
        tables = len(self.training_rules())
        if self.num_envs < tables:
            raise ValueError(
                f"num_envs={self.num_envs} is not allowed with {tables} tables of different rules: "
                f"choose {tables} or more"
            )
        super().check()
        if self.total_timesteps < self.step_size():
            raise ValueError(
                f"total_timesteps={self.total_timesteps} is not allowed with num_envs={self.num_envs}: choose "
                f"{self.step_size()} or more, a decision in each game"
            )
        if self.device == "cuda":
            try:
                check_cuda(0)
            except DeviceUnavailableError as error:
                raise ValueError(f"device={self.device!r} is not allowed: {error}") from None

    def training_rules(self) -> tuple[Rules, ...]:
        """The rules of the games, each in an equal share of them."""
        return self.all_rules()

    def memory(self) -> dict[str, int]:
        """Same as :meth:`train.runs.run_config.RunConfig.memory`: the games, and the rows of the rollout buffer, unless
        they are on a GPU.
        """
        if self.device == "cuda":
            return super().memory()
        rules = self.network_rules()
        row = self.network_columns() + len(policy_actions(rules)) + ROW_BYTES
        return super().memory() | {
            f"num_envs={self.num_envs}": self.num_envs * number_of_columns(self.all_rules()[0]),
            f"num_envs={self.num_envs} with num_steps={self.num_steps}": self.num_envs * self.num_steps * row,
        }

    def step_size(self) -> int:
        """Decisions of a step, which is one in every game of all processes: the least that an iteration plays."""
        return self.num_envs * replicas.number()

    def next_steps(self, decisions: int) -> int:
        """The steps of the iteration after ``decisions`` decisions: ``num_steps``, or as many as ``total_timesteps``
        leaves room for, but 1 at least.
        """
        return max(1, min(self.num_steps, (self.total_timesteps - decisions) // self.step_size()))

    def resolved(self) -> Self:
        """The config with the number of threads and the precision that this machine decides."""
        return replace(super().resolved(), precision=resolve_precision(self.precision, self.device))

    def new_backend(self) -> Backend:
        """The backend of ``device``."""
        return CudaBackend(self.device, self.cuda_graphs) if self.device == "cuda" else Backend(self.threads)

    def new_network(self) -> Network:
        """The network with the weights that a run begins with; this seeds PyTorch's generator of random numbers."""
        torch.manual_seed(self.seed)
        dtype = torch.bfloat16 if self.precision == "bfloat16" else torch.float32
        return Network(self.network_rules(), self.hidden, dtype, symmetry=self.symmetry).to(self.device)

    def smallest(self) -> Self:
        """The smallest config of the same kind that compiles every kernel."""
        games = max(4, len(self.training_rules()))
        return replace(self, num_envs=games, num_steps=16, total_timesteps=10**6, threads=1)


def scheduled(first: float, last: float, shape: Shape, progress: float) -> float:
    """The value between the first and the last one where a share ``progress`` of the run, 0 to 1, is done."""
    if shape == "constant":
        return first
    left = 1 - progress if shape == "linear" else (1 + math.cos(math.pi * progress)) / 2
    return last + (first - last) * left


def resolve_precision(precision: Precision, device: str) -> Precision:
    """The precision that ``auto`` means on this machine: bfloat16 only where it is clearly faster.

    Both types compute matrix products of the size met in training and take turns on one thread, so that other work on
    the machine slows both: 40 each, or as many as fit into a tenth of a second, but 3 at least.
    """
    if precision != "auto":
        return precision
    dtypes = torch.float32, torch.bfloat16
    factors = [[torch.ones(size, 256, dtype=dtype, device=device) for size in (CHUNK, 256)] for dtype in dtypes]
    best, start = [float("inf"), float("inf")], time.perf_counter()
    with torch_threads(1):
        for turn in range(80):
            began = time.perf_counter()
            if turn >= 6 and began - start > 0.1:
                break
            torch.nn.functional.linear(*factors[turn % 2])
            if device == "cuda":
                torch.cuda.synchronize()
            best[turn % 2] = min(best[turn % 2], time.perf_counter() - began)
    return "bfloat16" if best[0] > 1.2 * best[1] else "float32"
