"""Trains the network of an algorithm: :class:`Trainer`."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor

from train.algorithms.parts import threads as parallel
from train.algorithms.parts.config import SelfPlayConfig, scheduled
from train.algorithms.parts.graphs import Recorded
from train.algorithms.parts.rollout_buffer import RolloutBuffer
from train.algorithms.parts.threads import TorchThreads
from train.common import replicas
from train.networks.policy_network import SavedModule
from train.runs.checkpoint import load_generator, load_optimizer, optimizer_arrays, under
from train.runs.learner import DivergedError
from uno_env.core.arrays import Array

ADAM_EPSILON = 1e-5
NETWORK = "network."
"""Beginning of the names of the network's weights in a checkpoint."""

Loss = Callable[[RolloutBuffer], tuple[Tensor, Tensor]]
"""A function of choices: the loss, summed over them, and sums of figures, float32 [F]."""


class Trainer:
    """Adam with its learning rate, minibatches in random order, gradients that threads share, and clipping.

    In a checkpoint, the names of the network's weights begin with :data:`NETWORK`.
    """

    def __init__(self, config: SelfPlayConfig, threads: TorchThreads, network: SavedModule) -> None:
        self.config, self.threads, self.network = config, threads, network
        self.device = torch.device(config.device)
        self._shuffler = torch.Generator(self.device)
        self._largest_norm = torch.zeros((), device=self.device)
        self.rng = np.random.default_rng([config.seed, 0])
        self._parameters = list(network.parameters())
        # A graph reads the learning rate where it is: as a tensor
        graphs = config.uses_graphs
        rate = torch.tensor(config.learning_rate, device=self.device) if graphs else config.learning_rate
        self.optimizer = torch.optim.Adam(self._parameters, rate, eps=ADAM_EPSILON, fused=True, capturable=graphs)
        self._recorded: _RecordedSteps | None = None

    def set_learning_rate(self, progress: float) -> float:
        """Set the learning rate for this part of the run, and return it."""
        config = self.config
        rate = scheduled(config.learning_rate, config.learning_rate_final, config.learning_rate_shape, progress)
        group = self.optimizer.param_groups[0]
        if isinstance(group["lr"], Tensor):
            group["lr"].fill_(rate)
        else:
            group["lr"] = rate
        return rate

    def fit(self, buffer: RolloutBuffer, loss: Loss, names: Sequence[str]) -> dict[str, float]:
        """Train on the choices of a buffer, ``n_epochs`` times on each. Returns figures of the buffer, and the means of
        the figures of the loss, by tag; ``names`` are those of the latter. Raises DivergedError if a gradient is not
        finite.
        """
        rows = buffer.closed()
        sums = torch.zeros(len(names), device=self.device)
        self._largest_norm.zero_()
        take = self._step_of(loss, buffer, len(names))
        for minibatch in self.minibatches(rows):
            sums += take(minibatch)
        self._check_norms()
        means = (sums / max(1, len(rows) * self.config.n_epochs)).tolist()
        return buffer.figures(rows) | {f"train/{name}": mean for name, mean in zip(names, means, strict=True)}

    def minibatches(self, rows: Tensor) -> Iterator[Tensor]:
        """Rows of the buffer, int64, ``n_epochs`` times in parts and in a new random order; none of fewer than 2. All
        processes have as many parts. For graphs all parts but the last have ``minibatch_size`` rows.
        """
        size = self.config.minibatch_size
        (number,) = replicas.total([len(rows) / replicas.number()])
        if number < 2:
            return
        for _ in range(self.config.n_epochs):
            order = rows[self._permutation(len(rows))]
            if self.config.uses_graphs:
                yield from order.tensor_split(tuple(range(size, len(rows) - size + 1, size)))
            else:
                yield from order.tensor_split(max(1, round(number / size)))

    def _permutation(self, number: int) -> Tensor:
        """Whole numbers below ``number`` in a random order, int64, on the device."""
        if not self.config.on_gpu:
            return torch.from_numpy(self.rng.permutation(number))
        self._shuffler.manual_seed(int(self.rng.integers(2**63)))
        return torch.randperm(number, generator=self._shuffler, device=self.device)

    def _step_of(self, loss: Loss, buffer: RolloutBuffer, figures: int) -> Callable[[Tensor], Tensor]:
        """:meth:`step` with a loss and choices. With graphs, it is the one that was recorded for them."""
        if not self.config.uses_graphs:
            return partial(self.step, loss, buffer)
        if self._recorded is None or not self._recorded.is_of(loss, buffer):
            self._recorded = _RecordedSteps(self, loss, buffer, figures)
        return self._recorded

    def step(self, loss: Loss, choices: RolloutBuffer, minibatch: Tensor) -> Tensor:
        """Take a step of Adam with rows int64 [n] of the choices, and return the sums of figures, float32 [F]."""

        def gradients(rows: Tensor) -> tuple[tuple[Tensor, ...], Tensor]:
            total, sums = loss(choices.select(rows))
            return torch.autograd.grad(total / max(1, len(minibatch)), self._parameters), sums

        size = len(minibatch) if self.config.on_gpu else parallel.CHUNK
        chunks = minibatch.tensor_split(max(1, -(-len(minibatch) // max(1, size))))
        by_chunk, sums = zip(*self.threads.map(gradients, chunks), strict=True)
        for parameter, *parts in zip(self._parameters, *by_chunk, strict=True):
            parameter.grad = torch.stack(parts).sum(dim=0)
        replicas.average([parameter.grad for parameter in self._parameters if parameter.grad is not None])
        norm = torch.nn.utils.clip_grad_norm_(self._parameters, self.config.max_grad_norm)
        torch.maximum(self._largest_norm, norm, out=self._largest_norm)
        if not self.config.on_gpu:  # a GPU is waited for only when all steps are done
            self._check_norms()
        self.optimizer.step()
        return torch.stack(sums).sum(dim=0)

    def _check_norms(self) -> None:
        """Raise DivergedError if the norm of gradients was not finite in a step of this :meth:`fit`."""
        if not torch.isfinite(self._largest_norm):
            steps = max((int(state["step"]) for state in self.optimizer.state.values()), default=0)
            raise DivergedError(
                f"learning_rate={self.config.learning_rate!r} led to gradients that are not finite after {steps:,} "
                "gradient steps: choose a smaller one"
            )

    def get_weights(self) -> dict[str, Array]:
        """The network's state, copied."""
        return {NETWORK + name: weight for name, weight in self.network.state().items()}

    def set_weights(self, arrays: Mapping[str, Array]) -> None:
        """Load weights that :meth:`get_weights` gave; other arrays are ignored."""
        self.network.load_weights(under(NETWORK, arrays))

    def get_state(self) -> tuple[dict[str, Array], dict[str, Any]]:
        """The weights, Adam's moments, and the state of the generator of random numbers."""
        moments = {f"optimizer.{name}": array for name, array in optimizer_arrays(self.optimizer).items()}
        return self.get_weights() | moments, {"rng_state": self.rng.bit_generator.state}

    def set_state(self, arrays: Mapping[str, Array], values: Mapping[str, Any]) -> None:
        """Continue from a state that :meth:`get_state` gave; other arrays and values are ignored."""
        self._recorded = None  # Adam gets other tensors
        self.set_weights(arrays)
        load_optimizer(self.optimizer, under("optimizer.", arrays))
        load_generator(self.rng, values["rng_state"])


class _RecordedSteps:
    """:meth:`Trainer.step` with one loss and one buffer of choices, recorded for minibatches of ``minibatch_size``;
    others are done as they come.
    """

    def __init__(self, trainer: Trainer, loss: Loss, buffer: RolloutBuffer, figures: int) -> None:
        self._loss, self._buffer = loss, buffer
        self._minibatch = torch.zeros(trainer.config.minibatch_size, dtype=torch.int64, device=trainer.device)
        self._sums = torch.zeros(figures, device=trainer.device)
        self._as_it_comes = partial(trainer.step, loss, buffer)
        self._recorded = Recorded(self._take)

    def is_of(self, loss: Loss, buffer: RolloutBuffer) -> bool:
        """Whether these are the steps of a loss and a buffer."""
        return self._loss == loss and self._buffer is buffer

    def __call__(self, minibatch: Tensor) -> Tensor:
        """Take a step with rows int64 [n]; the sums of figures, float32 [F], which the next call overwrites."""
        if len(minibatch) != len(self._minibatch):
            return self._as_it_comes(minibatch)
        self._minibatch.copy_(minibatch)
        self._recorded()
        return self._sums

    def _take(self) -> None:
        self._sums.copy_(self._as_it_comes(self._minibatch))
