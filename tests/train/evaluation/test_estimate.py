"""train/evaluation/estimate.py: means, intervals, arithmetic, and how they are shown."""

import math

import numpy as np
import pytest

from train.evaluation.estimate import Z_95, Estimate

SAMPLES = np.random.default_rng(0).random(50)


def test_of_samples() -> None:
    estimate = Estimate.of(SAMPLES)
    assert (estimate.mean, estimate.n) == (pytest.approx(SAMPLES.mean()), 50)
    assert estimate.error == pytest.approx(SAMPLES.std(ddof=1) / math.sqrt(50))
    assert (estimate.low, estimate.high) == (
        estimate.mean - Z_95 * estimate.error,
        estimate.mean + Z_95 * estimate.error,
    )
    assert Estimate.of(np.array([0.0, 1.0])).error == pytest.approx(0.5)
    with pytest.raises(ValueError, match="1 deals have no interval"):
        Estimate.of(np.zeros(1))


def test_pooled_is_that_of_all_samples_together() -> None:
    pooled, whole = Estimate.pooled([Estimate.of(SAMPLES[:20]), Estimate.of(SAMPLES[20:])]), Estimate.of(SAMPLES)
    assert (pooled.mean, pooled.error, pooled.n) == pytest.approx((whole.mean, whole.error, 50))


def test_arithmetic() -> None:
    one, other = Estimate.normal(0.6, 0.03, 100), Estimate.normal(0.5, 0.04, 80)
    assert one - other == Estimate.normal(0.6 - 0.5, 0.05, 80)
    assert one - 0.25 == Estimate.normal(0.35, 0.03, 100)
    assert -one == Estimate.normal(-0.6, 0.03, 100)


def test_shares_end_at_0_and_1() -> None:
    assert (Estimate.normal(0.01, 0.1, 9).share().low, Estimate.normal(0.99, 0.1, 9).share().high) == (0, 1)


def test_bootstrap_intervals_hold_95_of_100_draws() -> None:
    draws = np.arange(1001.0)
    assert (Estimate.bootstrapped(3.0, draws).low, Estimate.bootstrapped(3.0, draws).high) == (25, 975)


def test_texts_and_plain_values() -> None:
    estimate = Estimate.normal(0.5234, 0.004, 100)
    assert estimate.text() == "52.3 ± 0.8"
    assert (estimate - 0.5).text(2, "+") == "+2.34 ± 0.78"
    assert Estimate.from_dict(estimate.to_dict("win_rate"), "win_rate").text() == estimate.text()


def test_wilsons_interval_of_a_share() -> None:
    """The figures of Wilson's formula for 0 and for 8 of 10; it is never empty and never leaves 0 to 1."""
    none, most, all_of_them = (Estimate.wilson(share, 10) for share in (0.0, 0.8, 1.0))
    assert (none.low, none.high) == (0.0, pytest.approx(0.27753, abs=1e-5))
    assert (most.low, most.high) == (pytest.approx(0.49016, abs=1e-5), pytest.approx(0.94332, abs=1e-5))
    assert (all_of_them.low, all_of_them.high) == (pytest.approx(1 - 0.27753, abs=1e-5), 1.0)
    assert none.n == 10
