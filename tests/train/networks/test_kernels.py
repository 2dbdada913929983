"""train/networks/kernels.py: actions are drawn by their probabilities."""

import numpy as np
import pytest

from train.networks import kernels

pytestmark = pytest.mark.adapters


@pytest.mark.thorough
def test_samples_follow_the_masked_softmax():
    rng = np.random.default_rng(0)
    logits = np.array([1.0, -2.0, 50.0, 0.5, 1.5], np.float32)
    mask = np.array([1, 1, 0, 1, 1], np.uint8)
    number = 200_000
    chosen, logp = np.zeros(number, np.int64), np.zeros(number, np.float32)
    kernels.sample_masked(
        np.tile(logits, (number, 1)), np.tile(mask, (number, 1)), rng.random(number, np.float32), chosen, logp
    )
    exact = np.where(mask, np.exp(logits.astype(float)), 0)
    exact /= exact.sum()
    assert np.bincount(chosen, minlength=5) / number == pytest.approx(exact, abs=0.005)
    assert logp == pytest.approx(np.log(exact[chosen]), abs=1e-5)


@pytest.mark.parametrize("uniform", [0.0, 1 - 2**-24])
def test_samples_are_legal_at_both_ends_of_chance(uniform):
    mask = np.zeros((40, 6), np.uint8)
    mask[:, [1, 4]] = 1
    logits = np.random.default_rng(0).normal(0, 30, (40, 6)).astype(np.float32)
    chosen, logp = np.zeros(40, np.int64), np.zeros(40, np.float32)
    kernels.sample_masked(logits, mask, np.full(40, uniform, np.float32), chosen, logp)
    assert set(chosen.tolist()) <= {1, 4}
    assert np.isfinite(logp).all()
