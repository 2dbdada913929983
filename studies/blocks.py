"""Parts of the study's pages: cells and tables of rows, figures with intervals, and Holm's test."""

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import ScalarFormatter

from studies.question import Row, pick, values
from train.common.table import MarkdownTable
from train.evaluation.estimate import Z_95, Estimate
from train.plots.style import cycled, draw_intervals, new_figure

NOT_TOLD = "no clear difference"

NUMBERS = dict(enumerate(["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]))
"""Words for small numbers."""


def cell(row: Row | None, digits: int = 1, sign: str = "", scale: float = 100) -> str:
    """A row's value with half of its interval, in per cent by default; a dash where nothing was measured."""
    return "–" if row is None else Estimate.from_dict(row).text(digits, sign, scale)


def about(row: Row, scale: float = 100) -> str:
    """A row's value as a rounded number, for sentences; by default in per cent. The tables have the interval."""
    return f"{abs(scale * row['mean']):,.0f}"


def first(rows: Sequence[Row]) -> Row | None:
    """The first of the rows, if there is one."""
    return rows[0] if rows else None


def table(headings: Sequence[str], rows: Sequence[Sequence[str]], words: int = 1) -> str:
    """A table in Markdown."""
    return MarkdownTable("", headings, rows, words).markdown()


def holm(rows: Sequence[Row]) -> list[bool]:
    """Return, for each row, whether it differs from 0 by Holm's method: at most 5 % to name even one that does not.

    Each value is taken as normal, as its interval is.
    """
    from scipy.stats import norm

    errors = [(row["high"] - row["low"]) / 2 / Z_95 for row in rows]
    chances = [
        float(2 * norm.sf(abs(row["mean"]) / error)) if error else float(row["mean"] == 0)
        for row, error in zip(rows, errors, strict=True)
    ]
    told = [False] * len(rows)
    for rank, index in enumerate(sorted(range(len(rows)), key=chances.__getitem__)):
        if chances[index] * (len(rows) - rank) > 0.05:
            break
        told[index] = True
    return told


def grid(rows: Sequence[Row], down: str, across: str, scale: float = 100) -> str:
    """A table of differences from 0 by two labels; cells that do not differ from 0 by
    Holm's method over all of them say so."""
    told = dict(zip(map(id, rows), holm(rows), strict=True))

    def shown(each: Row | None) -> str:
        return NOT_TOLD if each is not None and not told[id(each)] else cell(each, 1, "+", scale)

    lines = [
        [str(name), *(shown(first(pick(rows, **{down: name, across: other}))) for other in values(rows, across))]
        for name in values(rows, down)
    ]
    unit = f" {across}" if across == "players" else ""
    headings = [down.replace("_", " "), *(f"{other}{unit}" for other in values(rows, across))]
    return table(headings, lines)


def dots(axes: Axes, series: Mapping[str, Sequence[Row]], down: str, scale: float = 1) -> None:
    """Values with their intervals, a line for each value of a label and a mark on it for each of the series."""
    names = list(dict.fromkeys(each[down] for rows in series.values() for each in rows))
    for index, ((name, rows), (colour, marker, _)) in enumerate(zip(series.items(), cycled(len(series)), strict=True)):
        scaled = [_scaled(row, scale) for row in rows]
        shift = 0.2 * (index - (len(series) - 1) / 2)
        axes.errorbar(
            [middle for middle, _, _ in scaled],
            [names.index(row[down]) + shift for row in rows],
            xerr=[[middle - low for middle, low, _ in scaled], [high - middle for middle, _, high in scaled]],
            color=colour,
            marker=marker,
            linestyle="",
            markersize=4,
            capsize=2,
            label=name,
        )
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.grid(axis="x", color="0.9")


def legend_below(figure: Figure) -> None:
    """The legend of the first panel, below all panels."""
    figure.legend(*figure.axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)


def bars(named: Mapping[str, Row], axis: str, null: float | None = None, scale: float = 1) -> Figure:
    """Values with their intervals, one below the other, and a line at ``null``."""
    figure = new_figure(7, 1 + 0.28 * len(named))
    axes = figure.add_subplot()
    for index, row in enumerate(named.values()):
        middle, low, high = _scaled(row, scale)
        reach = [[middle - low], [high - middle]]
        axes.errorbar(middle, -index, xerr=reach, fmt="o", color="#0072b2", ecolor="#000000", capsize=2.5)
    axes.set_yticks([-index for index in range(len(named))], list(named))
    if len(named) < 5:  # matplotlib's margin is a share of the height: so few rows would lie on the frame
        axes.set_ylim(0.5 - len(named), 0.5)
    if null is not None:
        axes.axvline(null, color="0.4", linewidth=1, linestyle=(0, (1, 2)))
    axes.set_xlabel(f"{axis}\n95 % interval")
    axes.grid(axis="x", color="0.9")
    return figure


def curves(
    named: Mapping[str, Sequence[tuple[float, Row]]], xlabel: str, ylabel: str, scale: float = 1, log: bool = False
) -> Figure:
    """A curve for each name with the interval at each point, an x and a row; ``log`` draws both by their logarithms."""
    figure = new_figure(7, 4)
    axes = figure.add_subplot()
    for (name, points), style in zip(named.items(), cycled(len(named)), strict=True):
        scaled = [_scaled(row, scale) for _, row in points]
        reach = ([max(0.0, mean - low) for mean, low, _ in scaled], [max(0.0, high - mean) for mean, _, high in scaled])
        draw_intervals(axes, name, [x for x, _ in points], [mean for mean, _, _ in scaled], reach, style)
    if log:
        axes.set_xscale("log")
        axes.set_yscale("log")
        for each in (axes.xaxis, axes.yaxis):
            each.set_major_formatter(ScalarFormatter())
    axes.set_xlabel(xlabel)
    axes.set_ylabel(f"{ylabel}, 95 % interval")
    axes.grid(color="0.9")
    axes.legend()
    return figure


def _scaled(row: Row, scale: float) -> tuple[float, float, float]:
    return scale * row["mean"], scale * row["low"], scale * row["high"]
