"""Algorithms compared over several tracks and seeds, by the definitions of Agarwal et al. 2021 (rliable).

A *run* is an algorithm with a seed on a track. Its *normalized score* is the mean over opponents of
``(win rate − that of random-play) / (that of the top − that of random-play)`` on the same deals: 0 is as strong as
``random-play``, 1 as the top, the frozen policy of the suite's track, or ``tuned`` where a track is one's own. Tracks
count alike. Intervals are 95 % of 2,000 bootstrap draws of seeds, stratified by track (SciPy); an algorithm with one
seed on a track has none.

- *IQM*, the interquartile mean: the mean of the middle half of all runs.
- *Probability of improvement* of X over Y: how often a run of X beats one of Y on the same track (ties count half). It
  is reported for algorithms with :data:`LEAST_SEEDS` seeds or more on each track.
- *Performance profile*: the share of runs above each score.
- *Sample* and *time efficiency*: the IQM over the decisions and over the minutes of the training.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import scipy

from train.evaluation.estimate import Estimate
from train.evaluation.scores import Score
from uno_env.core.arrays import Floats

Runs: TypeAlias = dict[str, dict[str, Floats]]
"""Normalized scores [seeds] of each algorithm, by track."""
Curve: TypeAlias = list[tuple[float, Estimate]]

DRAWS = 2_000
LEAST_SEEDS = 5
"""Of three runs against three, all win in one case of ten by chance alone, and their bootstrap knows no doubt."""
POINTS = 12
"""Of each efficiency curve."""

_Points: TypeAlias = dict[float, dict[str, float]]
"""Win rate by opponent at each point of a run."""


def normalized(scores: Iterable[Score]) -> Runs:
    """Normalized scores of the final policies, by algorithm and track, in the order of their seeds; of the algorithms
    that have all tracks. Raises ValueError if there is none such, a track lacks the scores of the references, or a run
    lacks an opponent that others met.
    """
    finals = [score for score in scores if score.final]
    every = {score.track for score in finals}
    runs = {
        algorithm: {track: np.array([values[0] for _, values in lines]) for track, lines in tracks.items()}
        for algorithm, tracks in _curves(finals, lambda score: 0.0).items()
        if tracks.keys() == every
    }
    if not runs:
        raise ValueError("no algorithm has scores on all tracks")
    return runs


def _curves(
    scores: Sequence[Score], place: Callable[[Score], float], final: Iterable[Score] | None = None
) -> dict[str, dict[str, list[tuple[Floats, Floats]]]]:
    """Places and normalized scores [points] of each run, by algorithm and track, in the order of the seeds."""
    scale = reference_rates(scores if final is None else final)
    runs: dict[tuple[str, str, int], _Points] = defaultdict(lambda: defaultdict(dict))
    for score in scores:
        if not score.is_end:
            runs[score.algorithm, score.track, score.seed][place(score)][score.opponent] = score.win_rate
    lines: dict[str, dict[str, list[tuple[Floats, Floats]]]] = defaultdict(lambda: defaultdict(list))
    for (algorithm, track, seed), points in sorted(runs.items(), key=lambda run: run[0][2]):
        for rates in points.values():
            if rates.keys() != scale[track].keys():
                raise ValueError(
                    f"{algorithm}, seed {seed}, met {', '.join(rates)} on {track}, the references met "
                    f"{', '.join(scale[track])}: give scores against the same opponents"
                )
        places = sorted(points)
        ends = scale[track]
        values = [
            np.mean([(rate - ends[name][0]) / (ends[name][1] - ends[name][0]) for name, rate in points[x].items()])
            for x in places
        ]
        lines[algorithm][track].append((np.array(places), np.array(values)))
    return lines


def reference_rates(scores: Iterable[Score]) -> dict[str, dict[str, tuple[float, float]]]:
    """Win rates of the two references against each opponent, by track. Raises ValueError if some are not there."""
    scores = list(scores)
    rates = {(score.track, score.opponent, score.algorithm): score.win_rate for score in scores}
    scale: dict[str, dict[str, tuple[float, float]]] = defaultdict(dict)
    for track, opponent, ends in dict.fromkeys((score.track, score.opponent, score.ends) for score in scores):
        found = [rates.get((track, opponent, name)) for name in ends]
        low, high = found
        if low is None or high is None or low == high:
            raise ValueError(
                f"the scores of {' and '.join(ends)} against {opponent} on {track} are needed, and must differ, "
                "to compare tracks: `uno benchmark run` writes them with its own"
            )
        scale[track][opponent] = (low, high)
    return scale


# --- what is reported -------------------------------------------------------------------------------------------------


def interquartile_mean(values: Any) -> Any:
    """The mean of the middle half of the values along the last axis."""
    return scipy.stats.trim_mean(values, 0.25, axis=-1)


def iqm(tracks: Mapping[str, Floats]) -> Estimate:
    """The interquartile mean of an algorithm's runs on all its tracks."""
    return _bootstrap(list(tracks.values()), lambda *parts: interquartile_mean(np.concatenate(parts, axis=-1)))


def seeds(tracks: Mapping[str, Floats]) -> int:
    """The number of runs that an algorithm has on the track where it has the fewest."""
    return min(map(len, tracks.values()))


def improvement(first: Mapping[str, Floats], second: Mapping[str, Floats]) -> Estimate:
    """The probability that a run of ``first`` beats one of ``second``. Raises ValueError if they share no track."""
    tracks = [track for track in first if track in second]
    if not tracks:
        raise ValueError("two algorithms that share no track cannot be compared")

    def probability(*parts: Floats) -> Floats:
        pairs = zip(parts[: len(tracks)], parts[len(tracks) :], strict=True)
        return np.mean([_wins(one, other) for one, other in pairs], axis=0)

    return _bootstrap([first[track] for track in tracks] + [second[track] for track in tracks], probability)


def _wins(first: Floats, second: Floats) -> Floats:
    """Share of pairs [..., n] × [..., m] in which the first is higher. A tie counts as half."""
    difference = first[..., :, None] - second[..., None, :]
    return ((difference > 0) + 0.5 * (difference == 0)).mean(axis=(-1, -2))


def profile(tracks: Mapping[str, Floats], levels: Floats) -> list[Estimate]:
    """Share of an algorithm's runs above each level. All tracks count alike."""

    def above(level: float) -> Callable[..., Any]:
        return lambda *parts: np.mean([(part > level).mean(axis=-1) for part in parts], axis=0)

    return [_bootstrap(list(tracks.values()), above(level)) for level in levels]


def efficiency(scores: Iterable[Score], unit: str) -> dict[str, Curve]:
    """The IQM of each algorithm over its training. A run is taken as straight between two points of its learning curve.

    The ``unit`` is ``decisions`` or ``seconds``. Curves go from the latest first point of an algorithm's runs to the
    earliest last one; algorithms without learning curves are left out.
    """
    scores = list(scores)
    lines = _curves(
        [score for score in scores if not score.final],
        lambda score: float(getattr(score, unit)),
        [score for score in scores if score.final],
    )
    return {algorithm: _curve(list(tracks.values())) for algorithm, tracks in lines.items()}


def _curve(tracks: Sequence[Sequence[tuple[Floats, Floats]]]) -> Curve:
    """The IQM over runs, each a line of xs and normalized scores, track by track."""
    first = max(xs[0] for runs in tracks for xs, _ in runs)
    last = min(xs[-1] for runs in tracks for xs, _ in runs)
    places = np.geomspace(max(first, 1.0), max(last, first, 1.0), POINTS)
    points = []
    for x in places:
        parts = {str(index): np.array([np.interp(x, *run) for run in runs]) for index, runs in enumerate(tracks)}
        points.append((float(x), iqm(parts)))
    return points


def _bootstrap(parts: Sequence[Floats], statistic: Callable[..., Any]) -> Estimate:
    """Return a statistic of samples [n_i] with its stratified percentile interval. A sample of one has no interval."""
    mean = float(statistic(*parts))
    if min(map(len, parts)) < 2:
        return Estimate(mean, np.nan, sum(map(len, parts)), np.nan, np.nan)
    draws = scipy.stats.bootstrap(
        parts,
        lambda *samples, axis: statistic(*(np.moveaxis(sample, axis, -1) for sample in samples)),
        n_resamples=DRAWS,
        method="percentile",
        rng=np.random.default_rng(0),
        vectorized=True,
    )
    low, high = draws.confidence_interval
    return Estimate(mean, float(draws.standard_error), sum(map(len, parts)), float(low), float(high))
