"""The games of the suite that can be solved, solved: ``python -m studies.bluffing.games [GAME ...]``.

Their decks were found by a search over random decks. In all of them, a player loses by never mixing.
"""

import sys

import numpy as np

from studies.bluffing.exact import decisions, purified
from studies.habits import FOURS, Array
from train.common.processes import cores
from train.common.suite import named_rules, read_suite
from train.evaluation.exact.measure import measure, reach
from train.evaluation.exact.solver import Solver
from uno_env.actions import CHALLENGE
from uno_env.extensive_form.game_tree import grow

ITERATIONS = 100
HEADER = "| game | nodes | information states | exploitability | never mixing | bluffs | challenges |"


def line(name: str, iterations: int = ITERATIONS) -> str:
    """A line of the table: the size, what a best response wins, how often best play bluffs and challenges."""
    tree = grow(named_rules(name), threads=cores())
    solver = Solver(tree)
    for _ in range(iterations):
        solver.iterate()
    policy = solver.policy()
    table, often = tree.spread(policy), reach(tree, policy)
    pure = np.append(1.0, tree.gather(purified(table, np.ones(len(tree), bool))))
    lost = [measure(tree, each).exploitability for each in (policy, pure)]
    where = decisions(tree)
    shares = (
        _share(often * where["bluff"], table[:, FOURS].sum(axis=1)),
        _share(often * where["challenge"], table[:, CHALLENGE]),
    )
    figures = (f"{tree.nodes:,}", f"{len(tree):,}", f"{lost[0]:.6f}", f"{lost[1]:.4f}", *shares)
    return f"| {name} | {' | '.join(figures)} |"


def _share(weights: Array, shares: Array) -> str:
    """A weighted mean as per cent; – where it never comes up."""
    total = weights.sum()
    return f"{100 * (weights @ shares) / total:.0f} %" if total > 1e-9 else "–"


def main(names: list[str]) -> None:
    """Print the table."""
    print(f"{HEADER}\n{'| --- ' * HEADER.count(' | ')}| --- |")
    for name in names or read_suite().manifest.exact:
        print(line(name), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
