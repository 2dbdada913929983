"""train/evaluation/luck/adjusted.py: the mean stays, and 95 of 100 intervals hold the truth, with few deals, too."""

import numpy as np
import pytest

from train.evaluation.luck.adjusted import LuckAdjusted

TRUTH = {"fair": 0.53, "lopsided": 0.97}


def games(kind, deals, rng):
    """Scores [deals, 2], and luck that knows half of each in the first case, and next to nothing in the second."""
    chance = rng.random((deals, 2))
    scores = (chance < TRUTH[kind]).astype(float)
    known = np.clip(chance + rng.normal(0, 0.15, chance.shape), 0, 1) if kind == "fair" else rng.random(chance.shape)
    luck = (0.5 - known) * 0.9
    return scores, luck - (0.0 if kind == "lopsided" else MEAN)


MEAN = float(((0.5 - np.clip(np.random.default_rng(9).random(400_000)
                             + np.random.default_rng(8).normal(0, 0.15, 400_000), 0, 1)) * 0.9).mean())  # fmt: skip


@pytest.mark.parametrize("deals", [10, 30, 100])
@pytest.mark.parametrize("kind", TRUTH)
def test_few_deals_give_no_more_certainty_than_they_have(kind, deals):
    rng = np.random.default_rng(deals)
    results = [LuckAdjusted.of("some", *games(kind, deals, rng)) for _ in range(1_000)]
    rates = np.array([result.win_rate for result in results])
    plain = (TRUTH[kind] * (1 - TRUTH[kind]) / deals / 2) ** 0.5
    assert abs(rates.mean() - TRUTH[kind]) < 4 * rates.std() / len(rates) ** 0.5
    assert rates.std() < (0.85 if kind == "fair" else 2.2 if deals == 10 else 1.5 if deals == 30 else 1.1) * plain
    inside = np.mean([result.low <= TRUTH[kind] <= result.high for result in results])
    assert inside > (0.93 if kind == "fair" else 0.9)


def test_how_much_is_subtracted():
    rng = np.random.default_rng(0)
    fair, lopsided = (LuckAdjusted.of("some", *games(kind, 2_000, rng)) for kind in TRUTH)
    assert fair.subtracted > 0.7
    assert fair.gain > 1.4
    assert abs(lopsided.subtracted) < 0.1
    assert lopsided.gain == pytest.approx(1, abs=0.05)


def test_without_any_luck_nothing_changes():
    scores = np.random.default_rng(1).integers(0, 2, (50, 2)).astype(float)
    result = LuckAdjusted.of("some", scores, np.zeros(100))
    assert (result.win_rate, result.gain) == (scores.mean(), pytest.approx(1))
