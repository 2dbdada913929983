"""The commands of ``python -m tools.benchmark``."""

from dataclasses import dataclass
from typing import ClassVar

from tools.benchmark.freeze import differences, freeze, register
from train.cli.arguments import Command
from train.cli.errors import UserError, user_input
from train.cli.program import Program
from train.common.options import File
from train.common.suite import read_suite


@dataclass(frozen=True, kw_only=True)
class Freeze(Command):
    """Write the files of the suite and its manifest anew, from the presets and the zoo of today."""

    final: bool = False
    """declare the suite frozen: its version loses -draft, its tracks and scores stay valid, and a change makes v2"""

    def run(self) -> None:
        with user_input():
            if self.final and (wrong := differences()):
                raise ValueError("; ".join(wrong))
            print(freeze(final=self.final))


@dataclass(frozen=True, kw_only=True)
class Check(Command):
    """Compare the game and the agents of today with what the suite pins."""

    def run(self) -> None:
        with user_input():
            wrong = differences()
        if wrong:
            raise UserError("; ".join(wrong))
        print("All is as the suite says.")


@dataclass(frozen=True, kw_only=True)
class RegisterRuns(Command):
    """Write the runs of these submissions that `uno benchmark submit` measured here into measured.json of the suite."""

    positional: ClassVar = ("files",)

    files: tuple[File, ...]
    """files that `uno benchmark submit` has written on this machine, from the policies"""
    trained_here: bool = False
    """write all their runs: they were trained and measured by commands of this project"""

    def run(self) -> None:
        with user_input():
            print(register(self.files, read_suite(), self.trained_here))


PROGRAM = Program(
    "python -m tools.benchmark",
    "The frozen suite: make its files, and the table of all algorithms.",
    {
        "freeze": ("tools.benchmark.commands:Freeze", "write the files of the suite anew"),
        "check": ("tools.benchmark.commands:Check", "compare the game and the agents with the suite"),
        "ceilings": ("tools.benchmark.ceilings:Ceilings", "measure players that see all hands"),
        "register": ("tools.benchmark.commands:RegisterRuns", "write which published runs were measured here"),
        "table": ("tools.benchmark.table:WholeTable", "list the rows of the whole table, or run the next of them"),
    },
)
