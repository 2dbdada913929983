"""Speed beside OpenSpiel's, on the same game: ``python -m tools.benchmark.beside_openspiel [RULES]``.

OpenSpiel's compiled CFR+ and best responses work on a game that it has read from a file in Gambit's format, the fastest
way that it has. Both sides work on one core, one after the other. Chance moves that follow each other are one node, and
chance with the same outcome one branch, in both trees.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from train.common.suite import named_rules
from train.evaluation.exact.measure import measure, uniform_policy
from train.evaluation.exact.solver import Solver
from uno_env import actions
from uno_env.extensive_form import ExtensiveForm, Position
from uno_env.extensive_form.game_tree import grow
from uno_env.rules import Rules

ITERATIONS = 5
"""Of OpenSpiel's solver; ours does a hundred times as many."""
_T = TypeVar("_T")


def timed(work: Callable[[], _T], times: int = 1) -> tuple[_T, float]:
    """Return the result of a function, and the seconds of the processor that it takes: the mean of ``times`` calls."""
    begun = time.process_time()
    for _ in range(times):
        result = work()
    return result, (time.process_time() - begun) / times


def openspiels_game(rules: Rules) -> Any:
    """The tree as a game of OpenSpiel."""
    import pyspiel

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tree.efg"
        path.write_text(gambit(rules), encoding="utf-8")
        return pyspiel.load_game("efg_game", {"filename": str(path)})


def gambit(rules: Rules) -> str:
    """The tree of one hand in Gambit's format."""
    lines = ['EFG 2 R "uno" { ' + " ".join(f'"{seat}"' for seat in range(rules.players)) + " }"]
    ids: dict[int, int] = {}
    states: list[dict[str, int]] = [{} for _ in range(rules.players)]
    waiting = [ExtensiveForm(rules).root]
    nodes = 0
    while waiting:
        position, nodes = waiting.pop(), nodes + 1
        if position.is_chance:
            branches = settled(position)
            shares = " ".join(f'"c{number}" {share!r}' for number, (_, share) in enumerate(branches))
            lines.append(f'c "" {nodes} "" {{ {shares} }} 0')
            waiting += [after for after, _ in reversed(branches)]
        elif position.over:
            lines.append(f't "" {nodes} "" {{ {" ".join(map(repr, position.rewards()))} }}')
        else:
            seat = position.to_move
            # OpenSpiel numbers actions as it reads them, and sorts the numbers at a node but not its branches.
            legal = sorted(position.legal_actions(), key=lambda action: ids.setdefault(action, len(ids)))
            number = states[seat].setdefault(position.information_state(seat), len(states[seat]) + 1)
            texts = " ".join(f'"{actions.name(action)}"' for action in legal)
            lines.append(f'p "" {seat + 1} {number} "{seat}-{number}" {{ {texts} }} 0')
            waiting += [position.move(action) for action in reversed(legal)]
    return "\n".join([*lines, ""])


def settled(position: Position) -> list[tuple[Position, float]]:
    """The positions after all chance moves that come next, and their probabilities."""
    reached: dict[tuple[bytes, tuple[str, ...]], tuple[Position, float]] = {}
    waiting = [(position, 1.0)]
    while waiting:
        current, share = waiting.pop()
        if current.is_chance:
            waiting += [(current.move(move), share * each) for move, each in reversed(current.chance_moves())]
        else:
            key = (current.array.tobytes(), current.seen)
            first, before = reached.get(key, (current, 0.0))
            reached[key] = (first, before + share)
    return [(after, min(1.0, share)) for after, share in reached.values()]  # a sum can be above 1 by its rounding


def compare(rules: Rules) -> list[str]:
    """Lines of a table: seconds of OpenSpiel, ours, and how many times faster; then the values of uniform play."""
    import pyspiel

    grow(rules)  # compiles, or loads what was compiled
    tree, grown = timed(lambda: grow(rules))
    game, read = timed(lambda: openspiels_game(rules))
    theirs = pyspiel.CFRPlusSolver(game)
    _, their_iteration = timed(theirs.evaluate_and_update_policy, ITERATIONS)
    ours = Solver(tree)
    ours.iterate()
    _, our_iteration = timed(ours.iterate, 100 * ITERATIONS)
    uniform = uniform_policy(tree)
    measure(tree, uniform)
    found, measured = timed(lambda: measure(tree, uniform), 20)
    same, their_measured = timed(lambda: pyspiel.exploitability(game, pyspiel.UniformRandomPolicy(game)))
    times = {
        "the tree": (read, grown),
        "an iteration": (their_iteration, our_iteration),
        "an exploitability": (their_measured, measured),
    }
    lines = [f"| {name} | {one:.3f} | {other:.6f} | {one / other:,.0f} x |" for name, (one, other) in times.items()]
    gap = abs(same - found.exploitability)
    return [*lines, f"Exploitability of uniform play: {same:.12f} and {found.exploitability:.12f}, {gap:.1e} apart."]


def main(names: list[str]) -> None:
    """Print the table."""
    rules = named_rules(names[0] if names else "mini")
    print("| seconds of the processor | OpenSpiel | ours | times faster |\n| --- | --- | --- | --- |")
    print("\n".join(compare(rules)))


if __name__ == "__main__":
    main(sys.argv[1:])
