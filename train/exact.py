"""Exact solving of tiny rules by OpenSpiel's CFR+, and how far from a solution a policy is: :func:`exploitability`.

Over two seats, CFR+'s average policy comes to a Nash equilibrium, which guarantees each seat the value of the game. The
*exploitability* of a policy is what a best response wins against it beyond that: the mean over seats of what each gains
by changing from the policy to its best response while the others keep it (OpenSpiel's NashConv by the number of
seats); 0 for an equilibrium, in rewards, which go from −1 to +1. The best response is computed on the true tree, with
perfect recall; the policy measured may forget, as all do that see observations alone.
"""

import gzip
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyspiel

from agents.agent import Agent
from agents.policy.policy_agent import PolicyAgent
from agents.scripted.agent import ScriptedAgent
from train.game_tree import GameTree, Table, grow
from train.terminal import write_json, write_text
from uno_env import actions as catalogue
from uno_env.extensive_form.position import Position
from uno_env.rules import Rules, as_rules

FORMAT, FORMAT_VERSION = "uno-solution", 1
SOLVER, SOLUTION, POLICY = "solver.json", "solution.json", "policy.json.gz"
CHECK_EVERY = 20
"""Iterations between two looks at the exploitability."""
DRAWS = 64
"""How often an agent that does not tell its probabilities is asked in each information state."""

Progress = Callable[[int], object]


@dataclass(frozen=True)
class Exploitability:
    """How a policy fares when all seats play it, and when one of them knows it and answers at best."""

    rules: dict[str, Any]
    exploitability: float
    """Mean over seats of what the best response gains."""
    nash_conv: float
    """Sum of the same."""
    values: list[float]
    """Expected reward of each seat when all play the policy."""
    best_responses: list[float]
    """Expected reward of each seat's best response to it."""

    def to_dict(self) -> dict[str, Any]:
        """All fields as plain values for JSON."""
        return asdict(self)

    def report(self, name: str) -> str:
        """One line for a person to read."""
        best = ", ".join(f"{value:+.4f}" for value in self.best_responses)
        return f"{name}: exploitability {self.exploitability:.4f}; best responses to it get {best} by seat"


@dataclass(frozen=True)
class Solution:
    """What CFR+ has found."""

    rules: Rules
    iterations: int
    nodes: int
    values: list[float]
    """Expected reward of each seat under the average policy."""
    curve: list[tuple[int, float]]
    """Iterations and the average policy's exploitability after them."""
    policy: dict[str, dict[int, float]]
    """Probability of each action by information state."""

    def report(self) -> str:
        """What was found, for a person to read."""
        lines = [f"{self.nodes:,} nodes, {len(self.policy):,} information states"]
        lines += [f"after {number} iterations: exploitability {value:.6f}" for number, value in self.curve]
        lines += [f"value for seat {seat}: {value:+.6f}" for seat, value in enumerate(self.values)]
        return "\n".join(lines)

    def probabilities(self, position: Position) -> dict[int, float]:
        """Probability of each action where a seat is to move; uniform where the policy was never told of.

        Raises:
            ValueError: no seat is to move.
        """
        if position.to_move < 0:
            raise ValueError("no seat is to move")
        legal = position.legal_actions()
        return self.policy.get(position.information_state(position.to_move), dict.fromkeys(legal, 1 / len(legal)))


def exploitability(agent: Agent, rules: Rules | str = "mini") -> Exploitability:
    """How far an agent, as it plays, is from an equilibrium of tiny rules.

    A saved policy is measured as it is loaded: its most probable actions, or with ``sample=1`` its probabilities. For a
    scripted agent, the actions it chooses among :data:`DRAWS` times count as equally likely, since its ties are; for
    any other agent, their frequencies are taken.

    Args:
        agent: what :func:`agents.load` gives.
        rules: rules whose tree is small, or a preset's name; the tree is grown once and kept.

    Raises:
        ValueError: the rules have no tree, or too large a one.
    """
    tree = grow(as_rules(rules))
    return measure(tree, tree.table(agent_probabilities(agent, tree)))


def agent_probabilities(agent: Agent, tree: GameTree, draws: int = DRAWS) -> npt.NDArray[np.float64]:
    """Probability of each action in each information state: float64 [K, A].

    Raises:
        ValueError: the agent reads past events, of which observations in the tree have none.
    """
    if agent.history:
        raise ValueError(f"{agent.name!r} reads past events, and information states are told by observations alone")
    if isinstance(agent, PolicyAgent) and agent.sample:
        chances = agent.probabilities(tree.observations, tree.masks).astype(np.float64)
        return np.asarray(chances / chances.sum(axis=1, keepdims=True))
    asked = np.arange(len(tree.states))
    counts = np.zeros(tree.masks.shape)
    for _ in range(1 if isinstance(agent, PolicyAgent) else draws):
        counts[asked, agent.act_batch(tree.observations, tree.masks)] += 1
    if isinstance(agent, ScriptedAgent):
        counts = (counts > 0).astype(np.float64)
    return np.asarray(counts / counts.sum(axis=1, keepdims=True))


def measure(tree: GameTree, table: Table) -> Exploitability:
    """The exploitability of a policy that OpenSpiel can read."""
    root, players = tree.game.new_initial_state(), tree.rules.players
    values = pyspiel.expected_returns(root, pyspiel.TabularPolicy(table), -1, True)
    best = [pyspiel.TabularBestResponse(tree.game, seat, table).value_from_state(root) for seat in range(players)]
    nash_conv = sum(best) - sum(values)
    return Exploitability(tree.rules.to_dict(), nash_conv / players, nash_conv, list(values), best)


class Solver:
    """CFR+ on the tree of tiny rules; it can be saved and goes on where it was.

    OpenSpiel 2.0.2 restores a saved CFR+ as plain CFR (without regret matching+ and linear averaging), so what is saved
    is how far it was, and :meth:`load` does that again: it is the same to the last bit, and measuring, which
    takes most of the time, is not repeated.

    Args:
        tree: the tree.
    """

    def __init__(self, tree: GameTree) -> None:
        self.tree = tree
        self.iterations = 0
        self.curve: list[tuple[int, float]] = []
        self._solver = pyspiel.CFRPlusSolver(tree.game)

    def iterate(self) -> None:
        """One iteration over the whole tree, for every seat."""
        self._solver.evaluate_and_update_policy()
        self.iterations += 1

    def measure(self) -> Exploitability:
        """How far the average policy is from an equilibrium; kept in :attr:`curve`."""
        measured = measure(self.tree, self._table())
        if not self.curve or self.curve[-1][0] < self.iterations:
            self.curve.append((self.iterations, measured.exploitability))
        return measured

    def _table(self) -> Table:
        table: Table = self._solver.tabular_average_policy().policy_table()
        return table

    def solution(self) -> Solution:
        """What has been found so far."""
        tree, probabilities = self.tree, self.tree.probabilities(self._table())
        policy = {
            state: {action: float(row[action]) for action in np.flatnonzero(mask).tolist()}
            for state, row, mask in zip(tree.states, probabilities, tree.masks, strict=True)
        }
        return Solution(tree.rules, self.iterations, tree.nodes, self.measure().values, self.curve, policy)

    def save(self, folder: Path) -> None:
        """Write how far the solver is, from where :meth:`load` goes on."""
        saved = {
            "format": FORMAT,
            "version": FORMAT_VERSION,
            "rules": self.tree.rules.to_dict(),
            "tree": self.tree.digest,
            "iterations": self.iterations,
            "curve": self.curve,
        }
        write_text(folder / SOLVER, json.dumps(saved))

    @classmethod
    def load(cls, folder: Path, tree: GameTree, progress: Progress | None = None) -> "Solver":
        """The solver that was saved in a folder; ``progress`` is called with the iterations done again.

        Raises:
            ValueError: what was saved is not for this tree, or nothing that can be read.
        """
        path = folder / SOLVER
        saved = _read(path, path.read_text(encoding="utf-8"))
        if saved.get("tree") != tree.digest:
            raise ValueError(f"{str(path)!r} was saved for other rules or another version: choose another folder")
        solver = cls(tree)
        while solver.iterations < saved["iterations"]:
            solver.iterate()
            if progress is not None:
                progress(solver.iterations)
        solver.curve = [(number, value) for number, value in saved["curve"]]
        return solver


def solve(
    rules: Rules,
    folder: Path,
    iterations: int = 200,
    target: float = 0.001,
    growing: Progress | None = None,
    progress: Progress | None = None,
    told: Callable[[int, float], object] | None = None,
) -> Solution:
    """Solve tiny rules, going on with what a folder holds, and keep the result there.

    Args:
        rules: the rules.
        folder: where the solver, the solution and its policy are kept.
        iterations: how many to do at most, those done before included.
        target: exploitability at which to stop.
        growing: called now and then with the nodes of the tree so far.
        progress: called with the iterations done.
        told: called with the iterations and the exploitability, each time it is measured.

    Raises:
        ValueError: the rules have no tree or too large a one, or the folder holds something else.
        KeyboardInterrupt: Ctrl-C; how far it was is saved.
    """
    tree = grow(rules, growing)
    solver = Solver.load(folder, tree, progress) if (folder / SOLVER).is_file() else Solver(tree)
    folder.mkdir(parents=True, exist_ok=True)
    try:
        while solver.iterations < iterations and not (solver.curve and solver.curve[-1][1] <= target):
            solver.iterate()
            if progress is not None:
                progress(solver.iterations)
            if solver.iterations % CHECK_EVERY == 0 or solver.iterations == iterations:
                measured = solver.measure()
                solver.save(folder)
                if told is not None:
                    told(solver.iterations, measured.exploitability)
    except KeyboardInterrupt:
        solver.save(folder)
        raise KeyboardInterrupt(f"Saved after {solver.iterations} iterations; the same command goes on.") from None
    solution = solver.solution()
    save_solution(solution, folder)
    return solution


def save_solution(solution: Solution, folder: Path) -> None:
    """Write a solution: what was measured as JSON, and its policy, compressed, beside it."""
    head = {"format": FORMAT, "version": FORMAT_VERSION, "rules": solution.rules.to_dict()}
    measured = {"iterations": solution.iterations, "nodes": solution.nodes, "values": solution.values}
    write_json(folder / SOLUTION, {**head, **measured, "curve": solution.curve})
    policy = {
        state: {catalogue.name(action): round(share, 6) for action, share in shares.items()}
        for state, shares in solution.policy.items()
    }
    (folder / POLICY).write_bytes(gzip.compress(json.dumps({**head, "policy": policy}).encode(), mtime=0))


def load_solution(folder: Path) -> Solution:
    """The solution that :func:`save_solution` wrote.

    Raises:
        ValueError: the folder holds none, or one that cannot be read.
        OSError: a file is missing.
    """
    head = _read(folder / SOLUTION, (folder / SOLUTION).read_text(encoding="utf-8"))
    try:
        text = gzip.decompress((folder / POLICY).read_bytes()).decode()
    except (EOFError, gzip.BadGzipFile, UnicodeDecodeError) as error:
        raise ValueError(f"{str(folder / POLICY)!r} is damaged: {error}") from None
    saved = _read(folder / POLICY, text)["policy"]
    policy = {
        state: {catalogue.parse(name): share for name, share in shares.items()} for state, shares in saved.items()
    }
    curve = [(number, value) for number, value in head["curve"]]
    return Solution(Rules.from_dict(head["rules"]), head["iterations"], head["nodes"], head["values"], curve, policy)


def _read(path: Path, text: str) -> dict[str, Any]:
    try:
        saved = json.loads(text)
    except ValueError:
        raise ValueError(f"{str(path)!r} is damaged: it is not JSON") from None
    if not isinstance(saved, dict) or (saved.get("format"), saved.get("version")) != (FORMAT, FORMAT_VERSION):
        raise ValueError(f"{str(path)!r} is no solution of version {FORMAT_VERSION}")
    return saved
