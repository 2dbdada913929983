"""The worth of reading the rules on ``unseen-rules``: algorithms beside the same ones that do not see the rules."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np
from scipy import stats

from tools.benchmark.blanked_rules import TRACK
from train.benchmarks.checked_scores import budget_of
from train.benchmarks.leaderboard import compared, scores_of, submission_files
from train.benchmarks.measured_here import Status
from train.benchmarks.submission import Submission, read_submissions
from train.common.suite import Suite, read_suite
from train.common.table import MarkdownTable
from train.evaluation.aggregate import normalized

PAIRS = {"before": ("ppo", "ppo-blanked"), "today": ("ppo-layout-3", "ppo-blanked-layout-3")}
"""By the scales of the observations, the submission that reads the rules, and the one that does not see them."""
ALL = "all four"
"""The name of the mean over the lists of rule sets."""


Strength: TypeAlias = dict[str, list[float]]
"""Mean win rates over the opponents, in per cent, of the runs of one submission [runs], by list of rule sets."""


def reading_tables(suite: Suite | None = None) -> str:
    """The tables of the page: ``ppo`` with and without the rules by scales and budget, and the frozen policy."""
    suite = suite or read_suite()
    submissions = read_submissions(submission_files(suite), suite)
    tables = [ppo_table(suite, submissions), frozen_table(suite, submissions)]
    return "\n\n".join(table.markdown() for table in tables if table.rows)


def ppo_table(suite: Suite, submissions: Sequence[Submission]) -> MarkdownTable:
    """A row for the scales before and today, each budget and list of rule sets."""
    found, rows = strengths(suite, submissions), []
    for scales, pair in PAIRS.items():
        for budget in suite.track(TRACK).budgets:
            if all((name, budget) in found for name in pair):
                reading, blanked = (found[name, budget] for name in pair)
                rows += [[scales, f"{budget:,}", name, *_compared(reading[name], blanked[name])] for name in reading]
    title = (
        "Mean win rates over the opponents in per cent, and by how much `ppo` is stronger: the mean over runs, with "
        "the 95 % interval of Welch's t-test. One run alone has no interval."
    )
    headings = ["scales", "budget", "list", "runs", "`ppo`", "`ppo-blanked`", "difference"]
    return MarkdownTable(title, headings, rows)


def _compared(reading: Sequence[float], blanked: Sequence[float]) -> list[str]:
    difference = f"{np.mean(reading) - np.mean(blanked):+.1f}"
    if min(len(reading), len(blanked)) > 1:
        low, high = stats.ttest_ind(reading, blanked, equal_var=False).confidence_interval(0.95)
        difference += f" ({low:+.1f} to {high:+.1f})"
    runs = f"{len(reading)}, {len(blanked)}"
    return [runs, f"{np.mean(reading):.1f}", f"{np.mean(blanked):.1f}", difference.replace("-", "−")]


def strengths(suite: Suite, submissions: Sequence[Submission]) -> dict[tuple[str, int], Strength]:
    """The strength of all that was measured on the track, by submission and budget; lists in the order of the track,
    then :data:`ALL`. The runs are in the order of their seeds.
    """
    rates: dict[tuple[str, int], dict[str, dict[int, list[float]]]] = defaultdict(
        lambda: defaultdict(lambda: defaultdict(list))
    )
    track = suite.track(TRACK)
    for score in scores_of(suite, submissions, Status.MEASURED):
        base, _, name = score.track.partition("/")
        if base == TRACK:
            rates[score.algorithm, budget_of(score, track.budgets)][name][score.seed].append(100 * score.win_rate)
    return {key: _strength(by_list) for key, by_list in rates.items()}


def _strength(rates: Mapping[str, Mapping[int, Sequence[float]]]) -> Strength:
    by_list = {name: [float(np.mean(runs[seed])) for seed in sorted(runs)] for name, runs in rates.items()}
    return {**by_list, ALL: np.mean(list(by_list.values()), axis=0).tolist()}


def frozen_table(suite: Suite, submissions: Sequence[Submission]) -> MarkdownTable:
    """The normalized score of the frozen policy that does not see the rules, on each list."""
    scores = [score for group, found in compared(suite, submissions).items() if not group.budget for score in found]
    runs = normalized(scores).get("frozen-blanked", {}) if scores else {}
    rows = [[name.partition("/")[2], f"{values.mean():.2f}"] for name, values in runs.items()]
    return MarkdownTable(
        "Normalized scores of `frozen-blanked`; `frozen` has 1, and `random-play` 0.", ["list", "score"], rows
    )
