"""``python -m studies``: the parts of each question are measured and saved, then its rows and all pages are written."""

import difflib
import importlib
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from studies.pages import SPECS, write_pages, write_rows
from studies.question import Row, StudyPart, StudyPlan, StudyQuestion
from train.cli.arguments import Command
from train.cli.errors import user_input
from train.common.job import ResumableJob
from train.common.options import Folder, Workers
from train.common.processes import cores
from train.common.progress import counting, progress_bar
from train.evaluation.played_by import player_digest
from train.evaluation.tournament import code_digest

MODULES = {
    "luck": "studies.luck",
    "deal": "studies.deal",
    "advice": "studies.advice",
    "bluffing": "studies.bluffing",
    "house_rules": "studies.house_rules",
    "editions": "studies.editions.official",
    "no_mercy": "studies.editions.no_mercy",
    "flip": "studies.editions.flip",
    "match_length": "studies.match_length",
}
"""The module of each question, in the order of the pages: each has a ``QUESTION``."""
NAMES = tuple(MODULES)


@dataclass(frozen=True, kw_only=True)
class Ask(Command):
    """``python -m studies``."""

    positional: ClassVar = ("questions",)
    needs: ClassVar = ("matplotlib", "scipy")

    plan: StudyPlan
    folder: Folder = Path("docs/study")
    """folder for the pages, the figures and the rows"""
    save: Folder | None = None
    """save the parts that are done in this folder, and resume from it (default: runs/study-DEALS-PLAYERS-SEED)"""
    workers: Workers = 0
    """processes, 0: one for each core; rows do not depend on them"""
    redraw: bool = False
    """measure nothing: write the pages anew from the rows in the folder"""

    def run(self) -> None:
        with user_input():
            self.folder.mkdir(parents=True, exist_ok=True)
            (self.folder / "index.md").open("a").close()  # a folder that cannot be written is told before the work
            if not self.redraw:
                questions, study = prepare(self.plan, self.save)
        if not self.redraw:
            ask(self.plan, questions, study, self.folder, self.workers)
        with user_input():
            for file in redraw(self.folder):
                print(file)


def question_named(name: str) -> StudyQuestion:
    """The question of a name.

    Raises:
        ValueError: there is none.
    """
    if name not in NAMES:
        meant = "".join(f" (did you mean {each!r}?)" for each in difflib.get_close_matches(name, NAMES, 1))
        raise ValueError(f"unknown question {name!r}{meant}: there are {', '.join(NAMES)}")
    question: StudyQuestion = importlib.import_module(MODULES[name]).QUESTION
    return question


def prepare(plan: StudyPlan, save: Path | None) -> tuple[list[StudyQuestion], ResumableJob]:
    """The questions of a plan, and the study that their parts are saved in, by default below ``runs``.

    Raises:
        ValueError: there is no such question, or the folder holds something else.
    """
    questions = [question_named(name) for name in dict.fromkeys(plan.questions or NAMES)]
    identity = {
        "deals": plan.deals,
        "players": list(plan.players),
        "seed": plan.seed,
        "code": code_digest(sys.modules[__package__ or ""]),
    }
    return questions, ResumableJob("study", identity, save or _folder(plan))


def _folder(plan: StudyPlan) -> Path:
    return Path("runs") / f"study-{plan.deals}-{'-'.join(map(str, plan.players))}-{plan.seed}"


def ask(plan: StudyPlan, questions: list[StudyQuestion], study: ResumableJob, folder: Path, workers: int = 0) -> None:
    """Measure what questions need and is not saved, and write their rows.

    Args:
        plan: size and seed.
        questions: the questions.
        study: where parts are saved.
        folder: where the rows go.
        workers: processes that share the parts, 0: one for each core; the rows do not depend on them.

    Raises:
        Interrupted: after Ctrl-C.
    """
    for question in questions:
        parts = question.parts(plan)
        with progress_bar(question.name, len(parts)) as bar:
            results = study.run(
                {f"{question.name}/{part.name}.json": part for part in parts},
                measure,
                workers or cores(),
                counting(bar),
            )
        labels = {"question": question.name, "deals": plan.deals, "seed": plan.seed}
        write_rows(folder, question.name, [{**labels, **row} for part in parts for row in results[part]])


def redraw(folder: Path) -> list[Path]:
    """Write all pages of a folder anew from the rows that lie there; the pages and figures.

    Raises:
        ValueError: rows are damaged.
    """
    return write_pages(folder, [question_named(name) for name in NAMES])


def measure(part: StudyPart) -> list[Row]:
    """The rows of a part, rounded to six places, with a digest of whoever played."""
    return [
        {name: round(value, 6) if isinstance(value, float) else value for name, value in row.items()}
        | {f"{label}_digest": player_digest(row[label]) for label in SPECS if label in row}
        for row in question_named(part.question).measure(part)
    ]
