"""The whole table: every algorithm on every track with both budgets, run by run; it resumes.

``python -m tools.benchmark table`` lists the rows, and ``--run-rows N`` runs the next N of them. Each row is a call of
``uno benchmark run`` with a folder of its own, so what is done is not done again. Not in the table: a search for each
family's hyperparameters, OpenSpiel's NFSP, RLCard's DMC (``python -m tools.rlcard``), and RLlib with the larger budget,
which would take days.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, NamedTuple

from msgspec import Meta

from train.benchmarks import algorithms
from train.benchmarks.plans import RunPlan
from train.cli.arguments import Command
from train.cli.errors import user_input
from train.common.options import Folder
from train.common.suite import read_suite
from train.common.table import show_lines

SMALL, LARGE = 1_000_000, 20_000_000
SEEDS: dict[str, dict[int, int]] = {
    "ppo": {SMALL: 10, LARGE: 5},
    "mmd": {SMALL: 10, LARGE: 5},
    "dmc": {SMALL: 10, LARGE: 5},
    "sb3_ppo": {SMALL: 5, LARGE: 5},
    "tools/rllib_ppo.py:RLlibPPO": {SMALL: 3},
    "tools/sb3_dqn.py:SB3QRDQN": {SMALL: 3},
}
"""Seeds of each algorithm by budget."""
LISTED = ("ppo",)
"""Algorithms that train on a list of rule sets."""


class Row(NamedTuple):
    """An algorithm on a track with a budget, all seeds."""

    track: str
    algorithm: str
    budget: int
    seeds: int

    def plan(self) -> RunPlan:
        """What is measured."""
        return RunPlan((self.track,), decisions=self.budget, algorithms=(self.algorithm,), seeds=self.seeds, threads=1)

    def done(self, folder: Path) -> int:
        """How many of its runs are done."""
        return len(list(self.folder(folder).glob(f"*/*/{algorithms.MEASURED}")))

    def folder(self, folder: Path) -> Path:
        """Where its runs are."""
        name = self.algorithm.rpartition(":")[2].lower()
        return folder / f"{self.track}-{name}-{self.budget}"


def rows() -> list[Row]:
    """The table, cheap rows first."""
    suite = read_suite()
    return [
        Row(track, algorithm, budget, seeds[budget])
        for budget in (SMALL, LARGE)
        for algorithm, seeds in SEEDS.items()
        for track in suite.tracks
        if budget in seeds and (algorithm in LISTED or not suite.track(track).training[1:])
    ]


@dataclass(frozen=True, kw_only=True)
class WholeTable(Command):
    """List the rows of the whole table, or run the next of them. The same command resumes."""

    needs: ClassVar = ("scipy",)

    run_rows: Annotated[int, Meta(ge=0)] = 0
    """rows to run, 0: only list them"""
    save: Folder = Path("runs/table")
    """where runs are saved"""

    def run(self) -> Any:
        left = [row for row in rows() if row.done(self.save) < row.seeds]
        for row in left[: self.run_rows]:
            with user_input():
                algorithms.prepare(row.plan(), row.folder(self.save))
            algorithms.measure(row.plan(), row.folder(self.save), self.origin())
        show_lines([f"{row.track}, {row.algorithm}, {row.budget:,} decisions: {row.done(self.save)} of {row.seeds} runs"
                    for row in rows()])  # fmt: skip
