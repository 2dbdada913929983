"""``uno plot``: pictures of runs, and of measurements by the other commands, as PNG and SVG."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from train.evaluation.scores import read_scores, scores_of
from train.plots.algorithms import plot_algorithms
from train.plots.runs import plot_runs
from train.plots.tournament import plot_tournament
from uno_env.common.files import read_json

DAMAGED = (ArithmeticError, AttributeError, LookupError, TypeError)
"""Errors that damaged values raise, besides a :class:`ValueError` with a sentence of its own."""


def plot(targets: Sequence[Path], folder: Path) -> list[Path]:
    """Draw what was measured into a folder, which is made if need be, and return the files.

    Targets are folders of runs, which are drawn side by side as ``learning_curves.*``; files of scores
    (``scores.jsonl``), which are drawn together; and JSON files of ``uno tournament`` and ``uno benchmark run``, which
    are drawn one by one as ``<name>.*`` (of algorithms ``<name>-<track>.*`` and ``<name>-aggregate.*``). Raises
    ValueError if there is nothing to draw in one of the targets, and OSError if something cannot be read or written.
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
        raise ValueError("it holds no table")
    if "tournament" in values:
        return plot_tournament(values["tournament"], stem)
    if "algorithms" in values:
        return plot_algorithms(scores_of(values["algorithms"]), stem)
    raise ValueError("it is nothing that `uno tournament` or `uno benchmark` writes")
