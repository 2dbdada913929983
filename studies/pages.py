"""Files of the study: a page, figures and rows for each question, a summary before them and the method behind."""

import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from studies.question import PLAYERS, Row, StudyPage, StudyQuestion, values
from train.evaluation.played_by import played_by

NEEDED = {"deals", "high", "low", "mean", "measure", "n", "question", "seed"}
"""The fields of every row."""
SPECS = ("spec", "opponent_spec")
"""Labels of rows that say who played; a row has the digest of ``spec`` as ``spec_digest``."""
COMPACT = (",", ":")
METHOD = Path(__file__).with_name("method.md")

_INTRODUCTION = """# What simulation says about UNO

UNO players have many opinions about their game. Here the opinions are tested. Computer players play millions of hands,
and we count who wins. Each question has one finding, one picture, and one sentence of advice for your own table. You
need no statistics to read this page. The numbers are rounded.

Behind each question is a page with all findings and tables. [The method](method.md) says how the figures were measured.
Each page says at its end which trained policies played, and whether they have been replaced since.
"""


def write_rows(folder: Path, name: str, rows: Sequence[Row]) -> None:
    """Write a question's rows, a line of JSON each."""
    lines = (json.dumps(row, allow_nan=False, separators=COMPACT) for row in rows)
    (folder / f"{name}.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def read_rows(folder: Path, name: str) -> list[Row]:
    """A question's rows, none if it was never measured.

    Raises:
        ValueError: the file is damaged.
    """
    file = folder / f"{name}.jsonl"
    try:
        rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] if file.exists() else []
        if not all(isinstance(row, dict) and row.keys() >= NEEDED for row in rows):
            raise ValueError(f"a row lacks one of {', '.join(sorted(NEEDED))}")
    except ValueError as error:
        raise ValueError(f"{str(file)!r} is damaged: {error}") from None
    return rows


def write_pages(folder: Path, questions: Sequence[StudyQuestion]) -> list[Path]:
    """Write the pages of all questions that have rows in a folder, the summary and the method; the files.

    Raises:
        ValueError: the rows are damaged.
    """
    measured = {question: rows for question in questions if (rows := read_rows(folder, question.name))}
    pages = {question: _page(folder, question, rows) for question, rows in measured.items()}
    texts = {f"{question.name}.md": page_text(question, measured[question], page) for question, page in pages.items()}
    texts |= {"index.md": summary_text(pages), "method.md": METHOD.read_text(encoding="utf-8")}
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    figures = [_write_figures(folder, question.name, page) for question, page in pages.items()]
    return [*(folder / name for name in texts), *(file for files in figures for file in files)]


def _page(folder: Path, question: StudyQuestion, rows: Sequence[Row]) -> StudyPage:
    try:
        return question.page(rows)
    except (KeyError, TypeError, IndexError, AttributeError, ValueError) as error:
        file = str(folder / f"{question.name}.jsonl")
        raise ValueError(f"{file!r} is damaged, or was written by another version: ask {question.name} anew") from error


def page_text(question: StudyQuestion, rows: Sequence[Row], page: StudyPage) -> str:
    """A question's page in Markdown."""
    text = page.text
    for name in page.figures:
        text = text.replace(f"{{figure:{name}}}", _shown(question.name, name, page))
    return f"""# {question.title}

{page.summary}

{_advice(question)}

{text.strip()}

## Measure it again

{_size(rows)} The file [{question.name}.jsonl]({question.name}.jsonl) has every figure of this page, one row each. The
[method](method.md) is the same for all pages.

<!-- not run: it takes minutes -->
```sh
{_command(question.name, rows)}
```

<!-- table: played_{question.name} -->
{played_by(players_of(rows))}
<!-- end -->
"""


def players_of(rows: Sequence[Row]) -> set[tuple[str, str]]:
    """The players of the rows: specs, each with its digest, which is empty if none was recorded."""
    return {(row[label], row.get(f"{label}_digest", "")) for row in rows for label in SPECS if label in row}


def summary_text(pages: Mapping[StudyQuestion, StudyPage]) -> str:
    """The summary: for each question one finding, one picture, one sentence of advice, and the way to its page."""
    parts = [_INTRODUCTION]
    for question, page in pages.items():
        picture = next(iter(page.figures), None)
        shown = "" if picture is None else f"{_shown(question.name, picture, page)}\n\n"
        more = f"[More, with tables]({question.name}.md)"
        finding = page.summary.partition("\n\n")[0]
        parts.append(f"## {question.title}\n\n{finding}\n\n{shown}{_advice(question)}\n\n{more}\n")
    names = "\n".join([*(question.name for question in pages), "method"])
    return "\n".join([*parts, f"```{{toctree}}\n:hidden:\n\n{names}\n```\n"])


def _advice(question: StudyQuestion) -> str:
    return f"**At the table:** {question.at_the_table}"


def _shown(question: str, name: str, page: StudyPage) -> str:
    caption = page.captions[name]
    return f"```{{figure}} {_file(question, name)}\n:alt: {caption}\n:width: 560\n\n{caption}\n```"


def _file(question: str, name: str) -> str:
    return f"{question}-{name}.png"


def _write_figures(folder: Path, question: str, page: StudyPage) -> list[Path]:
    files = []
    for name, figure in page.figures.items():
        picture = io.BytesIO()
        figure.savefig(picture, format="png", dpi=110)
        (folder / _file(question, name)).write_bytes(picture.getvalue())
        files.append(folder / _file(question, name))
    return files


def _size(rows: Sequence[Row]) -> str:
    return f"Measured with `--deals {rows[0]['deals']}`; the rows say how many deals are behind each figure (`n`)."


def _command(name: str, rows: Sequence[Row]) -> str:
    players = sorted(values(rows, "players"))
    few = f" --players {' '.join(map(str, players))}" if players and players != list(PLAYERS) else ""
    return f"python -m studies {name} --deals {rows[0]['deals']}{few} --seed {rows[0]['seed']}"
