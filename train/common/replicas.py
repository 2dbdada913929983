"""Processes that train one network together, each with games and a GPU of its own; PyTorch's ``torchrun`` starts them.

The first process has the run: folder, progress, evaluations and checkpoints. The others follow it
(:func:`train.algorithms.registry.follow`). All make the same gradient steps, with the mean of their gradients. Without
``torchrun`` there is one process, and nothing here does anything.
"""

import contextlib
import os
from collections.abc import Iterator, Sequence
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor


@contextlib.contextmanager
def joined() -> Iterator[None]:
    """Join the other processes for a ``with`` block, if ``torchrun`` has started this one. When the first process
    leaves, the others are told that nothing more comes.
    """
    if not dist.is_available() or not dist.is_torchelastic_launched():
        yield
        return
    if torch.cuda.is_available():
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("cpu:gloo,cuda:nccl" if torch.cuda.is_available() else "gloo")
    try:
        yield
    finally:
        with contextlib.suppress(RuntimeError):  # the others may have failed
            if rank() == 0:
                from_first(None)
        dist.destroy_process_group()


def number() -> int:
    """The number of processes."""
    return dist.get_world_size() if _several() else 1


def rank() -> int:
    """The number of this process, from 0."""
    return dist.get_rank() if _several() else 0


def from_first(value: Any) -> Any:
    """Return the value that the first process gives, any object. The others give None, and wait for it."""
    if not _several():
        return value
    held = [value]
    dist.broadcast_object_list(held, src=0, device=torch.device("cpu"))
    return held[0]


def total(numbers: Sequence[float]) -> list[float]:
    """The sums of numbers over all processes."""
    sums = torch.tensor(numbers, dtype=torch.float64)
    if _several():
        dist.all_reduce(sums)
    return [float(each) for each in sums]


def average(tensors: Sequence[Tensor]) -> None:
    """Replace each tensor, float32, by its mean over all processes."""
    if not _several():
        return
    flat = torch.cat([tensor.flatten() for tensor in tensors])
    dist.all_reduce(flat)
    flat /= number()
    for tensor, part in zip(tensors, flat.split([tensor.numel() for tensor in tensors]), strict=True):
        tensor.copy_(part.view_as(tensor))


def _several() -> bool:
    return dist.is_available() and dist.is_initialized()
