"""Algorithms of ``uno benchmark algorithms`` side by side: strength over minutes and over decisions."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, PercentFormatter

from train.plots.style import Style, cycled, draw_intervals, new_figure, save_figure, short_number

Run = Mapping[str, Any]


def plot_algorithms(report: Mapping[str, Any], stem: Path) -> list[Path]:
    """Draw the learning curves of a report; write ``stem``.png and ``stem``.svg.

    A curve is the median over the seeds, its bars reach from quartile to quartile.

    Args:
        report: see :func:`train.benchmarks.algorithms.report`.
        stem: the files' path without suffix.

    Returns:
        The files.

    Raises:
        KeyError, TypeError, ValueError: it is none such.
    """
    names = [row["algorithm"] for row in report["summary"] if row["seeds"]]
    runs = {name: [run for run in report["runs"] if run["algorithm"] == name and run.get("curve")] for name in names}
    runs = {name: group for name, group in runs.items() if group}
    if not runs:
        raise ValueError("there is no learning curve")
    figure = new_figure(11, 4.4)
    panels = (("seconds", 60.0, "minutes of training"), ("decisions", 1.0, "decisions of all seats"))
    for axes, (figure_name, unit, label) in zip(figure.subplots(1, 2), panels, strict=True):
        for (name, group), style in zip(runs.items(), cycled(len(runs)), strict=True):
            _draw(axes, name, group, figure_name, unit, style)
        axes.axhline(1 / report["players"], color="0.4", linewidth=1, linestyle=(0, (1, 2)))
        axes.set_xscale("log")
        axes.set_xlabel(label)
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.xaxis.set_major_formatter(FuncFormatter(short_number))
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
        axes.grid(color="0.9")
    opponents = ", ".join(report["opponents"])
    figure.axes[0].set_ylabel("mean win rate, median and quartiles")
    figure.axes[0].legend(fontsize=8, handlelength=4)
    seeds = f"{report['seeds']} seeds" if report["seeds"] > 1 else "one seed"
    figure.suptitle(f"{report['track']}, {seeds}: against {opponents}", fontsize=11)
    return save_figure(figure, stem)


def _draw(axes: Axes, label: str, runs: Sequence[Run], name: str, unit: float, style: Style) -> None:
    xs, low, middle, high = median_curve(runs, name)
    draw_intervals(axes, label, xs / unit, middle, (middle - low, high - middle), style)


def median_curve(runs: Sequence[Run], name: str) -> Any:
    """Places, and lower quartile, median and upper quartile of the strength there, float64 [points] each.

    The k-th place is the median of where the runs were measured for the k-th time; between its own xs, a run counts
    as straight.

    Args:
        runs: with a ``curve`` each.
        name: ``seconds`` or ``decisions``.
    """
    points = min(len(run["curve"]) for run in runs)
    at = [np.array([float(point[name]) for point in run["curve"]]) for run in runs]
    xs = np.median([own[:points] for own in at], axis=0)
    strengths = [np.array([np.mean(list(point["win_rates"].values())) for point in run["curve"]]) for run in runs]
    rates = np.array([np.interp(xs, own, strength) for own, strength in zip(at, strengths, strict=True)])
    return xs, *np.percentile(rates, (25, 50, 75), axis=0)
