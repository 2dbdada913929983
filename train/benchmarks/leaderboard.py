"""The leaderboard of a suite, made from the files of its submissions: :func:`tables`."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from train.benchmarks import comparison
from train.benchmarks.checked_scores import budget_of
from train.benchmarks.measured_here import Status, read_register, status_of
from train.benchmarks.measuring import scale_scores
from train.benchmarks.submission import Submission, checked_submissions
from train.common.suite import BOTTOM, TOP, Suite
from train.common.table import MarkdownTable
from train.evaluation.ratings import bradley_terry
from train.evaluation.scores import Score
from uno_env.common.plain_text import code_span, markdown

_APART = {
    Status.CODE: "code, not isolated: measured here, but the policy is code, which could look at hidden hands",
    Status.CLAIMED: "claimed by its author, not measured here",
}
"""The note on the tables that stand apart."""


class Board(NamedTuple):
    """Tables that compare what was measured here with one budget."""

    title: str
    lists: bool
    """True if its tracks have lists of rule sets to train on."""
    tracks: list[MarkdownTable]
    """One for each track."""
    together: list[MarkdownTable]
    """Those over all its tracks, if an algorithm has scores on all of them."""
    elo: list[MarkdownTable]
    """The Elo points on each track."""


class Group(NamedTuple):
    """The things that scores have in common if they are compared with each other."""

    budget: int
    """The decisions that their runs were given, beyond which some may have gone a little; 0 for any number."""
    trained_on_a_list: bool
    """True if their tracks have a list of rules to train by, beside other rules to be measured by."""


def submission_files(suite: Suite) -> list[Path]:
    """The files of the submissions that come with a suite."""
    return sorted((suite.folder / "scores").glob("*.json"))


def tables(suite: Suite, files: Sequence[Path]) -> list[MarkdownTable]:
    """The leaderboard: comparisons of what was measured here by budget, Elo by track, what is told apart from it, and
    cards. Raises ValueError if a file is no submission.
    """
    submissions = checked_submissions(files, suite)
    shown = [table for board in boards(suite, submissions) for table in (*board.tracks, *board.together, *board.elo)]
    shown += tables_apart(suite, submissions)
    return [*shown, cards_table(suite, submissions)] if submissions else []


def boards(suite: Suite, submissions: Sequence[Submission]) -> list[Board]:
    """The comparisons of scores measured here: one for each budget, those of the lists of rules apart."""
    found = []
    groups = compared(suite, submissions)
    for group in sorted(groups, key=lambda group: (group.trained_on_a_list, group.budget)):
        scores = groups[group]
        values = comparison.compare(scores)
        made = _made(group.budget, values)
        names = list(dict.fromkeys(score.track for score in scores))
        bases = dict.fromkeys(name.partition("/")[0] for name in names)
        marked = comparison.beyond(values, group.budget)
        elo = [_elo(suite, name, scores, made, marked) for name in names]
        tracks = comparison.track_tables(values, made, group.budget)
        together = comparison.aggregate_tables(values, made, group.budget)
        title = f"{', '.join(bases)}: {_name_of(group.budget)}"
        found.append(Board(title, group.trained_on_a_list, tracks, together, elo))
    return found


def tables_apart(suite: Suite, submissions: Sequence[Submission]) -> list[MarkdownTable]:
    """The tables of the scores that stand apart: measured policies that are code, and claims of authors."""
    shown = []
    for status in (Status.CODE, Status.CLAIMED):
        for budget, scores in _apart(suite, submissions, status).items():
            values = comparison.compare_tracks(scores)
            shown += comparison.track_tables(values, f"{_APART[status]}; {_made(budget, values)}", budget)
    return shown


def compared(suite: Suite, submissions: Sequence[Submission]) -> dict[Group, list[Score]]:
    """The final scores that are compared (those measured here) by group, with the ends of their tracks' scales."""
    groups = defaultdict[Group, list[Score]](list)
    for score in scores_of(suite, submissions, Status.MEASURED):
        track = suite.track_of_score(score.track)
        groups[Group(budget_of(score, track.budgets), len(track.training) > 1)].append(score)
    for scores in groups.values():
        names = dict.fromkeys(score.track.partition("/")[0] for score in scores)
        scores += [end for name in names for end in scale_scores(suite.track(name))]
    return groups


def _apart(suite: Suite, submissions: Sequence[Submission], status: Status) -> dict[int, list[Score]]:
    """The final scores of another status by the budget that they keep to."""
    groups = defaultdict[int, list[Score]](list)
    for score in scores_of(suite, submissions, status):
        groups[budget_of(score, suite.track_of_score(score.track).budgets)].append(score)
    return groups


def scores_of(suite: Suite, submissions: Sequence[Submission], status: Status) -> Iterator[Score]:
    """The final scores that have a status, run by run."""
    register = read_register(suite)
    for each in submissions:
        for run, scores in each.runs(suite).items():
            if status_of(each.card.name, run, scores, register) is status:
                yield from scores


def _made(budget: int, values: Mapping[str, Any]) -> str:
    return f"{comparison.budget_text(values, budget) if budget else _name_of(budget)}, "


def _name_of(budget: int) -> str:
    return f"budget of {budget:,} decisions" if budget else "any number of decisions"


def _elo(suite: Suite, track: str, scores: Sequence[Score], made: str, marked: Collection[str]) -> MarkdownTable:
    """Bradley–Terry ratings of all policies and opponents of a track, with ``random-play`` at 0."""
    here = [score for score in scores if score.track == track]
    listed = dict.fromkeys([*(score.opponent for score in here), *(score.algorithm for score in here)])
    names, places = list(listed), {name: place for place, name in enumerate(listed)}
    wins = np.zeros((len(names), len(names)))
    par = np.mean([1 / rules.players for rules in suite.track_of_score(track).table_rules(track)])
    for score in here:
        one, other = places[score.algorithm], places[score.opponent]
        if one != other:
            wins[one, other] += score.win_rate / par * score.deals
            wins[other, one] += (1 - score.win_rate) / (1 - par) * score.deals
    elo = bradley_terry(wins, places[BOTTOM])
    shown = [code_span(name) + (f" {comparison.BEYOND}" if name in marked else "") for name in names]
    rows = [[shown[place], f"{elo[place]:+.0f}"] for place in np.argsort(-elo)]
    return MarkdownTable(
        f"**{track}**, {made}Elo points, `{BOTTOM}` 0, `{TOP}` is the frozen policy", ["player", "Elo"], rows
    )


def cards_table(suite: Suite, submissions: Sequence[Submission]) -> MarkdownTable:
    """A table of the submissions: a description of each, and how many of its runs were measured here."""
    rows, register = [], read_register(suite)
    for each in submissions:
        card, runs = each.card, each.runs(suite)
        here = [status_of(card.name, run, scores, register) for run, scores in runs.items()]
        choices = max(score.choices for score in each.scores)
        about = markdown(card.about) + (f" [Code]({card.link})" if card.link else "")
        learned = f"{choices:,}" if choices else "not told"
        measured = len(here) - here.count(Status.CLAIMED)
        rows.append([code_span(card.name), markdown(card.authors), about, str(len(runs)), str(measured), learned])
    headings = ["submission", "authors", "what it is", "runs", "of these measured here", "choices learned from"]
    return MarkdownTable("**Submissions**", headings, rows, words=3)
