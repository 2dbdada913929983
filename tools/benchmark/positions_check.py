"""The sensitivity of the suite's values to the way they were made: ``python -m tools.benchmark.positions_check TRACK``.

A sample of positions is valued again: with hidden cards drawn by how likely the others' play makes them, and with
playouts by another policy. For each way: how far the differences between two actions move, beyond what noise explains,
and what the choices of some agents cost. The sample is drawn by the seed.
"""

import argparse
from collections.abc import Sequence

import numpy as np

import agents
from train.common.suite import read_suite
from train.common.table import MarkdownTable, show_reports
from train.evaluation.choices.action_values import values_in_game
from train.evaluation.choices.positions import PositionSet, choices_in, read_positions, subset
from train.evaluation.estimate import Estimate
from uno_env.rules import Rules

WAYS = {"plain, tuned": ("tuned", None), "likely, tuned": ("tuned", "tuned"), "plain, greedy": ("greedy", None)}
"""Ways to value a position: the policy of the playouts, and the policy of the others' past choices. The second makes
likely hidden cards more frequent; with None they are drawn uniformly."""


def regrets(positions: PositionSet, way: str, budget: int) -> tuple[list[np.ndarray], list[np.ndarray], int]:
    """Regrets and their standard errors, [K] for each position, and in how many the draws were likely ones."""
    policy, others = WAYS[way]
    rules, lost, errors, likely = Rules.from_dict(dict(positions.rules)), [], [], 0
    for position in positions.positions:
        found = values_in_game(position.game(rules), policy, others, budget=budget, seed=position.seed, apart=np.inf)
        lost.append(found.regrets)
        errors.append(found.regret_errors)
        likely += found.effective > 0
    return lost, errors, likely


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a row for each way and agent."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.benchmark.positions_check", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("track")
    parser.add_argument("--agents", nargs="+", default=["tuned", "greedy", "random-play"])
    parser.add_argument("--positions", type=int, default=60)
    parser.add_argument("--budget", type=int, default=4_000, help="playouts for each position")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(arguments)
    positions = subset(read_positions(read_suite().positions_file(given.track)), given.positions, given.seed)
    players = {name: agents.load(name, 0, dict(positions.rules)) for name in given.agents}
    chosen = {name: choices_in(player, positions) for name, player in players.items()}
    stored = [np.array(each.regrets) for each in positions.positions]
    noise = [np.array(each.regret_errors) for each in positions.positions]
    rows = []
    for way in ("the suite's", *WAYS):
        lost, errors, likely = (stored, noise, 0) if way not in WAYS else regrets(positions, way, given.budget)
        off = np.concatenate([new - old for new, old in zip(lost, stored, strict=True)])
        by_chance = np.concatenate([np.hypot(new, old) for new, old in zip(errors, noise, strict=True)])
        moved = max(float((off**2).mean() - (by_chance**2).mean()), 0) ** 0.5 if way in WAYS else 0.0
        costs = [
            Estimate.of(np.array([each[at] for each, at in zip(lost, picked.tolist(), strict=True)])).text(2)
            for picked in chosen.values()
        ]
        rows.append([way, f"{likely}", f"{100 * moved:.1f}", *costs])
    headings = ("values", "likely draws in", "regrets move by, rms", *chosen)
    show_reports([MarkdownTable(f"{given.positions} positions of {given.track}, % of win rate", headings, rows)])


if __name__ == "__main__":
    main()
