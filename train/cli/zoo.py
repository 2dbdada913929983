"""Policies that come along: ``uno zoo``."""

from dataclasses import dataclass
from typing import ClassVar

from train.benchmarks import ship_policy
from train.benchmarks.plans import ShipPlan
from train.cli.arguments import Command
from train.cli.errors import user_input
from train.common.options import Workers


@dataclass(frozen=True, kw_only=True)
class Add(Command):
    """``uno zoo add``."""

    positional: ClassVar = ("target",)

    plan: ShipPlan
    workers: Workers = 0
    """processes, 0: one for each core; the result does not depend on them"""

    def run(self) -> None:
        with user_input():
            candidate = ship_policy.prepare(self.plan)
        file = ship_policy.add(candidate, self.workers)
        print(file.with_suffix(".md").read_text(encoding="utf-8"))
        print(f"Wrote {file} and its card: zoo:{self.plan.name}")


@dataclass(frozen=True, kw_only=True)
class Cards(Command):
    """Write the model cards of all shipped policies anew, from their files."""

    def run(self) -> None:
        with user_input():
            print(*ship_policy.write_cards(), sep="\n")
