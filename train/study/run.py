"""Asking the questions: the parts of each are measured and saved, then its rows and all pages are written."""

import importlib
import sys
from pathlib import Path

from train.common.processes import cores
from train.common.progress import counting, progress_bar
from train.common.study import Study
from train.evaluation.tournament import code_digest
from train.study.pages import write_pages, write_rows
from train.study.question import Part, Question, Row, StudyPlan
from uno_env.common.spelling import did_you_mean

NAMES = ("luck", "deal", "advice", "bluffing", "house_rules", "editions", "match_length")
"""The questions, in the order of the pages; each is ``QUESTION`` in the module of its name."""


def question_named(name: str) -> Question:
    """The question of a name.

    Raises:
        ValueError: there is none.
    """
    if name not in NAMES:
        raise ValueError(f"unknown question {name!r}{did_you_mean(name, NAMES)}: there are {', '.join(NAMES)}")
    question: Question = importlib.import_module(f"train.study.{name}").QUESTION
    return question


def prepare(plan: StudyPlan, save: Path | None) -> tuple[list[Question], Study]:
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
    return questions, Study("study", identity, save or _folder(plan))


def _folder(plan: StudyPlan) -> Path:
    return Path("runs") / f"study-{plan.deals}-{'-'.join(map(str, plan.players))}-{plan.seed}"


def ask(plan: StudyPlan, questions: list[Question], study: Study, folder: Path, workers: int = 0) -> None:
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


def measure(part: Part) -> list[Row]:
    """The rows of a part, rounded to six places."""
    return [
        {name: round(value, 6) if isinstance(value, float) else value for name, value in row.items()}
        for row in question_named(part.question).measure(part)
    ]
