"""What each idea in ``tuned`` is worth: its weights changed or taken away, against ``tuned`` as it is.

A variant sits at one seat and ``tuned`` at all others, on duplicate deals of ``duel`` for 2 and for 4 players; what it
wins less than its share is what the idea is worth. What habits are worth that one could have in place of an idea, such
as wilds as soon as possible, ``python -m studies advice`` asks (:mod:`studies.advice`).
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.scripted.tuned import FEATURES, IDEAS, load_weights
from tools.tune_weights import duplicate_scores
from train.cli.arguments import Measuring
from train.cli.program import Program
from train.common.options import Deals, Seed
from train.common.progress import progress_bar
from train.common.table import MarkdownTable
from train.evaluation.estimate import Estimate
from uno_env.rules import Rules

Array = npt.NDArray[Any]

TABLES = (2, 4)
NEVER = -1000.0
"""A weight that outweighs all others."""
_ONLY_IF_FORCED = {"draw": NEVER, "draw_size": 0.0, "keep": NEVER}
_COUNTING = ("held", "share", "void", "lone")


def _without(idea: str) -> dict[str, float]:
    """Weights that take an idea away; drawing is then left for when nothing fits."""
    return _ONLY_IF_FORCED if idea == "drawing" else dict.fromkeys(IDEAS[idea], 0.0)


VARIANTS: dict[str, dict[str, float]] = {
    **{f"without {idea}": _without(idea) for idea in IDEAS if idea != "trades"},
    "colour counts ignored": dict.fromkeys((*_COUNTING, "fits_share", "unseen"), 0.0),
}
"""Ideas taken away, by name: features and their weights. Trades do not occur on ``duel``."""


@dataclass(frozen=True)
class AblationPlan:
    """Take one idea after the other away from the agent tuned, and measure what that costs."""

    deals: Deals = 100_000
    """duplicate deals for each change, with 2 and with 4 players"""
    seed: Seed = 0
    """seed of the deals and of the agents"""


def measure(plan: AblationPlan, progress: Callable[[int], object] | None = None) -> list[dict[str, Any]]:
    """Measure every variant at every table: plain values for JSON.

    A line has the ``variant`` and the ``players``, the ``deals``, the ``win_rate``, and the ``cost``, 1 / players less
    the win rate, with its 95 % interval from ``low`` to ``high``.

    Args:
        plan: the deals, the same for every variant; each is played from every seat.
        progress: called with the number of finished measurements, instead of a progress bar.
    """
    weights, lines = load_weights(), []
    with progress_bar("Ideas of tuned", len(VARIANTS) * len(TABLES)) as bar:
        for players in TABLES:
            rules = Rules.preset("duel", players=players)
            for name, changes in VARIANTS.items():
                scores = duplicate_scores(changed(weights, changes), "tuned", weights, rules, plan.deals, plan.seed)
                rate = Estimate.of(scores)
                line = {"variant": name, "players": players, "deals": plan.deals, "win_rate": rate.mean}
                lines.append({**line, **(-(rate - 1 / players)).to_dict("cost")})
                (progress or bar)(len(lines))
    return lines


def changed(weights: Array, changes: dict[str, float]) -> Array:
    """Weights, float64 [sets, features], with some features changed in all sets."""
    copy: Array = np.array(weights)
    for feature, weight in changes.items():
        copy[:, FEATURES.index(feature)] = weight
    return copy


def show(lines: Sequence[Mapping[str, Any]]) -> None:
    """Print a row for each variant, a column for each table: points of win rate lost."""
    costs: dict[str, list[str]] = {}
    for line in lines:
        costs.setdefault(line["variant"], []).append(Estimate.from_dict(line, "cost").text(2, "+"))
    title = f"What each change costs tuned, in points of win rate, {lines[0]['deals']:,} deals"
    headings = ["change", *(f"{players} players" for players in TABLES)]
    MarkdownTable(title, headings, [[name, *cells] for name, cells in costs.items()]).show()


@dataclass(frozen=True, kw_only=True)
class Ablation(Measuring):
    """``python -m tools.ablation``."""

    plan: AblationPlan

    def run(self) -> Mapping[str, Any]:
        lines = measure(self.plan)
        show(lines)
        return {"seed": self.plan.seed, "ablations": lines}


PROGRAM = Program("python -m tools.ablation", "What each idea in the agent tuned is worth.", "tools.ablation:Ablation")

if __name__ == "__main__":
    sys.exit(PROGRAM.main())
