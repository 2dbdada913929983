"""Embeddings of past events in a network in training: :class:`EventEncoder`; :mod:`agents.policy.event_features`
describes them."""

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from agents.policy.event_features import COUNT_SCALE, FIRST_ROWS, NUM_COUNTS, NUM_NAMED, TABLE_ROWS
from train.networks import kernels
from uno_env.history import EVENT_SIZE, HIGHEST

SPREAD = 0.1
"""Standard deviation of the weights at the beginning."""


class EventEncoder(nn.Module):
    """Embeds each event in ``width`` numbers; a saved policy has the same weights."""

    def __init__(self, width: int, dtype: torch.dtype) -> None:
        super().__init__()
        self.dtype = dtype
        self.table = nn.Parameter(SPREAD * torch.randn(TABLE_ROWS, width))
        self.counts = nn.Parameter(SPREAD * torch.randn(width, NUM_COUNTS))
        self.bias = nn.Parameter(torch.zeros(width))

    def forward(self, events: Tensor) -> Tensor:
        """Embeddings of type ``dtype`` [N, K × width] of events uint8 [N, K × EVENT_SIZE]."""
        each = events.reshape(-1, EVENT_SIZE)
        counts = each[:, NUM_NAMED:].to(self.dtype)
        weights = (self.counts * COUNT_SCALE).to(self.dtype)
        read = F.linear(counts, weights, self.bias.to(self.dtype)) + named_sum(each, self.table).to(self.dtype)
        return torch.relu(read).reshape(len(events), events.shape[1] // EVENT_SIZE * len(self.bias))


def named_sum(events: Tensor, table: Tensor) -> Tensor:
    """Sum of the rows of a table, float32 [TABLE_ROWS, E], that each event, uint8 [N, EVENT_SIZE], names: float32 [N,
    E]. Raises ValueError if a column of an event is above its highest value.
    """
    if events.device.type == "cpu":
        if (events[:, :NUM_NAMED].numpy() > HIGHEST[:NUM_NAMED]).any():
            raise ValueError("histories hold events that there are not: a column is above its values (HISTORY_LAYOUT)")
        return _CompiledSum.apply(events, table)
    rows = events[:, :NUM_NAMED].long() + torch.from_numpy(FIRST_ROWS).to(events.device)
    return F.embedding(rows, table).sum(dim=1)


class _CompiledSum(torch.autograd.Function):
    """The gradient of PyTorch's own embedding takes ten times as long."""

    @staticmethod
    def forward(ctx: Any, events: Tensor, table: Tensor) -> Tensor:
        total = torch.empty(len(events), table.shape[1])
        kernels.add_named_rows(events.numpy(), FIRST_ROWS, table.detach().numpy(), total.numpy())
        ctx.save_for_backward(events)
        ctx.shape = table.shape
        return total

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[None, Tensor]:
        (events,) = ctx.saved_tensors
        by_table = torch.zeros(ctx.shape)
        kernels.spread_named_rows(events.numpy(), FIRST_ROWS, gradients[0].contiguous().numpy(), by_table.numpy())
        return None, by_table
