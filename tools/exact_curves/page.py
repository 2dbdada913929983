"""The tables and plots of docs/benchmarks/exact.md, from the saved results alone."""

from collections.abc import Iterable, Mapping, Sequence
from statistics import median
from typing import Any

from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from tools.exact_curves.runs import ATTACKS, CURVES, MAIN, read_lines, reports
from train.common.table import MarkdownTable
from train.plots.style import STYLES, new_figure, short_number

Line = Mapping[str, Any]
CURVED: Mapping[str, tuple[str, Mapping[str, Any]]] = {**MAIN, "NFSP (OpenSpiel)": ("nfsp", {})}
"""Algorithm and changes of each curve, by its name; NFSP was measured by an earlier program, see the page."""
CURVE_STYLES = (*STYLES, ("#882255", "*", (0, (3, 1, 1, 1))))
"""Colour, marker and line of each: there are more than elsewhere."""
GOALS = (0.01, 0.001, 0.0001)
"""Exploitabilities of which the table says when the solver reached them."""

LOWEST = 1e-3, 1e-8
"""The lower ends of the plot's two rows; the second row has the solver. The value of a run can be 0."""


def _groups(lines: Iterable[Line], *names: str) -> dict[tuple[Any, ...], list[Line]]:
    """Lines by the values of some fields, in the order in which they come."""
    groups: dict[tuple[Any, ...], list[Line]] = {}
    for line in lines:
        key = tuple(str(line[name]) if name == "changes" else line[name] for name in names)
        groups.setdefault(key, []).append(line)
    return groups


def _main_runs(lines: Sequence[Line], deck: str) -> dict[str, list[Line]]:
    """The runs on a deck by the name of their curve; of runs of different lengths those that there are most of."""
    found = {}
    for name, which in CURVED.items():
        runs = [
            line for line in lines
            if line["deck"] == deck and (line["algorithm"], line["changes"]) == which
            and reports(name, deck, line["seed"])
        ]  # fmt: skip
        lengths = _groups(runs, "decisions", "points")
        if lengths:
            found[name] = max(lengths.values(), key=len)
    return found


def curves_table() -> str:
    """The table of every algorithm's exploitability at the end of its runs, on every deck."""
    lines = read_lines(CURVES)
    rows = []
    for deck in dict.fromkeys(line["deck"] for line in lines):
        for name, runs in _main_runs(lines, deck).items():
            last, mean = ([run["curve"][-1][column] for run in runs] for column in (1, 2))
            pure = [run["greedy"] for run in runs if "greedy" in run]
            rows.append(
                [
                    deck,
                    name,
                    f"{runs[0]['curve'][-1][0]:,}",
                    str(len(runs)),
                    _spread(last),
                    "–" if "NFSP" in name or len(runs[0]["curve"]) == 1 else _spread(mean),
                    _spread(pure) if pure else "–",
                    f"{median(run['seconds'] for run in runs):.0f} s",
                ]
            )
    headings = ("deck", "algorithm", "decisions", "seeds", "last policy", "average policy", "never mixing", "time")
    return MarkdownTable("", headings, rows, words=(0, 1)).markdown()


def solver_table() -> str:
    """The table of the seconds and iterations after which the solver had reached each of :data:`GOALS`."""
    rows = []
    for line in read_lines(CURVES):
        if line["algorithm"] == "cfr":
            reached = [next((point for point in line["curve"] if point[2] <= goal), None) for goal in GOALS]
            rows.append(
                [line["deck"], *("–" if point is None else f"{point[0]:.2g} s, {point[1]}" for point in reached)]
            )
    return MarkdownTable("", ("deck", *(f"{goal:g}" for goal in GOALS)), rows).markdown()


def attacks_table() -> str:
    """The table of the share of the exploitability that the attack finds, by deck, victim and budget."""
    lines = read_lines(ATTACKS)
    budgets = sorted({line["decisions"] for line in lines})
    rows = []
    for (deck, victim), attacks in _groups(lines, "deck", "victim").items():
        found = {line["decisions"]: line for line in attacks}
        cells = [_share(found[budget]) if budget in found else "–" for budget in budgets]
        name = victim.replace("mmd-", "mmd after ") + (" decisions" if "mmd" in victim else "")
        rows.append([deck, name, f"{attacks[0]['exploitability']:.4f}", *cells])
    headings = ("deck", "victim", "exploitability", *(f"{budget:,}" for budget in budgets))
    return MarkdownTable("", headings, rows, words=(0, 1)).markdown()


def recovery(budget: int) -> tuple[float, float, float] | None:
    """Median, lowest and highest share that the attack found of victims that are networks."""
    shares = [
        max(0.0, line["found"]) / line["exploitability"]
        for line in read_lines(ATTACKS)
        if line["decisions"] == budget and line["begun_as"] == "itself"
    ]
    return (median(shares), min(shares), max(shares)) if shares else None


def _share(line: Line) -> str:
    return f"{100 * max(0.0, line['found']) / line['exploitability']:.0f} %"


def _spread(values: Sequence[float]) -> str:
    """Median, and the lowest and the highest if there are several."""
    if len(values) == 1:
        return f"{values[0]:.4f}"
    return f"{median(values):.4f} ({min(values):.4f}–{max(values):.4f})"


def draw_curves(lines: Sequence[Line]) -> Figure:
    """Exploitability over decisions and over seconds, a column for each deck that has full curves."""
    points = max((line["points"] for line in lines), default=0)
    decks = list(dict.fromkeys(line["deck"] for line in lines if line["points"] == points))
    figure = new_figure(4 * max(1, len(decks)), 6.4)
    panels = figure.subplots(2, max(1, len(decks)), squeeze=False, sharey="row")
    for column, deck in enumerate(decks):
        by_decisions, by_time = panels[0][column], panels[1][column]
        solved = [line for line in lines if line["deck"] == deck and line["algorithm"] == "cfr"]
        for name, runs in _main_runs(lines, deck).items():
            colour, marker, dashes = CURVE_STYLES[list(CURVED).index(name)]
            curves = list(zip(*(run["curve"] for run in runs), strict=True))
            last, low, high = ([pick(point[1] for point in each) for each in curves] for pick in (_median, min, max))
            decisions = [each[0][0] for each in curves]
            seconds = median(run["seconds"] for run in runs)
            times = [seconds * at / decisions[-1] for at in decisions]
            for axes, x in ((by_decisions, decisions), (by_time, times)):
                axes.plot(x, last, color=colour, marker=marker, linestyle=dashes, markersize=3, label=name)
                axes.fill_between(x, low, high, color=colour, alpha=0.15, linewidth=0)
            if name == "mmd":
                mean = [_median(point[2] for point in each) for each in curves]
                by_decisions.plot(decisions, mean, color="0.6", linewidth=1, label="mmd, average policy")
        for line in solved[:1]:
            shown = [point for point in line["curve"] if point[0] > 0]
            by_time.plot([each[0] for each in shown], [each[2] for each in shown], color="0.3", linewidth=1.5,
                         label="CFR+, average policy")  # fmt: skip
        by_decisions.set_title(deck)
        by_decisions.set_xlabel("decisions (logarithmic)")
        by_time.set_xlabel("seconds of one busy core (logarithmic)")
        for axes in (by_decisions, by_time):
            axes.set_xscale("log")
            axes.set_yscale("log")
            axes.xaxis.set_major_formatter(FuncFormatter(short_number))
    for row, lowest in zip(panels, LOWEST, strict=True):
        row[0].set_ylabel("exploitability (logarithmic)")
        row[0].set_ylim(lowest, 1)
        row[0].legend(fontsize=7)
    return figure


def _median(values: Iterable[float]) -> float:
    return median(values)
