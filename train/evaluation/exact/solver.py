"""Solving tiny rules by predictive CFR+: :class:`Solver`, :func:`solve`.

Over two seats, the average policy comes to a Nash equilibrium, which guarantees each seat the value of the game. The
seats take turns, and iteration t counts t² times in the average. Of CFR+, discounted CFR and predictive CFR+, each with
linear and quadratic averages, this one was the best or close to it on every deck tried.
"""

import io
import zipfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Annotated, Any

import numpy as np
from msgspec import Meta

from train.common.processes import cores
from train.evaluation.exact.measure import Exploitability, measure, uniform_policy
from train.evaluation.exact.saved_tables import checked_curve, damage_named, verify_policy, verify_tables
from train.evaluation.exact.sweeps import Tables, choices_of, take_turn, write_plan, write_policy
from uno_env.common.files import check_file, parse_json, read_text, replace_file, write_json
from uno_env.common.validation import convert, short_repr
from uno_env.core.arrays import Array, Floats
from uno_env.extensive_form.game_tree import MOST, GameTree, open_arrays, tree_key, tree_of
from uno_env.extensive_form.position import Position
from uno_env.rules import Rules

FORMAT, FORMAT_VERSION = "uno-solution", 2
SOLVER, SOLUTION, POLICY = "solver.npz", "solution.json", "policy.npz"
SAVED = ("policy", "regrets", "average")
MOST_TURNS = 10**9
CHECK_EVERY = 20
"""Iterations between two looks at the exploitability."""
_DAMAGE = (EOFError, KeyError, MemoryError, NotImplementedError, ValueError, TypeError, zipfile.BadZipFile, zlib.error)
"""Errors of NumPy and zipfile where a file is not what it says."""
SAVE_EVERY = 60
"""Seconds from one save to the next, at the least."""

Progress = Callable[[int], object]


@dataclass(frozen=True)
class Solution:
    """A solution, as far as it has been computed."""

    tree: GameTree
    iterations: int
    values: list[float]
    """Expected reward of each seat under the average policy."""
    curve: list[tuple[int, float]]
    """Iterations and the average policy's exploitability after them."""
    policy: Floats
    """Probability of each sequence's action in its information state, float64 [S]."""

    def report(self) -> str:
        """A report for people."""
        lines = [f"{self.tree.nodes:,} nodes, {len(self.tree):,} information states"]
        lines += [f"after {number} iterations: exploitability {value:.6f}" for number, value in self.curve]
        lines += [f"value for seat {seat}: {value:+.6f}" for seat, value in enumerate(self.values)]
        return "\n".join(lines)

    def probabilities(self, position: Position) -> dict[int, float]:
        """Probability of each action of the seat to move. Raises ValueError if no seat is, or the rules are others."""
        first, last = self.tree.first[(state := self.tree.find(position)) : state + 2].tolist()
        return dict(zip(self.tree.actions[first:last].tolist(), self.policy[first:last].tolist(), strict=True))


@dataclass(frozen=True)
class _Measured:
    """The content of :data:`SOLUTION`."""

    rules: dict[str, Any]
    iterations: Annotated[int, Meta(ge=0, le=MOST_TURNS)]
    nodes: Annotated[int, Meta(ge=1)]
    values: tuple[float, ...]
    curve: tuple[tuple[float, float], ...]


class Solver:
    """Predictive CFR+ on the tree of tiny rules. It can be saved, and then goes on as if it had not stopped, to the
    last bit.

    Args:
        tree: the tree.
    """

    def __init__(self, tree: GameTree) -> None:
        self.tree = tree
        self.curve: list[tuple[int, float]] = []
        self._states, self._ends, self._left = choices_of(tree)
        policy = uniform_policy(tree)[self._left]
        regrets, average, plan, worth = (np.zeros(len(policy)) for _ in range(4))
        self._tables = Tables(policy, regrets, average, plan, worth, np.zeros(1, np.int64))
        write_plan(self._states, self._tables.policy, -1, self._tables.plan)

    @property
    def iterations(self) -> int:
        """Iterations that are done."""
        return int(self._tables.turns[0]) // self.tree.rules.players

    @property
    def is_measured(self) -> bool:
        """True if :attr:`curve` has the exploitability after the last iteration."""
        return bool(self.curve) and self.curve[-1][0] == self.iterations

    def iterate(self) -> None:
        """One iteration over the whole tree, for one seat after the other. After an interrupt, it does the rest of that
        iteration.
        """
        done = self.iterations
        while self.iterations == done:
            take_turn(self._states, self._ends, self._tables)

    def policy(self) -> Floats:
        """The average policy: float64 [S]."""
        policy = np.ones(len(self._left))
        write_policy(self._states, self._tables.average, policy)
        return self._of_all(policy)

    def _of_all(self, values: Floats) -> Floats:
        """Return the values of the sequences that the solver has, [C], as values for all sequences, float64 [S], 1 for
        the others.
        """
        every = np.ones(len(self.tree.actions))
        every[self._left] = values
        return every

    def measure(self) -> Exploitability:
        """The distance of the average policy from an equilibrium. The result is appended to :attr:`curve`."""
        measured = measure(self.tree, self.policy())
        if not self.is_measured:
            self.curve.append((self.iterations, measured.exploitability))
        return measured

    def solution(self) -> Solution:
        """The solution so far."""
        return Solution(self.tree, self.iterations, self.measure().values, self.curve, self.policy())

    def save(self, folder: Path) -> None:
        """Write all that :meth:`load` goes on from."""
        arrays: dict[str, Array] = {name: self._of_all(getattr(self._tables, name)) for name in SAVED}
        arrays |= {"turns": self._tables.turns, "curve": np.array(self.curve).reshape(-1, 2)}
        save_arrays(folder / SOLVER, self.tree.rules, arrays)

    @classmethod
    def load(cls, folder: Path, tree: GameTree) -> "Solver":
        """The solver that was saved in a folder. Raises ValueError if it is of another tree, cannot be read, or holds
        what no solver comes to.
        """
        solver = cls(tree)
        path, shapes = folder / SOLVER, {name: (len(tree.actions),) for name in SAVED}
        saved = load_arrays(path, tree.rules, shapes | {"curve": None})
        for name in SAVED:
            getattr(solver._tables, name)[:] = saved[name][solver._left]
        turns = saved.get("turns", np.zeros(0))
        if turns.shape != (1,) or turns.dtype != np.int64 or not 0 <= turns[0] <= MOST_TURNS:
            raise ValueError(f"{str(path)!r} is damaged: its turns are not a number from 0 to {MOST_TURNS}")
        solver._tables.turns[:] = turns
        with damage_named(path):
            verify_tables(solver._states, solver._tables, tree.rules.players)
            solver.curve = checked_curve(list(np.atleast_1d(saved["curve"]).tolist()), solver.iterations)
        write_plan(solver._states, solver._tables.policy, -1, solver._tables.plan)
        return solver


def solve(
    rules: Rules,
    folder: Path,
    iterations: int = 200,
    target: float = 0.001,
    growing: Progress | None = None,
    progress: Progress | None = None,
    tell: Callable[[str], object] | None = None,
) -> Solution:
    """Solve tiny rules, from where the solver in a folder stopped, and save the result there.

    Args:
        rules: the rules.
        folder: where the solver, the solution, its policy and a large tree are saved.
        iterations: how many to do at most, those done before included.
        target: exploitability at which to stop.
        growing: called now and then with the nodes of the tree so far.
        progress: called with the iterations done.
        tell: called with sentences about a large tree.

    Raises:
        ValueError: the rules have no tree or too large a one, or the folder holds something else.
        KeyboardInterrupt: Ctrl-C; how far it was is saved.
    """
    begun = (folder / SOLVER).exists()
    if begun:
        check_file(folder / SOLVER, MOST)
    tree = tree_of(rules, folder, growing, tell, cores())
    solver = Solver.load(folder, tree) if begun else Solver(tree)
    folder.mkdir(parents=True, exist_ok=True)
    saved = monotonic()
    try:
        while True:
            if solver.iterations and (solver.iterations % CHECK_EVERY == 0 or solver.iterations == iterations):
                if not solver.is_measured:  # an interrupted measurement is made when the command goes on
                    solver.measure()
                if monotonic() > saved + SAVE_EVERY:
                    solver.save(folder)
                    saved = monotonic()
            if solver.iterations >= iterations or (solver.curve and solver.curve[-1][1] <= target):
                break
            solver.iterate()
            if progress is not None:
                progress(solver.iterations)
    except KeyboardInterrupt:
        solver.save(folder)
        raise KeyboardInterrupt(f"Saved after {solver.iterations} iterations; the same command goes on.") from None
    solver.save(folder)
    solution = solver.solution()
    save_solution(solution, folder)
    return solution


def save_solution(solution: Solution, folder: Path) -> None:
    """Write a solution: its measurements as JSON, and its policy beside it."""
    tree = solution.tree
    head = {"format": FORMAT, "version": FORMAT_VERSION, "rules": tree.rules.to_dict()}
    measured = {"iterations": solution.iterations, "nodes": tree.nodes, "values": solution.values}
    write_json(folder / SOLUTION, {**head, **measured, "curve": solution.curve})
    save_arrays(folder / POLICY, tree.rules, {"policy": solution.policy})


def load_solution(folder: Path) -> Solution:
    """The solution that :func:`save_solution` wrote. Its tree is found in the folder, or grown.

    Raises:
        ValueError: the folder holds none, one that cannot be read or has wrong values, or one of another version of the
            game.
        OSError: a file is missing.
    """
    path = folder / SOLUTION
    try:
        head = parse_json(read_text(path))
    except ValueError as error:
        raise ValueError(f"{str(path)!r} is damaged: {error}") from None
    if not isinstance(head, dict) or (head.get("format"), head.get("version")) != (FORMAT, FORMAT_VERSION):
        raise ValueError(f"{str(path)!r} is no solution of version {FORMAT_VERSION}")
    with damage_named(path):
        saved = convert({name: value for name, value in head.items() if name not in ("format", "version")}, _Measured)
        rules = Rules.from_dict(saved.rules)
        curve = checked_curve(saved.curve, saved.iterations)
        if len(saved.values) != rules.players or not np.isfinite(saved.values).all():
            raise ValueError(f"values={short_repr(saved.values)} is not allowed: give a number for each seat")
    tree = tree_of(rules, folder, threads=cores())
    policy = load_arrays(folder / POLICY, rules, {"policy": (len(tree.actions),)})["policy"]
    with damage_named(folder / POLICY):
        verify_policy(tree.first, policy)
    return Solution(tree, saved.iterations, list(saved.values), curve, policy)


def save_arrays(path: Path, rules: Rules, arrays: Mapping[str, Any]) -> None:
    """Write arrays that belong to the tree of some rules, atomically."""
    packed = io.BytesIO()
    np.savez(packed, key=tree_key(rules), **arrays)
    replace_file(path, packed.getvalue())


def load_arrays(path: Path, rules: Rules, shapes: Mapping[str, tuple[int, ...] | None]) -> dict[str, Array]:
    """The arrays that :func:`save_arrays` wrote; those of ``shapes`` are float64 of these shapes (None: of any). Raises
    ValueError if the file is damaged, or was saved for other rules or by another version.
    """
    try:
        with open_arrays(path) as file:
            arrays: dict[str, Array] = dict(file)
        key = str(arrays["key"])
    except _DAMAGE as error:
        raise ValueError(f"{str(path)!r} is damaged: {error}") from None
    if key != tree_key(rules):
        raise ValueError(f"{str(path)!r} was saved for other rules or another version: choose another folder")
    for name, shape in shapes.items():
        if name not in arrays or shape not in (None, arrays[name].shape) or arrays[name].dtype != np.float64:
            raise ValueError(f"{str(path)!r} is damaged: it has no {name!r} of the tree's size")
    return arrays
