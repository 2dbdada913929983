"""Speeds of ``uno benchmark speed``."""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from matplotlib.ticker import FuncFormatter

from train.plots.style import new_figure, save_figure, short_number


def plot_speeds(speeds: Mapping[str, Mapping[str, Any]], stem: Path) -> list[Path]:
    """Draw speeds, a bar for each line; write ``stem``.png and ``stem``.svg.

    Args:
        speeds: the ``median`` of each thing that was measured, in decisions (playouts: games) a second.
        stem: the files' path without suffix.

    Raises:
        KeyError, TypeError, ValueError: they are none such.
    """
    if not speeds:
        raise ValueError("it holds no speeds")
    medians = [float(speed["median"]) for speed in speeds.values()]
    if not all(math.isfinite(median) and median > 0 for median in medians):
        raise ValueError("a 'median' is no positive number")
    figure = new_figure(7, 1.2 + 0.35 * len(speeds))
    axes = figure.add_subplot()
    bars = axes.barh([name.replace("_", " ") for name in speeds], medians, color="0.85", edgecolor="black")
    axes.bar_label(bars, [short_number(median) for median in medians], padding=3, fontsize=8)
    axes.set_xscale("log")
    axes.set_xlim(min(medians) / 2, max(medians) * 4)
    axes.xaxis.set_major_formatter(FuncFormatter(short_number))
    axes.invert_yaxis()
    axes.set_xlabel("decisions a second (playouts: games)")
    return save_figure(figure, stem)
