"""The games of the suite that can be solved, solved: ``python -m studies.bluffing.games [--sees-all] [GAME ...]``.

Their decks were found by a search over random decks. The table shows the price of never mixing. The solutions are
kept in ``runs/games``, and the same command resumes. With ``--sees-all``, the table also has the win rate of a player
that sees all hands, at seat 0: of its best response to the solution, which does not know that it is seen through. A
draw counts half. It takes a tree of its own, several times as large.
"""

import argparse
from pathlib import Path

import numpy as np

from studies.bluffing.exact import decisions_of
from studies.bluffing.reach import reach
from studies.habits import FOURS, Array
from train.common.processes import cores
from train.common.progress import counter, progress_bar
from train.common.suite import named_rules, read_suite
from train.evaluation.exact.measure import measure, uniform_policy
from train.evaluation.exact.solver import solve
from uno_env.actions import CHALLENGE
from uno_env.extensive_form.game_tree import GameTree, grow

FOLDER = Path("runs/games")
ITERATIONS, TARGET = 100, 2e-5
"""The limits at which the solver stops."""
BATCH = 100_000
"""Information states whose observations are made at a time."""
HEADER = "| game | iterations | exploitability | never mixing | bluffs | challenges | sees all hands |"


def line(name: str, folder: Path = FOLDER, sees_all: bool = False) -> str:
    """A line of the table: the winnings of a best response, and the shares of bluffs and challenges in best play."""
    with counter("nodes of the tree") as growing, progress_bar(f"CFR on {name}", ITERATIONS) as done:
        solution = solve(named_rules(name), folder / name, ITERATIONS, TARGET, growing, done)
    tree, policy = solution.tree, solution.policy
    lost = [measure(tree, each).exploitability for each in (policy, purified_sequences(tree, policy))]
    wins = f"{100 * win_rate_of_seer(tree, policy):.1f} %" if sees_all else "–"
    figures = (solution.iterations, f"{lost[0]:.6f}", f"{lost[1]:.4f}", *shares_of(tree, policy), wins)
    return f"| {name} | {' | '.join(map(str, figures))} |"


def purified_sequences(tree: GameTree, policy: Array) -> Array:
    """A policy float64 [S] with its most probable action alone; of several such, with the first."""
    states = np.repeat(np.arange(len(tree)), tree.counts)
    best = np.maximum.reduceat(policy[1:], tree.first[:-1] - 1)
    places = np.flatnonzero(policy[1:] == best[states])
    _, first = np.unique(states[places], return_index=True)
    pure = np.zeros(len(policy))
    pure[0] = 1.0
    pure[1 + places[first]] = 1.0
    return pure


def shares_of(tree: GameTree, policy: Array) -> list[str]:
    """The shares of the chances in which a policy bluffs and challenges, as per cent; – if no chance comes up."""
    often, made, chances = reach(tree, policy), np.zeros(2), np.zeros(2)
    for start in range(0, len(tree), BATCH):
        stop = min(start + BATCH, len(tree))
        asked = decisions_of(tree.observations(start, stop), tree.masks(start, stop))
        table = tree.spread(policy, start, stop)
        for place, shares in enumerate((table[:, FOURS].sum(axis=1), table[:, CHALLENGE])):
            weights = often[start:stop] * asked[("bluff", "challenge")[place]]
            chances[place] += weights.sum()
            made[place] += weights @ shares
    return [f"{100 * each / total:.0f} %" if total > 1e-9 else "–" for each, total in zip(made, chances, strict=True)]


def win_rate_of_seer(tree: GameTree, policy: Array) -> float:
    """The win rate of a best response at seat 0 that sees all hands, against a policy float64 [S] of seat 1."""
    seer = grow(tree.rules, threads=cores(), seers=(0,))
    answered = uniform_policy(seer)
    # The other's information states are the same ones in both trees, in the same order.
    answered[_sequences_of(seer, 1)] = policy[_sequences_of(tree, 1)]
    return (1 + measure(seer, answered).best_responses[0]) / 2


def _sequences_of(tree: GameTree, seat: int) -> Array:
    return np.append(False, np.repeat(tree.seats == seat, tree.counts))


def main(words: list[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Solve the games of the suite that can be solved.")
    parser.add_argument("games", nargs="*", metavar="GAME", default=list(read_suite().manifest.exact))
    parser.add_argument("--sees-all", action="store_true", help="measure a player that sees all hands, too")
    parser.add_argument("--folder", type=Path, default=FOLDER)
    options = parser.parse_args(words)
    print(f"{HEADER}\n{'| --- ' * HEADER.count(' | ')}| --- |")
    for name in options.games:
        print(line(name, options.folder, options.sees_all), flush=True)


if __name__ == "__main__":
    main()
