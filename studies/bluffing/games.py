"""Tiny games whose hidden information matters, solved exactly: ``python -m studies.bluffing.games [GAME ...]``.

Their decks were found by a search over random decks. In some of them, a player loses by never mixing.
"""

import sys

import numpy as np

from studies.bluffing.exact import decisions, purified
from studies.habits import FOURS, Array
from train.evaluation.exact.measure import measure, reach
from train.evaluation.exact.solver import Solver
from uno_env import Rules
from uno_env.actions import CHALLENGE
from uno_env.extensive_form.game_tree import grow

GAMES: dict[str, dict[str, object]] = {
    "stops": {"deck": "r3 r3 b2 b1 bs w w+4", "hand_size": 3, "max_decisions": 8, "wild_draw_four": "bluff",
              "stacking": "any"},
    "colours": {"deck": "r2 r1 b1 y1 y2 rs w", "hand_size": 3, "max_decisions": 8, "after_draw": "must_play",
                "dealer": "random"},
    "calls": {"deck": "r1 r1 r1 r2 r2 r2 b3 b1 b2", "hand_size": 2, "max_decisions": 7, "uno_call": "declared",
              "dealer": "random"},
}  # fmt: skip
"""The fields of each game's rules that differ from those that all of them share."""
SHARED: dict[str, object] = {"players": 2, "dealer": "fixed", "first_card": "number", "uno_call": "automatic"}
ITERATIONS = 100
HEADER = "| game | nodes | information states | exploitability | never mixing | bluffs | challenges |"


def game_rules(name: str) -> Rules:
    """The rules of one of :data:`GAMES`."""
    return Rules.from_dict({**SHARED, **GAMES[name]})


def line(name: str, iterations: int = ITERATIONS) -> str:
    """A line of the table: the size, what a best response wins, how often best play bluffs and challenges."""
    tree = grow(game_rules(name))
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
    for name in names or GAMES:
        print(line(name), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
