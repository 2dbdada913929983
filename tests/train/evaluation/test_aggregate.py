"""train/evaluation/aggregate.py: normalized scores, IQM, probability of improvement, profiles, efficiency."""

from collections.abc import Iterator

import numpy as np
import pytest

pytest.importorskip("scipy")

from train.benchmarks.comparison import compare
from train.evaluation.aggregate import efficiency, improvement, interquartile_mean, iqm, normalized, profile
from train.evaluation.scores import Score

LOW, HIGH = {"a": 0.5, "b": 0.2}, {"a": 0.7, "b": 0.4}


def scores(algorithm: str, rates: dict[str, float], seed: int = 0, track: str = "t", at: int = 0) -> Iterator[Score]:
    for opponent, rate in rates.items():
        yield Score(algorithm, track, seed, opponent, rate, 0, 1, 10, 2, at, at / 10, at == 0)


def references(track: str = "t") -> list[Score]:
    return [*scores("random-play", LOW, track=track), *scores("tuned", HIGH, track=track)]


def test_scores_are_normalized_by_the_references_and_averaged_over_opponents() -> None:
    runs = normalized(
        [
            *references(),
            *scores("ppo", {"a": 0.6, "b": 0.4}, seed=1),
            *scores("ppo", {"b": 0.2, "a": 0.5}, seed=0),
            *scores("ppo", {"b": 0.9, "a": 0.9}, at=5),
        ]
    )
    assert list(runs) == ["ppo"]
    assert runs["ppo"]["t"] == pytest.approx([0.0, 0.75])


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (references()[1:], "scores of random-play and tuned against a on t are needed"),
        ([*references(), *scores("ppo", {"a": 0.5})], "ppo, seed 0, met a on t, the references met a, b"),
        ([*references(), *scores("ppo", {"a": 0.5}, track="u")], "against a on u are needed"),
        ([*scores("random-play", LOW), *scores("tuned", LOW)], "must differ"),
        (references(), "^no algorithm has scores on all tracks$"),
    ],
)
def test_what_cannot_be_normalized_is_refused(given: list[Score], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        normalized(given)


def test_the_interquartile_mean_is_that_of_the_middle_half() -> None:
    assert interquartile_mean(np.array([100.0, 1, 2, 3, 4, 5, 6, -100])) == pytest.approx(3.5)
    estimate = iqm({"t": np.array([0.0, 1, 2, 3]), "u": np.array([4.0, 5, 6, 7])})
    assert estimate.mean == pytest.approx(3.5)
    assert estimate.low < 3.5 < estimate.high
    assert iqm({"t": np.full(5, 0.25), "u": np.full(5, 0.25)}).low == 0.25
    assert np.isnan(iqm({"t": np.array([0.5])}).low), "one seed has no interval"


def test_intervals_are_stratified_and_repeatable() -> None:
    """Where runs differ by track alone, drawing seeds within tracks changes nothing."""
    tracks = {"t": np.full(4, 0.0), "u": np.full(4, 1.0)}
    estimate = iqm(tracks)
    assert (estimate.low, estimate.mean, estimate.high) == (0.5, 0.5, 0.5)
    noisy = {"t": np.random.default_rng(0).normal(size=10)}
    assert iqm(noisy) == iqm(noisy)


def test_probability_of_improvement_counts_pairs_and_ties_by_half() -> None:
    one, other = {"t": np.array([1.0, 3]), "u": np.array([1.0, 1])}, {"t": np.array([2.0, 2]), "u": np.array([1.0, 0])}
    assert improvement(one, other).mean == pytest.approx((0.5 + 0.75) / 2)
    assert improvement(other, one).mean == pytest.approx((0.5 + 0.25) / 2)
    assert improvement({"t": np.ones(3)}, {"t": np.zeros(3)}).low == 1
    with pytest.raises(ValueError, match="share no track"):
        improvement({"t": np.ones(3)}, {"u": np.ones(3)})


def test_profiles_are_shares_above_each_level() -> None:
    tracks = {"t": np.array([0.0, 1.0]), "u": np.array([1.0, 1.0])}
    shares = profile(tracks, np.array([-1.0, 0.0, 0.5, 1.0]))
    assert [each.mean for each in shares] == [1.0, 0.75, 0.75, 0.0]


def test_efficiency_is_the_iqm_over_the_training() -> None:
    given = [*references(), *scores("ppo", HIGH)]
    for seed, slope in enumerate((1, 1, 3, 3)):
        for at in (10, 100):
            share = slope * at / 300
            given += scores("ppo", {name: LOW[name] + share * (HIGH[name] - LOW[name]) for name in LOW}, seed, at=at)
    curve = efficiency(given, "decisions")["ppo"]
    assert [curve[0][0], curve[-1][0]] == pytest.approx([10, 100])
    assert [curve[0][1].mean, curve[-1][1].mean] == pytest.approx([2 * 10 / 300, 2 * 100 / 300])
    seconds = efficiency(given, "seconds")["ppo"]
    assert [seconds[0][0], seconds[-1][0]] == pytest.approx([1, 10])


def test_tracks_that_cannot_be_compared_are_reported_one_by_one() -> None:
    same = [*scores("random-play", LOW), *scores("tuned", LOW), *scores("ppo", HIGH)]
    for given, reason in (
        (same, "must differ"),
        ([*scores("ppo", HIGH)], "are needed"),
        (references(), "no algorithm"),
    ):
        compared = compare(given)
        assert list(compared["tracks"]) == ["t"]
        assert compared["aggregate"] is None
        assert reason in compared["reason"]
    assert compare([*references(), *scores("ppo", HIGH)])["aggregate"]["iqm"]["ppo"]["mean"] == pytest.approx(1)
