"""``uno plot``: pictures of runs, and of what the other commands measured, as PNG and SVG."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib.ticker import FuncFormatter

from train.evaluation.scores import read_scores, scores_of
from train.plots.algorithms import plot_algorithms
from train.plots.runs import plot_runs
from train.plots.style import new_figure, save_figure, short_number
from train.plots.tournament import plot_tournament
from uno_env.common.files import read_json

DAMAGED = (ArithmeticError, AttributeError, LookupError, TypeError)
"""Errors that damaged values raise, besides a :class:`ValueError` with a sentence of its own."""


def plot(targets: Sequence[Path], folder: Path) -> list[Path]:
    """Draw what was measured into a folder, which is made if need be; the files.

    Targets are folders of runs, which are drawn side by side as ``learning_curves.*``; files of scores
    (``scores.jsonl``), which are drawn together; and JSON files of ``uno tournament``, ``uno benchmark run`` and
    ``speed``, and ``python -m tools.ladder``, which are drawn one by one as ``<name>.*`` (``<name>-<track>.*`` of a
    ladder, and of algorithms, where there is ``<name>-aggregate.*``, too).

    Raises:
        ValueError: there is nothing to draw in one of the targets.
        OSError: something cannot be read or written.
    """
    runs = [target for target in targets if target.is_dir()]
    scored = [target for target in targets if target.suffix == ".jsonl" and not target.is_dir()]
    scores = read_scores(scored) if scored else []
    measured = [(target, _read(target)) for target in targets if not target.is_dir() and target not in scored]
    try:
        files = plot_runs(runs, folder / "learning_curves") if runs else []
    except DAMAGED as error:
        names = ", ".join(repr(str(run)) for run in runs)
        raise ValueError(f"{names} cannot be drawn: a file there is damaged ({error})") from None
    files += plot_algorithms(scores, folder / scored[0].stem) if scored else []
    for target, values in measured:
        try:
            files += _plot_values(values, folder / target.stem)
        except (*DAMAGED, ValueError) as error:
            reason = f"it lacks {error}" if isinstance(error, KeyError) else str(error)
            raise ValueError(f"{str(target)!r} cannot be drawn: {reason}") from None
    return files


def _read(path: Path) -> Any:
    try:
        return read_json(path)
    except ValueError:
        raise ValueError(f"{str(path)!r} cannot be drawn: it is neither a run's folder nor JSON") from None


def _plot_values(values: Any, stem: Path) -> list[Path]:
    if not isinstance(values, dict):
        raise ValueError("it holds no table and no speeds")
    if "tournament" in values:
        return plot_tournament(values["tournament"], stem)
    if "algorithms" in values:
        return plot_algorithms(scores_of(values["algorithms"]), stem)
    if "ladder" in values:
        return _plot_ladder(values["ladder"], stem)
    for part in (values, *values.values()):
        if isinstance(part, dict) and "speeds" in part:
            return plot_speeds(part["speeds"], stem)
    raise ValueError("it is nothing that `uno tournament` or `uno benchmark` writes")


def plot_speeds(speeds: Mapping[str, Mapping[str, Any]], stem: Path) -> list[Path]:
    """Draw speeds, a bar for the ``median`` of each thing that was measured; write ``stem``.png and ``stem``.svg.

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


def _plot_ladder(ladder: Any, stem: Path) -> list[Path]:
    """A table for each track, against the references, whom alone the agents meet."""
    files = []
    for track, report in ladder["tracks"].items():
        files += plot_tournament(report, stem.with_name(f"{stem.name}-{track}"), ladder["references"])
    return files
