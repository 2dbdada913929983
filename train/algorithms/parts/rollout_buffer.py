"""The choices that a rollout stores, and their advantages: :class:`RolloutBuffer`."""

from dataclasses import dataclass

import torch
from torch import Tensor

from train.algorithms.parts.kernels import OPEN


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
    def empty(cls, rows: int, columns: int, actions: int, device: str = "cpu") -> "RolloutBuffer":
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
