"""Algorithms side by side: learning curves of each track, and comparisons over all tracks."""

import contextlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, PercentFormatter

from train.evaluation.aggregate import LEAST_SEEDS, Runs, efficiency, improvement, iqm, normalized, profile, seeds
from train.evaluation.estimate import Estimate
from train.evaluation.scores import Score
from train.plots.style import Style, cycled, draw_intervals, new_figure, save_figure, short_number

PANELS = (("seconds", 60.0, "minutes of training"), ("decisions", 1.0, "decisions of all seats"))
"""Field of a score, its unit and its label, of the two panels of learning curves."""
CROWDED = 500
"""The ratio of an axis's end to its beginning from which on it is labelled at powers of ten alone."""
LEVELS = 41
"""Points of a performance profile."""


def plot_algorithms(scores: Sequence[Score], stem: Path) -> list[Path]:
    """Draw the learning curves of each track, and what is compared over all tracks; the PNG and SVG files.

    ``stem`` is their path without suffix; ``-TRACK`` or ``-aggregate`` is appended. Raises ValueError if there is
    nothing to draw.
    """
    files = []
    for track in dict.fromkeys(score.track for score in scores if not score.final):
        files += save_figure(draw_track(track, scores), stem.with_name(f"{stem.name}-{track}"))
    with contextlib.suppress(ValueError):  # tracks that cannot be compared have curves all the same
        files += save_figure(draw_aggregate(scores), stem.with_name(f"{stem.name}-aggregate"))
    if not files:
        raise ValueError("there is no learning curve, and no comparison over tracks")
    return files


def styles_of(scores: Sequence[Score]) -> dict[str, Style]:
    """The style of each algorithm, which is the same in every plot of the same scores."""
    names = list(dict.fromkeys(score.algorithm for score in scores if not score.is_end))
    return dict(zip(names, cycled(len(names)), strict=True))


# --- one track --------------------------------------------------------------------------------------------------------


def draw_track(track: str, scores: Sequence[Score]) -> Figure:
    """Learning curves of a track: the median over the seeds, with bars from quartile to quartile."""
    points = [score for score in scores if score.track == track and not score.final]
    names = {score.algorithm for score in points}
    styles = {name: style for name, style in styles_of(scores).items() if name in names}
    figure = new_figure(11, 4.4)
    for axes, (field, unit, label) in zip(figure.subplots(1, 2), PANELS, strict=True):
        for name, style in styles.items():
            xs, low, middle, high = median_curve([score for score in points if score.algorithm == name], field)
            draw_intervals(axes, name, xs / unit, middle, (middle - low, high - middle), style)
        axes.axhline(1 / max(2, points[0].players), color="0.4", linewidth=1, linestyle=(0, (1, 2)))
        _over_training(axes, label)
        axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    figure.axes[0].set_ylabel("mean win rate, median and quartiles")
    figure.axes[0].legend(fontsize=8, handlelength=4)
    opponents = ", ".join(dict.fromkeys(score.opponent for score in points))
    figure.suptitle(f"{track}: against {opponents}", fontsize=11)
    return figure


def _over_training(axes: Axes, label: str) -> None:
    axes.set_xscale("log")
    axes.set_xlabel(label)
    low, high = axes.get_xlim()
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if high < CROWDED * low else (1,)))
    axes.xaxis.set_major_formatter(FuncFormatter(short_number))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.grid(color="0.9")


def median_curve(scores: Sequence[Score], field: str) -> tuple[npt.NDArray[np.float64], ...]:
    """Places, and lower quartile, median and upper quartile of the strength there, float64 [points] each.

    The k-th place is the median of where the runs were measured for the k-th time; between its own points, a run counts
    as straight. The scores are points of the curves of one algorithm on one track, the field ``seconds`` or
    ``decisions``.
    """
    runs: dict[int, dict[float, list[float]]] = defaultdict(lambda: defaultdict(list))
    for score in scores:
        runs[score.seed][float(getattr(score, field))].append(score.win_rate)
    lines = [(np.array(sorted(run)), np.array([np.mean(run[x]) for x in sorted(run)])) for run in runs.values()]
    points = min(len(xs) for xs, _ in lines)
    places = np.median([xs[:points] for xs, _ in lines], axis=0)
    rates = np.array([np.interp(places, xs, strengths) for xs, strengths in lines])
    return places, *np.percentile(rates, (25, 50, 75), axis=0)


# --- all tracks -------------------------------------------------------------------------------------------------------


def draw_aggregate(scores: Sequence[Score]) -> Figure:
    """IQM, probability of improvement and performance profile of the algorithms that have all tracks; sample and time
    efficiency if there are learning curves. Raises ValueError as :func:`train.evaluation.aggregate.normalized` does.
    """
    runs = normalized(scores)
    means = {name: iqm(runs[name]) for name in runs}
    order = sorted(means, key=lambda name: means[name].mean)
    styles = styles_of(scores)
    shown = [score for score in scores if score.is_end or score.algorithm in runs]
    curved = any(not score.final for score in shown)
    figure = new_figure(13, 7.6 if curved else 4.2)
    axes = figure.subplots(1 + curved, 3, squeeze=False)
    _draw_iqm(axes[0, 0], {name: means[name] for name in order}, styles)
    _draw_improvement(axes[0, 1], runs, order)
    _draw_profiles(axes[0, 2], {name: runs[name] for name in reversed(order)}, styles)
    for panel, (field, unit, label) in zip(axes[1:, 1::-1].flat, PANELS, strict=False):
        for name, curve in efficiency(shown, field).items():
            xs, estimates = np.array([x for x, _ in curve]), [estimate for _, estimate in curve]
            draw_intervals(panel, name, xs / unit, *_reach(estimates), styles[name])
        _over_training(panel, label)
        panel.set_ylabel("IQM of normalized scores")
        panel.set_title("sample efficiency" if field == "decisions" else "time efficiency", fontsize=10)
    if curved:
        axes[1, 2].axis("off")
    axes[-1, 2].legend(*axes[0, 2].get_legend_handles_labels(), loc="center" if curved else "best", handlelength=4)
    tracks = ", ".join(dict.fromkeys(score.track for score in scores))
    top = " and ".join(sorted({score.ends[1] for score in scores}))
    figure.suptitle(f"{tracks}: normalized scores (random-play 0, {top} 1), 95 % bootstrap intervals", fontsize=11)
    return figure


def _reach(estimates: Sequence[Estimate]) -> tuple[list[float], tuple[list[float], list[float]]]:
    """Return means, and how far their intervals reach below and above, or nothing where there is none."""
    below = [float(np.nan_to_num(max(0.0, each.mean - each.low))) for each in estimates]
    above = [float(np.nan_to_num(max(0.0, each.high - each.mean))) for each in estimates]
    return [each.mean for each in estimates], (below, above)


def _draw_iqm(axes: Axes, means: Mapping[str, Estimate], styles: Mapping[str, Style]) -> None:
    for row, (name, estimate) in enumerate(means.items()):
        (mean,), reach = _reach([estimate])
        axes.errorbar([mean], [row], xerr=reach, color=styles[name][0], marker=styles[name][1], capsize=3)
    axes.set_yticks(range(len(means)), list(means))
    axes.set_title("IQM", fontsize=10)
    axes.grid(color="0.9")


def draw_improvements(scores: Mapping[str, Sequence[Score]]) -> Figure:
    """The probabilities of improvement alone, a matrix for each title, one below the other: narrow enough for a phone.
    Raises ValueError as :func:`train.evaluation.aggregate.normalized` does.
    """
    figure = new_figure(5.2, 3.2 * len(scores))
    for axes, (title, given) in zip(figure.subplots(len(scores), 1, squeeze=False)[:, 0], scores.items(), strict=True):
        runs = normalized(given)
        _draw_improvement(axes, runs, sorted(runs, key=lambda name: iqm(runs[name]).mean))
        axes.set_title(title, fontsize=10)
    figure.suptitle("Probability that a run of the row beats one of the column", fontsize=11)
    return figure


def _draw_improvement(axes: Axes, runs: Runs, order: Sequence[str]) -> None:
    axes.set_title("probability that the row improves on the column", fontsize=10)
    order = [name for name in order if seeds(runs[name]) >= LEAST_SEEDS]
    if len(order) < 2:
        axes.text(0.5, 0.5, f"fewer than {LEAST_SEEDS} seeds get\nno probability", ha="center", va="center")
        axes.axis("off")
        return
    table: Any = np.full((len(order), len(order)), np.nan)
    for row, name in enumerate(order):
        for column, other in enumerate(order):
            if name != other:
                table[row, column] = improvement(runs[name], runs[other]).mean
                colour = "black" if table[row, column] > 0.5 else "white"
                axes.text(column, row, f"{table[row, column]:.0%}", ha="center", va="center", color=colour, fontsize=8)
    axes.imshow(table, cmap="cividis", vmin=0, vmax=1, origin="lower", aspect="auto")
    axes.set_xticks(range(len(order)), list(order), rotation=30, ha="right", fontsize=8)
    axes.set_yticks(range(len(order)), list(order), fontsize=8)


def _draw_profiles(axes: Axes, runs: Runs, styles: Mapping[str, Style]) -> None:
    values = np.concatenate([part for tracks in runs.values() for part in tracks.values()])
    levels = np.linspace(values.min() - 0.05, values.max() + 0.05, LEVELS)
    for name, tracks in runs.items():
        shares, (below, above) = _reach(profile(tracks, levels))
        colour, marker, line = styles[name]
        axes.plot(levels, shares, color=colour, linestyle=line, marker=marker, markevery=5, markersize=5, label=name)
        low, high = np.subtract(shares, below), np.add(shares, above)
        axes.fill_between(levels, low, high, color=colour, alpha=0.12, linewidth=0)
    axes.set_xlabel("normalized score")
    axes.set_ylabel("share of runs above")
    axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    axes.set_title("performance profiles", fontsize=10)
    axes.grid(color="0.9")
