"""Compare scores of algorithms, track by track and over all tracks, as plain values and as tables.

:func:`compare` needs scores alone (:mod:`train.evaluation.scores`), from any source:
``uno benchmark leaderboard``.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from train.common.table import MarkdownTable
from train.evaluation.aggregate import LEAST_SEEDS, improvement, iqm, normalized, seeds
from train.evaluation.estimate import Estimate
from train.evaluation.scores import Score, verify_one_suite
from uno_env.common.plain_text import code_span

BEYOND = "†"
"""Marks what went beyond the budget."""


def compare_tracks(scores: Sequence[Score], failed: Sequence[tuple[str, str]] = ()) -> dict[str, Any]:
    """The ``tracks`` of :func:`compare` alone. Raises ValueError if a track's scores are of two suites."""
    verify_one_suite(scores)
    scores = [score for score in scores if score.final]
    names = dict.fromkeys([*(score.track for score in scores), *(track for track, _ in failed)])
    return {"tracks": {track: _track(track, scores, failed) for track in names}}


def compare(scores: Sequence[Score], failed: Sequence[tuple[str, str]] = ()) -> dict[str, Any]:
    """Compare algorithms by their scores; ``failed`` are track and algorithm of the runs that came to nothing.

    Plain values for JSON: ``tracks``, the number of players and a ``summary`` of each algorithm, the strongest first,
    by track; ``aggregate``, with the ``iqm`` of each algorithm that has scores on all ``tracks``, and ``improvement``
    of each over each other where both have :data:`train.evaluation.aggregate.LEAST_SEEDS` seeds, or None where there is
    none such, and ``reason`` says why. Raises ValueError if a track's scores are of two suites.
    """
    tracks = compare_tracks(scores, failed)
    try:
        return {**tracks, "aggregate": _aggregate([score for score in scores if score.final]), "reason": ""}
    except ValueError as error:
        return {**tracks, "aggregate": None, "reason": str(error)}


def _track(track: str, scores: Sequence[Score], failed: Sequence[tuple[str, str]]) -> dict[str, Any]:
    here = [score for score in scores if score.track == track and not score.is_end]
    failures = [algorithm for where, algorithm in failed if where == track]
    names = dict.fromkeys([*(score.algorithm for score in here), *failures])
    rows = [
        _summary(name, [score for score in here if score.algorithm == name], failures.count(name)) for name in names
    ]
    return {
        "players": next((score.players for score in scores if score.track == track), None),
        "summary": sorted(rows, key=lambda row: -row["strength"][1] if row["seeds"] else 1),
    }


def _summary(algorithm: str, scores: Sequence[Score], failed: int) -> dict[str, Any]:
    """An algorithm's lower quartile, median and upper quartile over seeds of each figure."""
    runs: dict[int, list[Score]] = {}
    for score in scores:
        runs.setdefault(score.seed, []).append(score)
    counts = {"algorithm": algorithm, "seeds": len(runs), "failed": failed}
    if not runs:
        return counts
    opponents = dict.fromkeys(score.opponent for score in scores)
    last = [run[0] for run in runs.values()]
    return {
        **counts,
        "strength": quartiles([float(np.mean([score.win_rate for score in run])) for run in runs.values()]),
        "lowest": min(float(np.mean([score.win_rate for score in run])) for run in runs.values()),
        "against": {name: quartiles([score.win_rate for score in scores if score.opponent == name])
                    for name in opponents},
        "minutes": quartiles([score.seconds / 60 for score in last]),
        "decisions": quartiles([score.decisions for score in last]),
        "most_decisions": max(score.decisions for score in last),
        "decisions_per_second": quartiles([score.decisions / max(score.seconds, 1e-9) for score in last]),
    }  # fmt: skip


def quartiles(values: Sequence[float]) -> list[float]:
    """Lower quartile, median and upper quartile, between neighbours in proportion."""
    return [float(value) for value in np.percentile(values, (25, 50, 75))]


def _aggregate(scores: Sequence[Score]) -> dict[str, Any]:
    runs = normalized(scores)
    means = {name: iqm(by_track) for name, by_track in runs.items()}
    order = sorted(means, key=lambda name: -means[name].mean)
    enough = [name for name in order if seeds(runs[name]) >= LEAST_SEEDS]
    return {
        "tracks": sorted({score.track for score in scores}),
        "top": " and ".join(sorted({score.ends[1] for score in scores})),
        "iqm": {name: _plain(means[name]) for name in order},
        "improvement": {
            name: {other: _plain(improvement(runs[name], runs[other])) for other in enough if other != name}
            for name in enough
        },
    }


def _plain(estimate: Estimate) -> dict[str, Any]:
    """Return an estimate as plain values, without an interval where it has none."""
    values = estimate.to_dict()
    return {name: None if np.isnan(value) else value for name, value in values.items()}


# --- tables -----------------------------------------------------------------------------------------------------------


def tables(values: Mapping[str, Any], made: str = "", budget: int = 0) -> list[MarkdownTable]:
    """The tables of a comparison (:func:`compare`), titled with how it was ``made``, with a comma behind it. What had
    more decisions than its ``budget`` is marked; 0: there is no budget of decisions.
    """
    return [*track_tables(values, made, budget), *aggregate_tables(values, made, budget)]


def budget_text(values: Mapping[str, Any], budget: int) -> str:
    """A budget of decisions, as the runs of a comparison kept to it."""
    most = max((row["most_decisions"] for row in _rows(values)), default=0)
    if most <= budget:
        return f"{budget:,} decisions at most"
    return f"a budget of {budget:,} decisions ({BEYOND}: went beyond, to {most:,} at most)"


def beyond(values: Mapping[str, Any], budget: int) -> set[str]:
    """The algorithms of a comparison that went beyond a budget of decisions on some track; none for 0."""
    return {row["algorithm"] for row in _rows(values) if 0 < budget < row["most_decisions"]}


def _rows(values: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    return (row for track in values["tracks"].values() for row in track["summary"] if row["seeds"])


def track_tables(values: Mapping[str, Any], made: str = "", budget: int = 0) -> list[MarkdownTable]:
    """Those of them that are of one track each, and compare nothing over tracks."""
    return [_track_table(track, each, made, budget) for track, each in values["tracks"].items() if each["summary"]]


def _track_table(track: str, values: Mapping[str, Any], made: str, budget: int) -> MarkdownTable:
    opponents = next((list(row["against"]) for row in values["summary"] if row["seeds"]), [])
    par = f"par {1 / values['players']:.0%}; " if values["players"] else ""
    heads = [
        "algorithm",
        "seeds",
        "strength",
        "lowest",
        *(f"v {code_span(name)}" for name in opponents),
        "decisions/s",
        "decisions",
        "minutes",
    ]
    title = f"**{track}**: {made}{par}median and quartiles over seeds, and the lowest strength of a seed"
    return MarkdownTable(title, heads, [_cells(row, opponents, budget) for row in values["summary"]])


def _cells(row: Mapping[str, Any], opponents: Iterable[str], budget: int) -> list[str]:
    name = code_span(row["algorithm"]) + (f" ({row['failed']} failed)" if row["failed"] else "")
    if not row["seeds"]:
        return [name, "0", *["" for _ in opponents], *[""] * 5]
    form = "{1:.1f}" if row["seeds"] == 1 else "{1:.1f} ({0:.1f}–{2:.1f})"
    strength, *rates = [
        "" if rate is None else form.format(*(100 * each for each in rate))
        for rate in (row["strength"], *(row["against"].get(opponent) for opponent in opponents))
    ]
    mark = f" {BEYOND}" if 0 < budget < row["most_decisions"] else ""
    return [
        name,
        str(row["seeds"]),
        strength,
        f"{100 * row['lowest']:.1f}",
        *rates,
        *([f"{row['decisions_per_second'][1]:,.0f}", f"{row['decisions'][1]:,.0f}{mark}", f"{row['minutes'][1]:.1f}"]
          if row["decisions"][1] else ["", "", ""]),
    ]  # fmt: skip


def aggregate_tables(comparison: Mapping[str, Any], made: str = "", budget: int = 0) -> list[MarkdownTable]:
    """The table that compares over all tracks, and that of the probabilities where two algorithms have enough seeds; or
    none if no algorithm has scores on all of them.
    """
    values = comparison["aggregate"]
    if not values:
        return []
    marks = beyond(comparison, budget)
    shown = {name: code_span(name) + (f" {BEYOND}" if name in marks else "") for name in values["iqm"]}
    order = list(values["improvement"])
    title = f"**{', '.join(values['tracks'])} together**: {made}"
    normal = f"normalized scores (`random-play` 0, `{values['top']}` 1)"
    few = f"Fewer than {LEAST_SEEDS} seeds get no probability that one beats another"
    told = "" if len(order) > 1 else f". {few}"
    means = [[shown[name], _text(each, 1, 2)] for name, each in values["iqm"].items()]
    iqms = MarkdownTable(f"{title}interquartile mean of {normal}; 95 % intervals{told}", ["algorithm", "IQM"], means)
    if len(order) < 2:
        return [iqms]
    rows = [
        [shown[name], *("" if other == name else _text(values["improvement"][name][other], 100, 0) for other in order)]
        for name in order
    ]
    probably = (
        f"{title}the probability that a run of the row beats one of the column, in per cent; 95 % intervals. {few}"
    )
    return [iqms, MarkdownTable(probably, ["algorithm", *(f"over {code_span(name)}" for name in order)], rows)]


def _text(values: Mapping[str, Any], scale: float, digits: int) -> str:
    mean, low, high = (values[name] for name in ("mean", "low", "high"))
    text = f"{scale * mean:.{digits}f}"
    return text if low is None else f"{text} ({scale * low:.{digits}f} to {scale * high:.{digits}f})"
