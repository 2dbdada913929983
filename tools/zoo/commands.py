"""The commands of ``python -m tools.zoo``."""

from dataclasses import dataclass
from typing import ClassVar

from tools.zoo.cards import measure_lengths, write_cards
from tools.zoo.ship import ShipPlan, add, prepare
from train.cli.arguments import Command, Parallel
from train.cli.errors import user_input
from train.cli.program import Program


@dataclass(frozen=True, kw_only=True)
class Add(Parallel):
    """``python -m tools.zoo add``."""

    positional: ClassVar = ("target",)

    plan: ShipPlan

    def run(self) -> None:
        with user_input():
            candidate = prepare(self.plan)
        file = add(candidate, self.workers)
        print(file.with_suffix(".md").read_text(encoding="utf-8"))
        print(f"Wrote {file} and its card: zoo:{self.plan.name}")


@dataclass(frozen=True, kw_only=True)
class Cards(Command):
    """Write the model cards of all shipped policies anew, from their files."""

    def run(self) -> None:
        with user_input():
            print(*write_cards(), sep="\n")


@dataclass(frozen=True, kw_only=True)
class Lengths(Command):
    """Measure how long hands of shipped policies are, for their model cards."""

    positional: ClassVar = ("names",)

    names: tuple[str, ...] = ()
    """the policies, such as house-4p; none: all"""

    def run(self) -> None:
        with user_input():
            print(*measure_lengths(self.names), sep="\n")


PROGRAM = Program(
    "python -m tools.zoo",
    "Measure a run's policy, describe it, and ship it as zoo:NAME.",
    {
        "add": ("tools.zoo.commands:Add", "measure a run's policy, and write its file and its model card"),
        "lengths": (
            "tools.zoo.commands:Lengths",
            "measure how long hands of shipped policies are, for their cards",
        ),
        "cards": ("tools.zoo.commands:Cards", "write the model cards of all shipped policies anew, from their files"),
    },
)
