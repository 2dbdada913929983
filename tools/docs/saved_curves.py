"""Learning curves that were measured once, for a page: :class:`Curve`, their file, their table and their picture.

A file in ``tools/docs/figures`` holds curves by name. :mod:`tools.docs.tables` and :mod:`tools.docs.plots` show them.
"""

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from train.common.table import MarkdownTable
from train.evaluation.estimate import Estimate
from train.plots.style import Point, draw_curves, new_figure, short_number
from uno_env.common.files import write_json


class Curve(NamedTuple):
    """The learning curve of a program."""

    seconds: float
    """Processor time; the page of the program says whether its measurements are included."""
    points: list[Point]
    """Win rates, in the order of the decisions."""


def read_curves(file: Path) -> dict[str, Curve]:
    """The curves of a file by name; none if there is no such file."""
    saved = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    return {name: Curve(seconds, [Point(*point) for point in points]) for name, (seconds, points) in saved.items()}


def save_curve(file: Path, name: str, curve: Curve) -> None:
    """Add a curve to a file, in place of the one that had its name."""
    write_json(file, {**read_curves(file), name: curve})


def curves_table(curves: Mapping[str, Curve], heading: str) -> str:
    """A row for each curve with its last point: the decisions, the win rate in per cent, the minutes of one core."""
    rows = []
    for name, (seconds, points) in curves.items():
        last = points[-1]
        rate = Estimate(last.win_rate, math.nan, 0, last.low, last.high).text()
        rows.append([name, f"{last.decisions:,}", rate, f"{seconds / 60:.1f}"])
    return MarkdownTable("", [heading, "decisions", "win rate", "minutes"], rows).markdown()


def draw(curves: Mapping[str, Curve], par: float = 0.5, logarithmic: bool = False) -> Figure:
    """The curves in one picture; a logarithmic axis shows programs together that are not equally fast."""
    figure = new_figure(9, 4)
    axes = figure.add_subplot()
    draw_curves(axes, {name: curve.points for name, curve in curves.items()}, par)
    if logarithmic:
        axes.set_xlim(min(curve.points[0].decisions for curve in curves.values()) / 1.5)
        axes.set_xscale("log")
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.xaxis.set_major_formatter(FuncFormatter(short_number))
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.set_xlabel("decisions (logarithmic)")
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1))  # beside the curves, which fill the picture
    return figure
