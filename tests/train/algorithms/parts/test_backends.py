"""Where networks compute: how a backend divides what a training step sees."""

import pytest

pytest.importorskip("torch")

import torch

from train.algorithms.parts.backends import CudaBackend


@pytest.mark.parametrize(("rows", "sizes"), [(12, [4, 4, 4]), (11, [4, 7]), (8, [4, 4]), (7, [7]), (4, [4]), (3, [3])])
def test_minibatches_of_graphs_have_one_size_but_for_the_last(rows: int, sizes: list[int]) -> None:
    """A graph repeats one size; what is left over after whole minibatches belongs to the last of them."""
    parts = CudaBackend("cpu", cuda_graphs=True).minibatches(torch.arange(rows), 4, float(rows))
    assert [len(part) for part in parts] == sizes
    assert torch.cat(tuple(parts)).tolist() == list(range(rows))
