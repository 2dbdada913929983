"""``uno study``."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from train.cli.arguments import Command
from train.cli.errors import user_input
from train.common.options import Folder, Workers
from train.study.question import StudyPlan


@dataclass(frozen=True, kw_only=True)
class Ask(Command):
    """``uno study``."""

    positional: ClassVar = ("questions",)
    needs: ClassVar = ("matplotlib", "scipy")

    plan: StudyPlan
    folder: Folder = Path("docs/study")
    """where the pages, the figures and the rows go"""
    save: Folder | None = None
    """save the parts that are done in this folder, and resume from it (default: runs/study-DEALS-PLAYERS-SEED)"""
    workers: Workers = 0
    """processes, 0: one for each core; rows do not depend on them"""
    redraw: bool = False
    """measure nothing: write the pages anew from the rows in the folder"""

    def run(self) -> Mapping[str, Any] | None:
        with user_input():
            from train.study import run
            from uno_env.common.files import verify_writable

            self.folder.mkdir(parents=True, exist_ok=True)
            verify_writable(self.folder / "index.md")
            if not self.redraw:
                questions, study = run.prepare(self.plan, self.save)
        if not self.redraw:
            run.ask(self.plan, questions, study, self.folder, self.workers)
        with user_input():
            for file in run.redraw(self.folder):
                print(file)
        return None
