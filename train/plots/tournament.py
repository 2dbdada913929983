"""A tournament's cross table as a heat map, with the ratings beside it; the numbers stand in the cells."""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import Normalize
from matplotlib.patches import Rectangle
from matplotlib.ticker import PercentFormatter

from train.evaluation.estimate import Estimate
from train.plots.style import new_figure, save_figure

_COLOURS = colormaps["cividis"]
"""From dark to light in even steps, for colour-blind people and in black and white."""
_CELL = 0.62
"""Inches of a cell across."""


def plot_tournament(report: Mapping[str, Any], stem: Path) -> list[Path]:
    """Draw a report of :mod:`train.evaluation.tournament_report` as ``stem``.png and ``stem``.svg.

    Raises KeyError, TypeError, ValueError or IndexError if it is none.
    """
    names = [agent["name"] for agent in report["agents"]]
    places = {name: index for index, name in enumerate(names)}
    order = [places[name] for name in report["ranking"]]
    cross = {part: np.array(report["cross"][part], float) for part in ("win_rate", "low", "high")}  # null becomes NaN
    table = {part: cells[np.ix_(order, order)] for part, cells in cross.items()}
    across = max(_CELL * len(order), 1.2)
    figure = new_figure(across + 5.4, max(_CELL * len(order), 1.6) + 1.5)
    cells, ratings = figure.subplots(1, 2, width_ratios=(across, 2.6), sharey=True)
    ranked = [f"{names[index]}  {rank}" for rank, index in enumerate(order, 1)]
    _draw_cells(cells, table, float(report["cross"]["par"]), ranked)
    _draw_ratings(ratings, [report["agents"][index]["rating"]["bradley_terry"] for index in order])
    games = f"{report['games']:,} games on duplicate deals, {report['players']} players"
    figure.suptitle(f"Tournament of {len(order)} agents: {games}", fontsize=11)
    return save_figure(figure, stem)


def _draw_cells(axes: Axes, table: Mapping[str, Any], par: float, ranked: list[str]) -> None:
    rates = table["win_rate"]
    reach = max(float(np.nanmax(np.abs(rates - par))), 0.01) if np.isfinite(rates).any() else 0.01
    scale = Normalize(par - reach, par + reach)
    image = axes.imshow(rates, _COLOURS, scale, aspect="auto")
    for (row, column), rate in np.ndenumerate(rates):
        if np.isnan(rate):
            corner = (column - 0.5, row - 0.5)
            axes.add_patch(Rectangle(corner, 1, 1, fill=False, hatch="///", edgecolor="0.75", linewidth=0))
            continue
        ends = table["low"][row, column], table["high"][row, column]
        ink = "black" if np.dot(_COLOURS(scale(rate))[:3], (0.299, 0.587, 0.114)) > 0.5 else "white"
        text = Estimate(rate, math.nan, 0, *ends).text()
        text = text.replace(" ± ", "\n±").replace(" (", "\n(").replace(" to ", "–")
        axes.text(column, row, text, color=ink, ha="center", va="center", fontsize=8)
    axes.set_xticks(range(len(ranked)), [str(rank + 1) for rank in range(len(ranked))])
    axes.set_yticks(range(len(ranked)), ranked)
    axes.set_xlabel("against")
    axes.set_title(f"row's share of wins, % (par {par:.0%})", fontsize=9)
    bar = axes.figure.colorbar(image, ax=axes, shrink=0.7, format=PercentFormatter(1, decimals=0))
    bar.ax.axhline(par, color="black", linewidth=1.5)


def _draw_ratings(axes: Axes, ratings: list[Mapping[str, float]]) -> None:
    for row, rating in enumerate(ratings):
        elo, low, high = (float(rating[part]) for part in ("elo", "low", "high"))
        axes.errorbar(elo, row, xerr=([elo - low], [high - elo]), color="black", marker="o", markersize=5, capsize=3)
        axes.annotate(f"{elo:+.0f}", (elo, row), (0, 6), textcoords="offset points", ha="center", fontsize=8)
    axes.axvline(0, color="0.4", linewidth=1, linestyle=(0, (1, 2)))
    axes.margins(x=0.15)
    axes.grid(axis="x", color="0.9")
    axes.set_xlabel("Elo, 95 % interval")
    axes.set_title("rating (Bradley-Terry)", fontsize=9)
    axes.tick_params(labelleft=False, length=0)
