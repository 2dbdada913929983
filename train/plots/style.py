"""Learning curves, readable without colours, and what all plots share.

:mod:`train.plots.runs` compares runs, :mod:`train.plots.tournament` draws cross tables; ``uno plot`` is
:mod:`train.plots.draw`.
"""

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, PercentFormatter

from train.runs.tensorboard_log import label_of
from uno_env.common.files import read_json, replace_file

Style: TypeAlias = tuple[str, str, Any]
"""Colour, marker and line of a curve."""
STYLES: tuple[Style, ...] = (
    ("#000000", "o", "-"),
    ("#d55e00", "s", "--"),
    ("#0072b2", "^", "-."),
    ("#009e73", "D", ":"),
    ("#cc79a7", "v", (0, (5, 1, 1, 1, 1, 1))),
    ("#e69f00", "P", (0, (8, 2))),
    ("#56b4e9", "X", (0, (1, 3))),
)
"""Colour (Okabe and Ito's, told apart by most colour-blind people), marker and line of each curve."""


class Point(NamedTuple):
    """A win rate measured in the course of training, with its 95 % interval."""

    decisions: int
    win_rate: float
    low: float
    high: float


def learning_curves(folder: Path) -> dict[str, list[Point]]:
    """Win rate against each opponent in the course of a run. Raises ValueError if its metrics are damaged."""
    try:
        table = read_json(folder / "table.json")
        measured: dict[str, list[dict[str, float]]] = {}
        several = len({evaluation.get("players") for evaluation in table["evaluations"]}) > 1
        for evaluation in table["evaluations"]:
            label = label_of(evaluation["opponent"], evaluation.get("players"), several)
            measured.setdefault(label, []).append(evaluation)
        curves: dict[str, list[Point]] = {}
        for opponent, evaluations in measured.items():
            curves[opponent] = [
                Point(int(each["trained_decisions"]), *(float(each[name]) for name in ("win_rate", "low", "high")))
                for each in evaluations
            ]
    except (OSError, ValueError, KeyError, TypeError, OverflowError) as error:
        raise ValueError(f"{str(folder)!r} has no learning curve that can be read: {error}") from None
    return curves


def draw_curves(axes: Axes, curves: Mapping[str, Sequence[Point]], *pars: float) -> None:
    """Draw win rates over decisions, with intervals, by label, and lines at the pars."""
    for (label, points), style in zip(curves.items(), cycled(len(curves)), strict=True):
        rates = [point.win_rate for point in points]
        below = [point.win_rate - point.low for point in points]
        above = [point.high - point.win_rate for point in points]
        draw_intervals(axes, label, [point.decisions for point in points], rates, (below, above), style)
    for par in pars:
        axes.axhline(par, color="0.4", linewidth=1, linestyle=(0, (1, 2)), label=f"par ({par:.0%})")
    from_nothing = any(not point.decisions for points in curves.values() for point in points)
    axes.set_xlabel("decisions" + (" (at 0: untrained, its actions drawn)" if from_nothing else ""))
    axes.set_ylabel("win rate, 95 % interval")
    axes.set_xlim(left=0)
    axes.xaxis.set_major_formatter(FuncFormatter(short_number))
    axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    axes.grid(color="0.9")
    axes.legend()


def draw_intervals(axes: Axes, label: str, xs: Any, middle: Any, reach: tuple[Any, Any], style: Style) -> None:
    """Draw a curve with a bar at each of its points, which reaches so far below and above it."""
    colour, marker, line = style
    axes.errorbar(
        xs,
        middle,
        yerr=reach,
        label=label,
        color=colour,
        marker=marker,
        linestyle=line,
        markersize=5,
        linewidth=1.3,
        capsize=2.5,
    )


def new_figure(width: float, height: float) -> Figure:
    """An empty figure, ``width`` and ``height`` in inches, that is drawn without a display."""
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def save_figure(figure: Figure, stem: Path) -> list[Path]:
    """Write ``stem``.png and ``stem``.svg, and return the two files."""
    files = [stem.with_name(stem.name + suffix) for suffix in (".png", ".svg")]
    for file in files:
        picture = io.BytesIO()
        figure.savefig(picture, format=file.suffix[1:], dpi=150)
        replace_file(file, picture.getvalue())
    return files


def cycled(number: int) -> list[Style]:
    """Return a colour, a marker and a line for each of ``number`` curves. No two have the same marker and line."""
    size, lines = len(STYLES), [line for _, _, line in STYLES]
    return [(*STYLES[index % size][:2], lines[(index + index // size) % size]) for index in range(number)]


def short_number(value: float, _: int = 0) -> str:
    """``2500000`` as ``2.5 M``."""
    for unit, letter in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if abs(value) >= unit:
            return f"{value / unit:.3g}{letter}"
    return f"{value:g}"
