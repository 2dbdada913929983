"""Speeds that ``python -m tools.environment_speed`` measured, over games side by side and over players."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullLocator

from train.plots.style import new_figure, short_number

SPEED, MEMORY = "decisions_per_second", "bytes_per_game"
Rows = Sequence[Mapping[str, Any]]


def draw_speed(curves: Mapping[str, Rows]) -> Figure:
    """A figure of speeds.

    Args:
        curves: ``games``: rows of ``games`` (side by side), ``decisions_per_second`` and, if known, ``bytes_per_game``;
            ``players``: rows of ``players`` and ``decisions_per_second``. Either may be missing.

    Raises:
        KeyError, TypeError, ValueError: the curves are none such.
    """
    games, players = (sorted(curves.get(name, []), key=lambda row: row[name]) for name in ("games", "players"))
    panels: list[tuple[Any, Rows]] = []
    panels += [(_draw_games, games)] if games else []
    panels += [(_draw_memory, games)] if any(MEMORY in row for row in games) else []
    panels += [(_draw_players, players)] if players else []
    if not panels:
        raise ValueError("there is no speed over 'games' or 'players'")
    figure = new_figure(4.6 * len(panels), 3.8)
    for axes, (draw, rows) in zip(figure.subplots(1, len(panels), squeeze=False)[0], panels, strict=True):
        draw(axes, rows)
    return figure


def _draw_games(axes: Axes, rows: Rows) -> None:
    sizes, speeds = _numbers(rows, "games"), _numbers(rows, SPEED)
    axes.plot(sizes, speeds, color="black", marker="o", markersize=5, linewidth=1.3)
    axes.set_yscale("log")
    axes.set_ylim(min(speeds) / 2, max(speeds) * 2.5)
    _finish_games(axes, sizes, speeds, "decisions a second")


def _draw_memory(axes: Axes, rows: Rows) -> None:
    known = [row for row in rows if MEMORY in row]
    sizes, sizes_of_game = _numbers(known, "games"), _numbers(known, MEMORY)
    axes.plot(sizes, sizes_of_game, color="black", marker="s", markersize=5, linewidth=1.3, linestyle="--")
    axes.set_ylim(0, 1.25 * max(sizes_of_game))
    _finish_games(axes, sizes, sizes_of_game, "bytes a game")


def _finish_games(axes: Axes, sizes: list[float], values: list[float], label: str) -> None:
    """Numbers at the points, and an axis of games by powers of two."""
    for size, value in zip(sizes, values, strict=True):
        axes.annotate(short_number(value), (size, value), (0, 7), textcoords="offset points", ha="center", fontsize=8)
    axes.set_xscale("log", base=2)
    axes.set_xticks(sizes, [f"{size:,.0f}" for size in sizes], rotation=30 if len(sizes) > 4 else 0)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(FuncFormatter(short_number))
    axes.margins(x=0.1)
    axes.set_xlabel("games side by side")
    axes.set_ylabel(label)
    axes.grid(color="0.9")


def _draw_players(axes: Axes, rows: Rows) -> None:
    seats, speeds = _numbers(rows, "players"), _numbers(rows, SPEED)
    names = [f"{number:g}" for number in seats]
    bars = axes.bar(names, speeds, color="0.85", edgecolor="black", hatch="///", linewidth=1)
    axes.bar_label(bars, [short_number(speed) for speed in speeds], padding=2, fontsize=8)
    axes.set_ylim(0, 1.15 * max(speeds))
    axes.yaxis.set_major_formatter(FuncFormatter(short_number))
    axes.set_xlabel("players")
    axes.set_ylabel("decisions a second")


def _numbers(rows: Rows, name: str) -> list[float]:
    numbers = [float(row[name]) for row in rows]
    if not all(math.isfinite(number) and number > 0 for number in numbers):
        raise ValueError(f"a {name!r} is no positive number")
    return numbers
