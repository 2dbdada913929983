"""Exact solving of tiny rules: ``uno solve``, ``uno exploitability``."""

import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import ClassVar

import agents
from train.cli.arguments import Command, Measured, Measuring
from train.cli.errors import user_input
from train.common.options import Agent, Count, Folder, NonNegative
from train.common.processes import cores
from train.common.progress import counter, progress_bar
from uno_env.rules import Rules


@dataclass(frozen=True, kw_only=True)
class Solve(Command):
    """Solve tiny rules exactly, by predictive CFR+. The same command resumes."""

    preset: ClassVar = "mini"

    rules: Rules
    folder: Folder = Path("runs/solved")
    """folder for the solver, the solution, its policy and a large tree"""
    iterations: Count = 200
    """iterations at most"""
    target: NonNegative = 0.001
    """exploitability at which to stop"""

    def run(self) -> None:
        with user_input():
            from train.evaluation.exact.solver import solve

            with (
                counter("nodes of the tree") as growing,
                progress_bar(f"CFR, at most {self.iterations} iterations", self.iterations) as progress,
            ):
                solution = solve(self.rules, self.folder, self.iterations, self.target, growing, progress, tell)
        print(solution.report())
        print(f"Saved in {self.folder}; to play it: train.evaluation.exact.solver.load_solution")


@dataclass(frozen=True, kw_only=True)
class Exploitability(Measuring):
    """Measure how far agents are from an equilibrium of tiny rules."""

    positional: ClassVar = ("agents",)
    preset: ClassVar = "mini"

    agents: tuple[Agent, ...]
    """named as for `uno evaluate`; with ?sample=1, a saved policy is measured with its probabilities"""
    rules: Rules
    folder: Folder = Path("runs/solved")
    """folder in which a large tree is saved and found"""

    def run(self) -> Measured:
        with user_input():
            from train.evaluation.exact.measure import measure
            from train.evaluation.exact.probabilities import agent_policy
            from uno_env.extensive_form.game_tree import tree_of

            players = [agents.load(spec, rules=self.rules) for spec in self.agents]
            with counter("nodes of the tree") as growing:
                tree = tree_of(self.rules, self.folder, growing, tell, cores())
            reports: list[str] = []
            measured = []
            try:
                for spec, player in zip(self.agents, players, strict=True):
                    with progress_bar(f"information states, {spec}", len(tree)) as progress:
                        result = measure(tree, agent_policy(player, tree, progress=progress))
                    reports.append(result.report(spec))
                    measured.append({"agent": spec, **result.to_dict()})
            except BaseException:
                print(*reports, sep="\n")  # what was measured until then
                raise
        size = {"nodes": tree.nodes, "information_states": len(tree)}
        return Measured({"exploitabilities": measured, **size}, partial(print, *reports, sep="\n"))


def tell(sentence: str) -> None:
    """Print a sentence about long work."""
    print(sentence, file=sys.stderr, flush=True)
