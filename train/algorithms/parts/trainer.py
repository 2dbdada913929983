"""The choices of a rollout, :class:`RolloutBuffer`, and the training of a network on them, :class:`Trainer`."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor

from train.algorithms.parts.backends import Backend
from train.algorithms.parts.config import SelfPlayConfig, scheduled
from train.algorithms.parts.kernels import OPEN
from train.common import replicas
from train.networks.policy_network import SavedModule
from train.runs.checkpoint import load_generator, load_optimizer, optimizer_arrays, under
from train.runs.learner import DivergedError
from uno_env.core.arrays import Array

ADAM_EPSILON = 1e-5
NETWORK = "network."
"""Beginning of the names of the network's weights in a checkpoint."""


@dataclass(frozen=True)
class RolloutBuffer:
    """Room for choices, one row each; only the rows that :meth:`Rollout.collect` counts are filled."""

    obs: Tensor
    """uint8 [R, C]: the network's columns of the observation."""
    mask: Tensor
    """uint8 [R, A]: which of the network's actions were legal."""
    action: Tensor
    """int64 [R]: the network's output that was chosen."""
    logp: Tensor
    """float32 [R]: logarithm of its probability when it was chosen."""
    value: Tensor
    """float32 [R]: the value that the network gave then."""
    reward: Tensor
    """float32 [R]: the seat's reward, at the end of a chain."""
    next_index: Tensor
    """int32 [R]: the chain's next row, or ``ENDED`` or ``OPEN`` (:mod:`train.algorithms.parts.kernels`)."""
    advantage: Tensor
    """float32 [R]: see :func:`train.algorithms.parts.kernels.estimate_strands`."""
    target: Tensor
    """float32 [R]: the return that the value is fitted to."""

    @classmethod
    def empty(cls, rows: int, columns: int, actions: int, device: str | torch.device = "cpu") -> "RolloutBuffer":
        """Room for ``rows`` choices on a device."""

        def zeros(*shape: int, dtype: torch.dtype = torch.float32) -> Tensor:
            return torch.zeros(shape, dtype=dtype, device=device)

        return cls(
            obs=zeros(rows, columns, dtype=torch.uint8),
            mask=zeros(rows, actions, dtype=torch.uint8),
            action=zeros(rows, dtype=torch.int64),
            logp=zeros(rows),
            value=zeros(rows),
            reward=zeros(rows),
            next_index=zeros(rows, dtype=torch.int32),
            advantage=zeros(rows),
            target=zeros(rows),
        )

    def part(self, rows: slice) -> "RolloutBuffer":
        """A view of some of the rows."""
        return RolloutBuffer(**{name: tensor[rows] for name, tensor in vars(self).items()})

    def select(self, rows: Tensor) -> "RolloutBuffer":
        """A copy of the rows of some indices."""
        return RolloutBuffer(**{name: tensor.index_select(0, rows) for name, tensor in vars(self).items()})

    def closed(self) -> Tensor:
        """Indices of the rows whose chain goes on or ended. The others have no advantage and are not trained on."""
        return torch.nonzero(self.next_index != OPEN).squeeze(1)

    def normalise_advantages(self) -> None:
        """Give the advantages of the closed rows mean 0 and standard deviation 1."""
        rows = self.closed()
        if len(rows) > 1:
            advantage = self.advantage[rows]
            self.advantage[rows] = (advantage - advantage.mean()) / (advantage.std() + 1e-8)

    def figures(self, rows: Tensor) -> dict[str, float]:
        """Mean value of some rows, and the share of the variance of their targets that the values explain."""
        if len(rows) < 2:
            return {"rollout/value_mean": float(self.value[rows].sum()), "train/explained_variance": 0.0}
        value, target = self.value[rows], self.target[rows]
        explained = 1 - (target - value).var() / (target.var() + 1e-8)
        return {"rollout/value_mean": float(value.mean()), "train/explained_variance": float(explained)}


Loss = Callable[[RolloutBuffer], tuple[Tensor, Tensor]]
"""A function of choices: the loss, summed over them, and sums of figures, float32 [F]."""
Step = Callable[[Tensor], Tensor]
"""A gradient step with rows int64 [n] of the choices; it gives the sums of figures, float32 [F]."""


class Trainer:
    """Adam with its learning rate, minibatches in random order, gradients of chunks, and clipping.

    In a checkpoint, the names of the network's weights begin with :data:`NETWORK`.
    """

    def __init__(self, config: SelfPlayConfig, backend: Backend, network: SavedModule) -> None:
        self.config, self.backend, self.network = config, backend, network
        self._largest_norm = torch.zeros((), device=backend.device)
        self.rng = np.random.default_rng([config.seed, 0])
        self._parameters = list(network.parameters())
        rate = backend.learning_rate(config.learning_rate)
        is_tensor = isinstance(rate, Tensor)
        self.optimizer = torch.optim.Adam(self._parameters, rate, eps=ADAM_EPSILON, fused=True, capturable=is_tensor)
        self._repeated: _RepeatedStep | None = None

    def fit(self, buffer: RolloutBuffer, loss: Loss, names: Sequence[str], progress: float) -> dict[str, float]:
        """Train on the choices of a buffer, ``n_epochs`` times on each, with the learning rate of this part of the run.
        Returns that, figures of the buffer, and the means of the figures of the loss, by tag; ``names`` are those of
        the latter. Raises DivergedError if a gradient is not finite.
        """
        rows = buffer.closed()
        learning_rate = self._set_learning_rate(progress)
        sums = torch.zeros(len(names), device=self.backend.device)
        self._largest_norm.zero_()
        take = self._step_of(loss, buffer, len(names))
        for minibatch in self.minibatches(rows):
            sums += take(minibatch)
        self._check_norms()
        means = (sums / max(1, len(rows) * self.config.n_epochs)).tolist()
        figures = {f"train/{name}": mean for name, mean in zip(names, means, strict=True)}
        return buffer.figures(rows) | figures | {"train/learning_rate": learning_rate}

    def _set_learning_rate(self, progress: float) -> float:
        """Set the learning rate for this part of the run, and return it."""
        config = self.config
        rate = scheduled(config.learning_rate, config.learning_rate_final, config.learning_rate_shape, progress)
        group = self.optimizer.param_groups[0]
        if isinstance(group["lr"], Tensor):
            group["lr"].fill_(rate)
        else:
            group["lr"] = rate
        return rate

    def minibatches(self, rows: Tensor) -> Iterator[Tensor]:
        """Rows of the buffer, int64, ``n_epochs`` times in parts and in a new random order; none of fewer than 2. All
        processes have as many parts.
        """
        (number,) = replicas.total([len(rows) / replicas.number()])
        for _ in range(self.config.n_epochs if number >= 2 else 0):
            order = rows[self.backend.permutation(self.rng, len(rows))]
            yield from self.backend.minibatches(order, self.config.minibatch_size, number)

    def _step_of(self, loss: Loss, buffer: RolloutBuffer, figures: int) -> Step:
        """:meth:`step` with a loss and choices: the same one as long as these are the same."""
        if self._repeated is None or not self._repeated.is_of(loss, buffer):
            self._repeated = _RepeatedStep(self, loss, buffer, figures)
        return self._repeated

    def step(self, loss: Loss, choices: RolloutBuffer, minibatch: Tensor) -> Tensor:
        """Take a step of Adam with rows int64 [n] of the choices, and return the sums of figures, float32 [F]."""

        def gradients(rows: Tensor) -> tuple[tuple[Tensor, ...], Tensor]:
            total, sums = loss(choices.select(rows))
            return torch.autograd.grad(total / max(1, len(minibatch)), self._parameters), sums

        by_chunk, sums = zip(*self.backend.map(gradients, self.backend.chunks(minibatch)), strict=True)
        for parameter, *parts in zip(self._parameters, *by_chunk, strict=True):
            parameter.grad = torch.stack(parts).sum(dim=0)
        replicas.average([parameter.grad for parameter in self._parameters if parameter.grad is not None])
        norm = torch.nn.utils.clip_grad_norm_(self._parameters, self.config.max_grad_norm)
        torch.maximum(self._largest_norm, norm, out=self._largest_norm)
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
        self._repeated = None  # Adam gets other tensors
        self.set_weights(arrays)
        load_optimizer(self.optimizer, under("optimizer.", arrays))
        load_generator(self.rng, values["rng_state"])


class _RepeatedStep:
    """:meth:`Trainer.step` with one loss and one buffer of choices. The backend repeats it for minibatches of
    ``minibatch_size``; others are done as they come.
    """

    def __init__(self, trainer: Trainer, loss: Loss, buffer: RolloutBuffer, figures: int) -> None:
        self._loss, self._buffer = loss, buffer
        device = trainer.backend.device
        self._minibatch = torch.zeros(trainer.config.minibatch_size, dtype=torch.int64, device=device)
        self._sums = torch.zeros(figures, device=device)
        self._as_it_comes = partial(trainer.step, loss, buffer)
        self._repeated = trainer.backend.repeated(self._take)

    def is_of(self, loss: Loss, buffer: RolloutBuffer) -> bool:
        """True if these are the steps of a loss and a buffer."""
        return self._loss == loss and self._buffer is buffer

    def __call__(self, minibatch: Tensor) -> Tensor:
        """Take a step with rows int64 [n]; the sums of figures, float32 [F], which the next call overwrites."""
        if len(minibatch) != len(self._minibatch):
            return self._as_it_comes(minibatch)
        self._minibatch.copy_(minibatch)
        self._repeated()
        return self._sums

    def _take(self) -> None:
        self._sums.copy_(self._as_it_comes(self._minibatch))
