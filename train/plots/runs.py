"""Learning curves of runs side by side; runs that differ in their seed alone are one curve, with one interval."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import scipy

from train.common.suite import named_rules
from train.plots.style import Point, draw_curves, learning_curves, new_figure, save_figure
from train.runs.config import read_yaml
from uno_env.rules import Rules

_OF_NO_CONSEQUENCE = ("name", "folder", "seed", "threads", "checkpoint_every", "keep_checkpoints", "save_games")
"""Fields of a config in which runs of one curve may differ."""

_PANEL = (5.2, 4.0)
"""Inches of a panel."""


def plot_runs(folders: Sequence[Path], stem: Path) -> list[Path]:
    """Draw the win rates of runs for the same rules against the opponents of their evaluations; write ``stem``.png and
    ``stem``.svg, the files. Raises ValueError if a folder holds no run with evaluations, or the runs are for different
    rules.
    """
    configs = [_config(folder) for folder in folders]
    pars = _pars(folders, configs)
    curves = [learning_curves(folder) for folder in folders]
    for folder, found in zip(folders, curves, strict=True):
        if not found:
            raise ValueError(f"{str(folder)!r} has no learning curve: its run was never evaluated")
    groups = _grouped(configs)
    panels: dict[str, dict[str, list[Point]]] = {}
    for label, members in groups.items():
        for opponent in dict.fromkeys(name for member in members for name in curves[member]):
            runs = [curves[member][opponent] for member in members if opponent in curves[member]]
            seeds = f" ({len(runs)} seeds)" if len(runs) > 1 else ""
            panels.setdefault(f"v {opponent}", {})[f"{label}{seeds}"] = mean_curve(runs)
    if len(groups) == 1:  # one panel is enough
        seeds = f", mean of {len(folders)} seeds" if len(folders) > 1 else ""
        panels = {f"{next(iter(groups))}{seeds}": {name: next(iter(panel.values())) for name, panel in panels.items()}}
    figure = new_figure(_PANEL[0] * len(panels) + (1.8 if len(panels) == 1 else 0), _PANEL[1])
    for axes, (title, panel) in zip(figure.subplots(1, len(panels), squeeze=False)[0], panels.items(), strict=True):
        draw_curves(axes, panel, *pars)
        axes.set_title(title, fontsize=10)
    return save_figure(figure, stem)


def mean_curve(runs: Sequence[Sequence[Point]]) -> list[Point]:
    """Return the mean of curves with its 95 % interval over runs (Student's t). A single curve keeps its own interval.

    Where the runs were measured at different decisions, they are taken as straight between those, as far as all reach.
    """
    if len(runs) == 1:
        return list(runs[0])
    first, last = (pick(run[at].decisions for run in runs) for pick, at in ((max, 0), (min, -1)))
    xs = sorted({point.decisions for run in runs for point in run if first <= point.decisions <= last})
    rates = np.array([np.interp(xs, [at.decisions for at in run], [at.win_rate for at in run]) for run in runs])
    half = scipy.stats.t.ppf(0.975, len(runs) - 1) * rates.std(axis=0, ddof=1) / math.sqrt(len(runs))
    means = rates.mean(axis=0)
    return [
        Point(x, float(mean), max(float(mean - error), 0.0), min(float(mean + error), 1.0))
        for x, mean, error in zip(xs, means, half, strict=True)
    ]


def _config(folder: Path) -> dict[str, Any]:
    if not (folder / "config.yaml").is_file():
        raise ValueError(f"{str(folder)!r} is no run's folder: it lacks config.yaml")
    return read_yaml(folder / "config.yaml")


def _pars(folders: Sequence[Path], configs: Sequence[Mapping[str, Any]]) -> list[float]:
    rules = [_rules(config) for config in configs]
    for folder, other in zip(folders, rules, strict=True):
        if other != rules[0]:
            raise ValueError(
                f"{str(folders[0])!r} and {str(folder)!r} were trained for different rules: plot one by one"
            )
    return [1 / each.players for each in rules[0]]


def _rules(config: Mapping[str, Any]) -> list[Rules]:
    players = config.get("players")
    return [
        named_rules(config.get("rules", "duel"), each) for each in (players if isinstance(players, list) else [players])
    ]


def _grouped(configs: Sequence[Mapping[str, Any]]) -> dict[str, list[int]]:
    """Places of runs that differ in nothing that matters, by what tells them from the others."""
    plain = [{name: str(config[name]) for name in config if name not in _OF_NO_CONSEQUENCE} for config in configs]
    names = dict.fromkeys(name for config in plain for name in config)
    differing = [name for name in names if len({config.get(name) for config in plain}) > 1]
    groups: dict[str, list[int]] = {}
    for index, config in enumerate(plain):
        parts = [f"{name}={config[name]}" for name in differing if name != "algorithm" and name in config]
        groups.setdefault(", ".join([config.get("algorithm", "ppo"), *parts]), []).append(index)
    return groups
