"""The generated parts of the leaderboard page: its tables, and the differences that ten seeds can tell."""

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from scipy import optimize, stats

from tools.benchmark import tuning
from tools.benchmark.table import ABOUT
from train.benchmarks import leaderboard
from train.benchmarks.checked_scores import budget_of
from train.benchmarks.submission import read_submissions
from train.common.suite import BOTTOM, Suite, read_suite
from train.common.table import MarkdownTable

SEEDS, LEAST_SEEDS = 10, 5
"""Runs of each of two algorithms that are compared; runs from which a spread is estimated at least."""
POWER, LEVEL = 0.8, 0.05


def leaderboard_tables() -> str:
    """The leaderboard of the suite: the means over tracks with one rule set, and folded below them all other tables."""
    suite = read_suite()
    submissions = read_submissions(leaderboard.submission_files(suite), suite)
    boards = leaderboard.boards(suite, submissions)
    over_tracks = [board.together for board in boards if not board.lists and board.together]
    shown = [means.markdown() for means, *_ in over_tracks]
    shown += [folded("Who beats whom, in per cent", [matrix for _, *more in over_tracks for matrix in more])]
    for board in boards:
        shown += [folded(board.title, [*(board.together if board.lists else []), *board.tracks, *board.elo])]
    shown += [folded("Apart from the ratings", leaderboard.tables_apart(suite, submissions))]
    shown += [folded("What the runs can tell apart", [told_apart(suite)])]
    shown += [folded("How long a submission takes", [cost_table(suite)])]
    shown += [folded("What the search for options gained", [search_table()])]
    shown += [folded("Submissions", [leaderboard.cards_table(suite, submissions)])]
    return "\n\n".join(part for part in shown if part)


def folded(summary: str, tables: Sequence[MarkdownTable]) -> str:
    """Tables that a browser shows after a click on the summary; nothing if they have no rows."""
    parts = [table.markdown() for table in tables if table.rows]
    return "\n\n".join([f"<details>\n<summary>{summary}</summary>", *parts, "</details>"]) if parts else ""


def cost_table(suite: Suite) -> MarkdownTable:
    """Core hours of training for a whole submission, by budget and algorithm: the median of the runs on each track,
    times the seeds.
    """
    seconds: dict[tuple[int, str], dict[str, dict[int, float]]] = defaultdict(lambda: defaultdict(dict))
    for submission in read_submissions(leaderboard.submission_files(suite), suite):
        for score in submission.scores:
            track = suite.track_of_score(score.track)
            if score.final and (budget := budget_of(score, track.budgets)):
                seconds[budget, score.algorithm][score.track.partition("/")[0]][score.seed] = score.seconds
    rows = []
    for (budget, algorithm), by_track in sorted(seconds.items()):
        hours = {name: LEAST_SEEDS * float(np.median([*runs.values()])) / 3600 for name, runs in by_track.items()}
        single = [name for name in suite.tracks if len(suite.track(name).training) < 2]
        together = f"{sum(hours[name] for name in single):.2f}" if hours.keys() >= set(single) else ""
        apart = [f"{hours[name]:.2f}" if name in hours else "" for name in suite.tracks if name not in single]
        if together:
            rows.append([f"`{algorithm}`", f"{budget:,}", together, *apart])
    title = (
        f"Core hours of training for {LEAST_SEEDS} seeds on each track: all tracks with one rule set together, and the "
        "others. The runs were done on several machines."
    )
    others = [f"`{name}`" for name in suite.tracks if len(suite.track(name).training) > 1]
    return MarkdownTable(title, ["algorithm", "budget", "tracks with one rule set", *others], rows)


def search_table() -> MarkdownTable:
    """The gain from the search for options, by algorithm: trial 0 is the config that ships, with one seed."""
    rows = []
    for family, (name, _) in ABOUT.items():
        trials = {trial["trial"]: trial for trial in tuning.trials() if trial["family"] == family}
        if trials and tuning.is_done(family):
            best = max((trial for trial in trials.values() if "again" in trial), key=tuning.mean_strength)
            lucky = max(trials.values(), key=lambda trial: trial["strength"])
            ships, found = 100 * trials[0]["strength"], 100 * tuning.mean_strength(best)
            seeds = ", ".join(f"{100 * value:.1f}" for value in (lucky["strength"], *lucky["again"]))
            rows.append([f"`{name}`", f"`{tuning.track_of(family)}`", f"{ships:.1f}", f"{found:.1f}",
                         f"{found - ships:.1f}", seeds])  # fmt: skip
    title = (
        "Strength on deals of the search's own: of the config that ships (one seed), and of the best trial (the mean "
        "of three). The last column has the three seeds of the trial that was best with the first one."
    )
    heads = ["algorithm", "track", "config that ships", "best trial", "gain", "best with the first seed"]
    return MarkdownTable(title, heads, rows)


def told_apart(suite: Suite) -> MarkdownTable:
    """For each track and budget the difference that :data:`SEEDS` runs of each algorithm can tell.

    A run below random play has failed, and is left out: with it, nothing could be told.
    """
    runs: dict[tuple[str, int, str, int], list[float]] = defaultdict(list)
    for submission in read_submissions(leaderboard.submission_files(suite), suite):
        for score in submission.scores:
            if score.final:
                budget = budget_of(score, suite.track_of_score(score.track).budgets)
                runs[score.track, budget, score.algorithm, score.seed].append(score.win_rate)
    strengths: dict[tuple[str, int], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for (track, budget, algorithm, _), rates in runs.items():
        strengths[track, budget][algorithm].append(100 * float(np.mean(rates)))
    rows = []
    for (track, budget), found in sorted(strengths.items(), key=lambda each: each[0][1]):
        enough = [values for values in found.values() if len(values) >= LEAST_SEEDS]
        if enough:
            least = 100 * np.mean(list(suite.track_of_score(track).scale[track][BOTTOM].values()))
            sound = [[value for value in values if value >= least] for values in enough]
            failed = sum(map(len, enough)) - sum(map(len, sound))
            spread = pooled_deviation(sound)
            told = f"{spread * detectable(SEEDS):.1f}"
            rows.append([f"`{track}`", f"{budget:,}", f"{len(enough)}", str(failed), f"{spread:.2f}", told])
    title = (
        f"{SEEDS} seeds of each of two algorithms find the difference in the last column, in points of strength, in "
        "four cases of five. The standard deviation is that of the runs of one algorithm, over the algorithms with "
        f"{LEAST_SEEDS} seeds or more. Runs below `{BOTTOM}` have failed, and are left out of it."
    )
    headings = ["score", "budget", "algorithms", "runs left out", "standard deviation", "difference"]
    return MarkdownTable(title, headings, rows)


def pooled_deviation(groups: list[list[float]]) -> float:
    """The standard deviation within groups."""
    squares = sum(float(np.var(values) * len(values)) for values in groups)
    return float(np.sqrt(squares / sum(len(values) - 1 for values in groups)))


def detectable(seeds: int) -> float:
    """The smallest difference, in standard deviations, that a t-test finds with :data:`POWER` at :data:`LEVEL`, with
    ``seeds`` runs of each of two algorithms.
    """
    freedom = 2 * seeds - 2
    least = stats.t.ppf(1 - LEVEL / 2, freedom)

    def missing(difference: float) -> float:
        shift = difference * np.sqrt(seeds / 2)
        return float(stats.nct.sf(least, freedom, shift)) - POWER  # the other tail is below one in a thousand there

    return float(optimize.brentq(missing, 0.1, 5))
