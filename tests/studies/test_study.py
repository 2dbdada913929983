"""Every question of the study at a size of seconds: what is written, and that it depends on the seed alone."""

import json
from pathlib import Path

import pytest

from studies.blocks import holm
from studies.pages import page_text, read_rows, write_rows
from studies.question import Row, StudyPart, StudyPlan
from studies.run import NAMES, measure, question_named
from tests.helpers import ROOT
from train.cli.program import Program

pytestmark = pytest.mark.adapters

main = Program("python -m studies", "", "studies.run:Ask").main

FEW = ["--deals", "4", "--players", "2", "4"]
FIRST = "match_length"


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the pages of all questions."""
    folder = tmp_path_factory.mktemp("study")
    assert main(["--folder", str(folder), "--workers", "1", "--save", str(folder.with_name("parts")), *FEW]) == 0
    return folder


@pytest.mark.parametrize("name", NAMES)
def test_a_question_writes_a_page_figures_and_tidy_rows(name: str, written: Path) -> None:
    rows = [json.loads(line) for line in (written / f"{name}.jsonl").read_text().splitlines()]
    assert rows
    for row in rows:
        assert row["question"] == name
        assert (row["deals"], row["seed"]) == (4, 0)
        assert row["low"] <= row["mean"] <= row["high"]
        assert row["n"] >= 1
        assert all(value is None or isinstance(value, str | int | float | bool) for value in row.values())
    text = (written / f"{name}.md").read_text()
    assert text.startswith(f"# {question_named(name).title}\n")
    assert f"python -m studies {name} --deals 4" in text
    assert "| --- |" in text
    assert "±" in text
    assert "{figure:" not in text
    pictures = list(written.glob(f"{name}-*.png"))
    assert pictures
    assert all(picture.name in text and picture.stat().st_size > 1_000 for picture in pictures)


def test_the_summary_has_every_question_and_stands_before_the_method(written: Path) -> None:
    text = (written / "index.md").read_text()
    titles = [f"\n## {question_named(name).title}\n" for name in NAMES]
    assert [text.index(title) for title in titles] == sorted(text.index(title) for title in titles)
    assert text.rstrip().splitlines()[-2] == "method"
    assert (written / "method.md").exists()


@pytest.mark.parametrize("name", NAMES)
def test_a_page_is_made_from_its_rows_alone(name: str, written: Path) -> None:
    question = question_named(name)
    rows = read_rows(written, name)
    assert page_text(question, rows, question.page(rows)) == (written / f"{name}.md").read_text()


@pytest.mark.parametrize("name", NAMES)
def test_parts_have_names_of_their_own_and_depend_on_the_seed(name: str) -> None:
    parts, others = (question_named(name).parts(StudyPlan(deals=20, seed=seed)) for seed in (0, 1))
    assert len({part.name for part in parts}) == len({part.seed for part in parts}) == len(parts)
    assert [part.name for part in parts] == [part.name for part in others]
    assert not {part.seed for part in parts} & {part.seed for part in others}


def test_the_first_picture_of_the_summary_has_three_rows() -> None:
    folder = ROOT / "docs" / "study"
    name, figure = next(iter(question_named("luck").page(read_rows(folder, "luck")).figures.items()))
    assert len(figure.axes[0].get_yticks()) == 3
    assert f"```{{figure}} luck-{name}.png" in (folder / "index.md").read_text(encoding="utf-8").partition("\n## ")[2]


def test_rows_do_not_depend_on_the_workers(written: Path, tmp_path: Path) -> None:
    arguments = ["--folder", str(tmp_path / "pages"), "--save", str(tmp_path / "parts"), *FEW]
    assert main(["match_length", *arguments, "--workers", "2"]) == 0
    assert (tmp_path / "pages/match_length.jsonl").read_text() == (written / "match_length.jsonl").read_text()


def test_pages_are_drawn_anew_from_the_rows(written: Path, tmp_path: Path) -> None:
    write_rows(tmp_path, "match_length", read_rows(written, "match_length"))
    assert main(["--redraw", "--folder", str(tmp_path)]) == 0
    pages = [(folder / "match_length").with_suffix(".md").read_text() for folder in (tmp_path, written)]
    assert pages[0] == pages[1]
    assert not any((tmp_path / f"{name}.md").exists() for name in NAMES if name != "match_length")


def test_an_unknown_question_is_refused_in_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["match_lenght", "--folder", str(tmp_path / "pages")]) == 2
    assert "unknown question 'match_lenght' (did you mean 'match_length'?)" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [(["--players", "11"], "players=11 is not allowed"), (["--players", "1"], "2 or more"), (["--deals", "1"], "'1'")],
)
def test_a_table_that_there_is_not_is_refused(
    arguments: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([FIRST, *arguments, "--folder", str(tmp_path / "pages")]) == 2
    assert said in capsys.readouterr().err


def test_a_table_that_is_named_twice_is_asked_once() -> None:
    assert StudyPlan(players=(2, 4, 2)).players == (2, 4)


BARE = {"question": "", "deals": 2, "seed": 0, "measure": "", "mean": 0.0, "low": 0.0, "high": 0.0, "n": 2}


@pytest.mark.parametrize("line", ['{"players": 2}', "no JSON", "[1]"])
def test_damaged_rows_are_refused_in_a_sentence(line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in NAMES:
        (tmp_path / f"{name}.jsonl").write_text(line + "\n")
        assert main(["--redraw", "--folder", str(tmp_path)]) == 2
        said = capsys.readouterr().err
        assert f"{name}.jsonl' is damaged" in said
        assert "Traceback" not in said
        (tmp_path / f"{name}.jsonl").unlink()


def test_rows_of_another_version_are_refused_in_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "luck.jsonl").write_text(json.dumps(BARE) + "\n")
    assert main(["--redraw", "--folder", str(tmp_path)]) == 2
    assert "luck.jsonl' is damaged, or was written by another version: ask luck anew" in capsys.readouterr().err


def test_rows_are_rounded() -> None:
    part = question_named("match_length").parts(StudyPlan(deals=20))[0]
    assert isinstance(part, StudyPart)
    assert all(value == round(value, 6) for row in measure(part) for value in row.values() if isinstance(value, float))


def test_holm_names_what_differs_and_counts_how_often_was_asked() -> None:
    def at(errors: float) -> Row:
        return {"mean": errors, "low": errors - 1.959964, "high": errors + 1.959964}

    assert holm([at(2.1)]) == [True]
    assert holm([at(2.1), at(0.3)]) == [False, False], "2.1 standard errors are not enough for two questions"
    assert holm([at(0.3), at(2.4), at(-4)]) == [False, True, True]
    assert holm([{"mean": 1.0, "low": 1.0, "high": 1.0}, {"mean": 0.0, "low": 0.0, "high": 0.0}]) == [True, False]


def test_the_pages_of_the_site_are_those_of_their_rows(tmp_path: Path) -> None:
    shipped = ROOT / "docs/study"
    for rows in shipped.glob("*.jsonl"):
        (tmp_path / rows.name).write_bytes(rows.read_bytes())
    assert main(["--redraw", "--folder", str(tmp_path)]) == 0
    pages = {page.name: page.read_text() for page in shipped.glob("*.md")}
    assert {f"{name}.md" for name in ("index", "method", FIRST)} <= set(pages)
    assert {page.name: page.read_text() for page in tmp_path.glob("*.md")} == pages
