"""The generated parts of the leaderboard page: its tables, and the differences that ten seeds can tell."""

from collections import defaultdict

import numpy as np
from scipy import optimize, stats

from train.benchmarks import leaderboard
from train.benchmarks.submission import read_submissions
from train.common.suite import BOTTOM, Suite, read_suite

SEEDS, LEAST_SEEDS = 10, 5
"""Runs of each of two algorithms that are compared; runs from which a spread is estimated at least."""
POWER, LEVEL = 0.8, 0.05


def leaderboard_tables() -> str:
    """The leaderboard of the suite, and what its runs can tell apart."""
    suite = read_suite()
    tables = leaderboard.tables(suite, leaderboard.submission_files(suite))
    shown = [table.markdown() for table in tables]
    return "\n\n".join([*told_apart(suite), *shown]) or "Nothing was submitted yet."


def told_apart(suite: Suite) -> list[str]:
    """For each track a sentence on the difference that :data:`SEEDS` runs of each algorithm can tell.

    A run below random play has failed, and is left out: with it, nothing could be told.
    """
    runs: dict[tuple[str, str, int], list[float]] = defaultdict(list)
    for submission in read_submissions(leaderboard.submission_files(suite), suite):
        for score in submission.scores:
            if score.final:
                runs[score.track, score.algorithm, score.seed].append(score.win_rate)
    strengths: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for (track, algorithm, _), rates in runs.items():
        strengths[track][algorithm].append(100 * float(np.mean(rates)))
    sentences = []
    for track, found in strengths.items():
        enough = [values for values in found.values() if len(values) >= LEAST_SEEDS]
        if enough:
            least = 100 * np.mean(list(suite.track_of_score(track).scale[track][BOTTOM].values()))
            sound = [[value for value in values if value >= least] for values in enough]
            failed = sum(map(len, enough)) - sum(map(len, sound))
            spread = pooled_deviation(sound)
            known = f"{len(enough)} of {len(found)} algorithms have {LEAST_SEEDS} seeds or more"
            known += f"; left out: {failed} below `{BOTTOM}`" if failed else ""
            sentences.append(
                f"On `{track}`, the strength of the runs of one algorithm has a standard deviation of {spread:.2f} "
                f"points ({known}); so {SEEDS} seeds of each of two algorithms tell a difference of "
                f"{spread * detectable(SEEDS):.1f} points in four cases of five."
            )
    return sentences


def pooled_deviation(groups: list[list[float]]) -> float:
    """The standard deviation within groups."""
    squares = sum(float(np.var(values) * len(values)) for values in groups)
    return float(np.sqrt(squares / sum(len(values) - 1 for values in groups)))


def detectable(seeds: int) -> float:
    """The difference, in standard deviations, that a t-test finds with :data:`POWER` at :data:`LEVEL`, with so many
    runs of each of two algorithms."""
    freedom = 2 * seeds - 2
    least = stats.t.ppf(1 - LEVEL / 2, freedom)

    def missing(difference: float) -> float:
        shift = difference * np.sqrt(seeds / 2)
        return float(stats.nct.sf(least, freedom, shift)) - POWER  # the other tail is below one in a thousand there

    return float(optimize.brentq(missing, 0.1, 5))
