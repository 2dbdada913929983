"""train/evaluation/estimate.py: means, intervals, arithmetic, and how they are shown."""

import math

import numpy as np
import pytest

from train.evaluation.estimate import Z_95, Estimate

SAMPLES = np.random.default_rng(0).random(50)


def test_a_mean_has_the_error_of_its_samples() -> None:
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


def test_sums_and_differences_have_the_errors_of_both() -> None:
    one, other = Estimate.normal(0.6, 0.03, 100), Estimate.normal(0.5, 0.04, 80)
    assert one - other == Estimate.normal(0.6 - 0.5, 0.05, 80)
    assert one - 0.25 == Estimate.normal(0.35, 0.03, 100)
    assert -one == Estimate.normal(-0.6, 0.03, 100)


def test_shares_end_at_0_and_1() -> None:
    for mean in (0.0, 0.01, 0.5, 0.99, 1.0):
        share = Estimate.normal(mean, 0.1, 9).share()
        assert 0 <= share.low <= mean <= share.high <= 1


def test_bootstrap_intervals_hold_95_of_100_draws() -> None:
    draws = np.arange(1001.0)
    assert (Estimate.bootstrapped(3.0, draws).low, Estimate.bootstrapped(3.0, draws).high) == (25, 975)


def test_texts_and_plain_values() -> None:
    estimate = Estimate.normal(0.5234, 0.004, 100)
    assert estimate.text() == "52.3 ± 0.8"
    assert (estimate - 0.5).text(2, "+") == "+2.34 ± 0.78"
    assert Estimate.from_dict(estimate.to_dict("win_rate"), "win_rate").text() == estimate.text()
    few = Estimate.wilson(1, 10)
    assert few.text() == "100.0 (72.2 to 100.0)", "no interval goes beyond 100 %"
    assert (-few).text(sign="+", scale=1) == "-1.0 ± 0.1"
    assert Estimate.wilson(0.0003, 10_000).text() == "0.0 ± 0.1"


def test_wilsons_interval_of_a_share() -> None:
    """The figures of Wilson's formula for 0 and for 8 of 10; it is never empty and never leaves 0 to 1."""
    none, most, all_of_them = (Estimate.wilson(share, 10) for share in (0.0, 0.8, 1.0))
    assert (none.low, none.high) == (0.0, pytest.approx(0.27753, abs=1e-5))
    assert (most.low, most.high) == (pytest.approx(0.49016, abs=1e-5), pytest.approx(0.94332, abs=1e-5))
    assert (all_of_them.low, all_of_them.high) == (pytest.approx(1 - 0.27753, abs=1e-5), 1.0)
    assert none.n == 10


@pytest.mark.parametrize("number", [2, 10, 1000])
def test_of_games_that_are_won_or_lost_it_is_wilsons_interval(number):
    for wins in range(number + 1):
        share = wins / number
        error = math.sqrt(share * (1 - share) / (number - 1))
        given, expected = Estimate.of_share(share, error, number, number), Estimate.wilson(share, number)
        assert (given.low, given.high) == pytest.approx((expected.low, expected.high), abs=1e-12)
        assert (given.error, given.n) == (error, number)


@pytest.mark.parametrize("score", [0.0, 0.5, 1.0])
def test_a_few_deals_that_score_alike_do_not_pretend(score):
    few, many = (Estimate.of(np.full(deals, score)).share() for deals in (10, 100_000))
    assert few.error == 0
    assert few.high - few.low > 0.1
    assert many.high - many.low < 0.001
    assert few.low <= score <= few.high


def test_many_deals_have_the_normal_interval():
    scores = np.random.default_rng(1).choice([0, 0.5, 1], 10_000, p=[0.2, 0.5, 0.3])
    normal = Estimate.of(scores)
    share = normal.share()
    assert (share.low, share.high) == pytest.approx((normal.low, normal.high), abs=2e-3 * normal.half)


@pytest.mark.parametrize("deals", [5, 10, 30])
def test_95_of_100_intervals_of_few_deals_hold_the_truth(deals):
    """Exactly, by all outcomes of deals that score 0, 1/2 or 1; the normal interval holds it half as often at worst."""
    log = [math.lgamma(number + 1) for number in range(deals + 1)]
    covered = []
    for chances in ((0.25, 0.5, 0.25), (0.1, 0.6, 0.3), (0.02, 0.26, 0.72), (0.01, 0.09, 0.9), (0.05, 0.9, 0.05)):
        truth, inside = chances[1] / 2 + chances[2], 0.0
        for lost, drawn in ((a, b) for a in range(deals + 1) for b in range(deals + 1 - a)):
            counts = (lost, drawn, deals - lost - drawn)
            ways = log[deals] - sum(log[count] for count in counts)
            weight = math.exp(ways + sum(count * math.log(p) for count, p in zip(counts, chances, strict=True)))
            estimate = Estimate.of(np.repeat([0, 0.5, 1], counts)).share()
            inside += weight * (estimate.low <= truth <= estimate.high)
        covered.append(inside)
    assert min(covered) > 0.88
    assert np.mean(covered) > 0.94
