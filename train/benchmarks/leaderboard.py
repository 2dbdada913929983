"""The leaderboard of a suite, made from the files of its submissions: :func:`tables`."""

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from train.benchmarks import comparison
from train.benchmarks.measuring import scale_scores
from train.benchmarks.submission import Submission, budget_of, read_submissions, run_of
from train.common.suite import BOTTOM, TOP, Suite
from train.common.table import MarkdownTable
from train.evaluation.ratings import bradley_terry
from train.evaluation.scores import Score


def submission_files(suite: Suite) -> list[Path]:
    """The files of the submissions that come with a suite."""
    return sorted((suite.folder / "scores").glob("*.json"))


def tables(suite: Suite, files: Sequence[Path]) -> list[MarkdownTable]:
    """The leaderboard: comparisons by budget, Elo by track, and cards. Raises ValueError if a file is no submission."""
    submissions, shown = read_submissions(files, suite), []
    for (budget, _), scores in compared(suite, submissions).items():
        made = f"{budget:,} decisions at most, " if budget else "any number of decisions, "
        shown += comparison.tables(comparison.compare(scores), made)
        shown += [_elo(suite, name, scores, made) for name in dict.fromkeys(score.track for score in scores)]
    return [*shown, _cards(submissions, suite)] if submissions else []


def compared(suite: Suite, submissions: Sequence[Submission]) -> dict[tuple[int, bool], list[Score]]:
    """The final scores that are compared, with the ends of their tracks' scales: by the budget that they keep to (0:
    none) and whether the track has a list of rules to train by."""
    groups = defaultdict[tuple[int, bool], list[Score]](list)
    for score in (score for each in submissions for score in each.scores if score.final):
        track = suite.track_of_score(score.track)
        groups[budget_of(score, track.budgets), len(track.training) > 1].append(score)
    for scores in groups.values():
        names = dict.fromkeys(score.track.partition("/")[0] for score in scores)
        scores += [end for name in names for end in scale_scores(suite.track(name))]
    return groups


def _elo(suite: Suite, track: str, scores: Sequence[Score], made: str) -> MarkdownTable:
    """Bradley–Terry ratings of all policies and opponents of a track, with ``random-play`` at 0."""
    here = [score for score in scores if score.track == track]
    names = list(dict.fromkeys([*(score.opponent for score in here), *(score.algorithm for score in here)]))
    wins = np.zeros((len(names), len(names)))
    par = np.mean([1 / rules.players for rules in suite.track_of_score(track).table_rules(track)])
    for score in here:
        one, other = names.index(score.algorithm), names.index(score.opponent)
        if one != other:
            wins[one, other] += score.win_rate / par * score.deals
            wins[other, one] += (1 - score.win_rate) / (1 - par) * score.deals
    elo = bradley_terry(wins, names.index(BOTTOM))
    rows = [[f"`{names[place]}`", f"{elo[place]:+.0f}"] for place in np.argsort(-elo)]
    return MarkdownTable(
        f"**{track}**, {made}Elo points, `{BOTTOM}` 0, `{TOP}` is the frozen policy", ["player", "Elo"], rows
    )


def _cards(submissions: Sequence[Submission], suite: Suite) -> MarkdownTable:
    rows = []
    for each in submissions:
        runs = len({run_of(score, suite) for score in each.scores if score.final})
        choices = max(score.choices for score in each.scores)
        card = each.card
        about = card.about + (f" [Code]({card.link})" if card.link else "")
        learned = f"{choices:,}" if choices else "not told"
        rows.append(
            [f"`{card.name}`", card.authors, " ".join(about.split()), str(runs), str(len(each.verified)), learned]
        )
    headings = ["submission", "authors", "what it is", "runs", "of these measured again", "choices learned from"]
    return MarkdownTable("**Submissions**", headings, rows, words=3)
