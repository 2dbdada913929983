"""What each idea in ``tuned`` is worth: its weights changed or taken away, against ``tuned`` as it is.

A variant sits at one seat and ``tuned`` at all others, on duplicate deals of ``duel`` for 2 and for 4 players; what it
wins less than its share is what the idea is worth. :data:`VARIANTS` are of two kinds: an idea of
:data:`agents.scripted.tuned.IDEAS` taken away (its weights 0), and a habit put in its place, such as wilds as soon as
possible.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.scripted.tuned import FEATURES, IDEAS, load_weights
from train.algorithms.cma_tuned import Arena
from train.evaluation.duplicate import Z_95, mean_and_error
from uno_env.rules import Rules

Array = npt.NDArray[Any]

TABLES = (2, 4)
FIRST, LAST, NEVER = 50.0, -50.0, -1000.0
"""Weights that outweigh all others; NEVER outweighs LAST."""
BY_RANK = 0.05
"""For a number card, for each point of its rank: enough to decide between numbers of a colour."""
_ONLY_IF_FORCED = {"draw": NEVER, "draw_size": 0.0, "keep": NEVER}
_COUNTING = ("held", "share", "void", "lone")


def _without(idea: str) -> dict[str, float]:
    """Weights that take an idea away; drawing is then left for when nothing fits."""
    return _ONLY_IF_FORCED if idea == "drawing" else dict.fromkeys(IDEAS[idea], 0.0)


VARIANTS: dict[str, dict[str, float]] = {
    **{f"without {idea}": _without(idea) for idea in IDEAS if idea != "trades"},
    "colour counts ignored": dict.fromkeys((*_COUNTING, "fits_share", "unseen"), 0.0),
    "wilds as soon as possible": {"wild": FIRST, "four": FIRST},
    "action cards first": {"stop": FIRST, "turn_round": FIRST},
    "action cards last": {"stop": LAST, "turn_round": LAST, **_ONLY_IF_FORCED},
    "highest number first": {"number": BY_RANK, "zero": 0.0},
    "lowest number first": {"number": -BY_RANK, "zero": 0.0},
    "zeros last": {"zero": LAST, **_ONLY_IF_FORCED},
}
"""What is changed, by name: features and their weights. Trades do not occur on ``duel``."""


@dataclass(frozen=True)
class Ablation:
    """What one change costs at one table; shares are between 0 and 1."""

    variant: str
    players: int
    deals: int
    win_rate: float
    cost: float
    """1 / players less the win rate."""
    low: float
    high: float
    """The 95 % interval of the cost, over deals."""


def ablate(deals: int = 100_000, seed: int = 0, progress: Callable[[int], object] | None = None) -> list[Ablation]:
    """Measure every variant at every table.

    Args:
        deals: duplicate deals of each, 2 or more; each is played from every seat.
        seed: decides the deals, the same for every variant.
        progress: called with the number of finished measurements, of ``len(VARIANTS) * len(TABLES)``.
    """
    arena, weights, lines = Arena(), load_weights(), []
    for players in TABLES:
        rules = Rules.preset("duel", players=players)
        for name, changes in VARIANTS.items():
            scores = arena.scores(changed(weights, changes), "tuned", weights, rules, deals, seed)
            mean, error = mean_and_error(scores)
            cost = 1 / players - mean
            lines.append(Ablation(name, players, deals, mean, cost, cost - Z_95 * error, cost + Z_95 * error))
            if progress is not None:
                progress(len(lines))
    return lines


def changed(weights: Array, changes: dict[str, float]) -> Array:
    """Weights, float64 [sets, features], with some features changed in all sets."""
    copy: Array = np.array(weights)
    for feature, weight in changes.items():
        copy[:, FEATURES.index(feature)] = weight
    return copy


def print_ablations(lines: list[Ablation]) -> None:
    """Print a row for each variant, a column for each table: points of win rate lost."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    deals = lines[0].deals
    table = Table(box=box.SIMPLE_HEAD, title=f"What each change costs tuned, in points of win rate, {deals:,} deals")
    table.add_column("change")
    for players in TABLES:
        table.add_column(f"{players} players", justify="right", no_wrap=True)
    for name in dict.fromkeys(line.variant for line in lines):
        row = [line for players in TABLES for line in lines if line.variant == name and line.players == players]
        table.add_row(name, *(f"{100 * line.cost:+.2f} ± {50 * (line.high - line.low):.2f}" for line in row))
    Console(highlight=False).print(table)


def to_dicts(lines: list[Ablation]) -> list[dict[str, Any]]:
    """Plain values for JSON."""
    return [asdict(line) for line in lines]
