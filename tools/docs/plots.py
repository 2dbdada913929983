"""Plots of the benchmark pages, drawn from the saved figures alone; ``python -m tools.docs.plots`` writes them anew.

A plot names the figures that it was drawn from by their hash, so that a test finds the ones that are out of date. What
has no saved figures has no plot.
"""

import hashlib
import io
import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from tools import ROOT
from tools.benchmark.table import LARGE, SMALL
from tools.docs import first_network, foreign_programs, saved_curves
from tools.docs.saved_figures import COMPARISONS, EXPLOITABILITY, LADDER, SCORES, SPEED
from tools.docs.saved_figures import FOLDER as FIGURES
from tools.exact_curves.page import draw_curves
from tools.exact_curves.runs import CURVES, read_lines
from tools.speed.plot import draw_speed
from train.benchmarks.leaderboard import Group, compared, submission_files
from train.benchmarks.submission import read_submissions
from train.common.suite import LATEST, read_suite
from train.evaluation.scores import Score, read_scores
from train.plots.algorithms import draw_aggregate, draw_improvements, draw_track
from train.plots.style import new_figure, short_number

FOLDER = ROOT / "docs" / "pictures"
SUBMISSIONS = ROOT / "benchmark" / LATEST / "scores"

_STYLE: dict[Any, Any] = {"svg.fonttype": "none", "svg.hashsalt": "uno-env", "font.size": 9, "axes.spines.top": False,
          "axes.spines.right": False}  # fmt: skip
_EVEN = {"win_rate": 0.5, "low": 0.5, "high": 0.5}
"""The win rate of a player against its like."""
_BARS: dict[str, Any] = {"color": "#9cc2e5", "edgecolor": "black", "linewidth": 0.8}

Figures = Mapping[str, Any]


def speed(saved: Figures) -> Figure:
    """Decisions a second of every row of the table, beside RLCard and OpenSpiel."""
    speeds = saved["speed"]["speeds"]
    rows = [
        ("BatchedGames, duel, uint8, 2 threads", "many_threads"),
        ("BatchedGames, duel, uint8", "duel_uint8"),
        ("BatchedGames, duel, float32", "duel_float32"),
        ("BatchedGames, house rules, 4 players", "house4_uint8"),
        ("OpenSpiel crazy_eights, with observations", "open_spiel"),
        ("PettingZoo raw_env", "raw_env"),
        ("RLCard env.step", "rlcard"),
    ]
    figure = new_figure(8, 3)
    axes = figure.add_subplot()
    values = [speeds[key]["median"] for _, key in rows]
    bars = axes.barh([name for name, _ in rows], values, **_BARS)
    axes.bar_label(bars, [short_number(value) for value in values], padding=3)
    axes.invert_yaxis()
    axes.set_xscale("log")
    axes.set_xlim(right=3 * max(values))
    axes.xaxis.set_major_formatter(FuncFormatter(short_number))
    axes.set_xlabel("decisions a second, one process (logarithmic)")
    return figure


def speed_curves(saved: Figures) -> Figure:
    """Speed over games side by side and over players."""
    return draw_speed(saved["speed"]["curves"])


def ladder(saved: Figures) -> Figure:
    """The rating of every agent on every track, with its interval."""
    tracks = saved["tracks"]
    figure = new_figure(9, 7.4)
    for axes, (name, track) in zip(figure.subplots(2, 2).flat, tracks.items(), strict=True):
        _dots(
            axes,
            [each["name"].partition("?")[0] for each in track["agents"]],
            [each["elo"] for each in track["agents"]],
        )
        axes.axvline(0, color="0.4", linewidth=1, linestyle=(0, (1, 2)))
        axes.set_xlabel("Elo, 95 % interval; random-play is 0")
        axes.set_title(f"{name}: {track['players']} players")
    return figure


def exploitability(saved: Figures) -> Figure:
    """The winnings of the best answer in a hand of the tiny game, against agents and against CFR as it goes on."""
    rows = [(each["agent"], each["exploitability"]) for each in saved["exploitabilities"]]
    rows += [(f"CFR, {iterations} iterations", value) for iterations, value in saved["solution"]["curve"]]
    figure = new_figure(8, 2.6)
    axes = figure.add_subplot()
    bars = axes.barh([name for name, _ in rows], [value for _, value in rows], **_BARS)
    axes.bar_label(bars, [f"{value:.2g}" for _, value in rows], padding=3)
    axes.invert_yaxis()
    axes.set_xscale("log")
    axes.set_xlim(right=3 * max(value for _, value in rows))
    axes.set_xlabel("exploitability: what the best answer wins of a hand (rewards ±1, logarithmic)")
    return figure


def leaderboard() -> Figure:
    """Learning curves on duel-2p of the submissions that are compared over tracks; each has its style there."""
    suite = read_suite()
    submissions = read_submissions(submission_files(suite), suite)
    names = {score.algorithm for score in compared(suite, submissions)[Group(SMALL, trained_on_a_list=False)]}
    return draw_track("duel-2p", [score for each in submissions for score in each.scores if score.algorithm in names])


def leaderboard_aggregate() -> Figure:
    """All submissions that have all tracks with one rule set and the small budget."""
    return draw_aggregate(_submitted(SMALL))


def leaderboard_improvement() -> Figure:
    """The probabilities that one submission beats another over all tracks with one rule set, by budget."""
    return draw_improvements({f"budget of {budget:,} decisions": _submitted(budget) for budget in (SMALL, LARGE)})


def _submitted(budget: int) -> Sequence[Score]:
    suite = read_suite()
    submissions = read_submissions(submission_files(suite), suite)
    return compared(suite, submissions)[Group(budget, trained_on_a_list=False)]


def _saved(draw: Callable[[Figures], Figure], name: str) -> tuple[Path, Callable[[], Figure]]:
    return FIGURES / name, lambda: draw(json.loads((FIGURES / name).read_text(encoding="utf-8")))


def _comparison(name: str) -> dict[str, tuple[Path, Callable[[], Figure]]]:
    """A published comparison: all tracks together, and learning curves of each."""
    file = SCORES / f"{name}.jsonl"
    scores = read_scores([file])
    tracks = dict.fromkeys(score.track for score in scores if not score.final)
    draws = {"aggregate": partial(draw_aggregate, scores)} | {
        track: partial(draw_track, track, scores) for track in tracks
    }
    return {f"{name}-{part}.svg": (file, draw) for part, draw in draws.items()}


PLOTS: Mapping[str, tuple[Path, Callable[[], Figure]]] = {
    "speed.svg": _saved(speed, SPEED),
    "speed-curves.svg": _saved(speed_curves, SPEED),
    "ladder.svg": _saved(ladder, LADDER),
    "exploitability.svg": _saved(exploitability, EXPLOITABILITY),
    "first-network.svg": (first_network.FIGURES, lambda: saved_curves.draw(first_network.curves())),
    "foreign-programs.svg": (
        foreign_programs.FIGURES,
        lambda: saved_curves.draw(foreign_programs.curves(), logarithmic=True),
    ),
    "exact.svg": (CURVES, lambda: draw_curves(read_lines(CURVES))),
    "leaderboard-duel-2p.svg": (SUBMISSIONS, leaderboard),
    "leaderboard-aggregate.svg": (SUBMISSIONS, leaderboard_aggregate),
    "leaderboard-improvement.svg": (SUBMISSIONS, leaderboard_improvement),
    **{plot: drawn for name in COMPARISONS for plot, drawn in _comparison(name).items()},
}
"""By the name of the plot's file: the saved figures, and what draws them."""


def _dots(axes: Axes, names: Sequence[str], spans: Sequence[Sequence[float]]) -> None:
    """A point with its interval for each name, the first one on top; a span is middle, low, high."""
    middle, low, high = zip(*spans, strict=True)
    reach = ([one - less for one, less in zip(middle, low, strict=True)],
             [more - one for one, more in zip(middle, high, strict=True)])  # fmt: skip
    axes.errorbar(middle, range(len(names)), xerr=reach, fmt="o", color="black", markersize=4, capsize=2.5, linewidth=1)
    axes.set_yticks(range(len(names)), names)
    if not axes.yaxis_inverted():
        axes.invert_yaxis()
    axes.grid(axis="x", color="0.9")


def digest(figures: Path) -> str:
    """A text that identifies saved figures, a file or a folder of them, in a plot."""
    files = sorted(figures.glob("*.json")) if figures.is_dir() else [figures]
    return f"figures sha256:{hashlib.sha256(b''.join(file.read_bytes() for file in files)).hexdigest()}"


def drawn(name: str) -> str:
    """A plot as SVG."""
    file, draw = PLOTS[name]
    with mpl.rc_context(_STYLE):
        text = io.StringIO()
        figure = draw()
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None, "Description": digest(file)})
    return "\n".join(line.rstrip() for line in text.getvalue().splitlines()) + "\n"


def main(folder: Path = FOLDER) -> None:
    """Write the plots."""
    for name in PLOTS:
        (folder / name).write_text(drawn(name), encoding="utf-8")


if __name__ == "__main__":
    main()
