"""What the repository cites is in the repository: sections of the guide, pages, files of code and of data."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXTS = {".py", ".md", ".txt", ".toml", ".yaml", ".js", ".css", ".html", ".svg", ""}
SECTION = re.compile(r"GUIDE\.md\s+((?:\d+(?:\.\d+)?(?:, | and |: |-)?)+)")
PAGE = re.compile(r"(?<![\w{}*])[\w./-]+\.md\b")
CODE = re.compile(r"(?<![\w{}*<./-])[\w/-]+\.py\b")
DATA = re.compile(
    r"(?<![\w{}*<./-])(?:uno_env|agents|train|uno_table|tests|configs)/[\w/-]+\.(?:yaml|txt|json|js|css|html)\b"
)
MADE = {"NAME.md", "NAME.txt", "NAME.py", "algorithms.md", "report.md", "rules.md", "notes.txt", "agent.py",
        "agents.py", "app.py", "bad.py", "cautious.py", "deep.py", "example.py", "file.py", "kernel.py", "my_agents.py",
        "own.py", "script.py", "sibling.py", "such.py", "theirs.py", "train.py", "uno_env.py"}  # fmt: skip
"""Pages that commands and the site's build write, files that tests write, and stand-ins for names."""
MADE_FOLDERS = {"rules", "modules"}
"""Folders of pages that the site's build writes; ``test_pages.py`` checks links to them."""


def _tracked() -> list[str]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("not a checkout")
    return [path for path in listed.stdout.split("\0") if path and (ROOT / path).exists()]


TRACKED = _tracked()
HERE = Path(__file__).relative_to(ROOT).as_posix()
FILES = [path for path in TRACKED if Path(path).suffix in TEXTS and path != HERE]


def _text(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def _is_tracked(cited: str) -> bool:
    """Whether a tracked file has the cited path, or its end."""
    name = cited.lstrip("./").replace("train/configs/", "configs/")  # as configs are called where they are installed
    return any(path == name or path.endswith(f"/{name}") for path in TRACKED)


def test_every_section_that_is_cited_is_a_heading_of_the_guide() -> None:
    headings = set(re.findall(r"^#+ (\d+(?:\.\d+)?) ", _text("uno_env/GUIDE.md"), re.MULTILINE))
    cited = [
        (path, section)
        for path in FILES
        for found in SECTION.findall(_text(path))
        for section in re.findall(r"\d+(?:\.\d+)?", found)
    ]
    assert len(cited) > 100
    assert [(path, section) for path, section in cited if section not in headings] == []


def test_every_section_that_the_guide_refers_to_is_one_of_its_headings() -> None:
    guide = _text("uno_env/GUIDE.md")
    headings = set(re.findall(r"^#+ (\d+(?:\.\d+)?) ", guide, re.MULTILINE))
    assert set(re.findall(r"\b\d{1,2}\.\d\b", guide.replace("1.2.0", ""))) <= headings


def test_the_tests_of_the_rules_are_named_after_chapters_of_the_guide() -> None:
    headings = re.findall(r"^#+ (\d+(?:\.\d+)?) ", _text("uno_env/GUIDE.md"), re.MULTILINE)
    names = [path.stem for path in (ROOT / "tests/uno_env/core/rules").glob("test_s*.py")]
    numbers = [re.match(r"test_s(\d+(?:_\d+)?)_", name) for name in names]
    assert len(names) > 10
    assert {number[1].replace("_", ".") for number in numbers if number} <= set(headings)
    assert {heading.partition(".")[0] for heading in headings} - {"1"} == {
        number[1].partition("_")[0] for number in numbers if number
    }


@pytest.mark.parametrize("kind", [PAGE, CODE, DATA], ids=["pages", "code", "data"])
def test_every_file_that_is_cited_is_tracked(kind: re.Pattern[str]) -> None:
    cited = {(path, found) for path in FILES for found in kind.findall(_text(path))}
    made = {each for each in cited if Path(each[1]).name in MADE or Path(each[1]).parent.name in MADE_FOLDERS}
    assert sorted(each for each in cited - made if not _is_tracked(each[1])) == []


def test_no_document_of_the_work_on_the_project_is_cited() -> None:
    pattern = re.compile(r"\b(?:RULES|DESIGN|STYLE|LAYOUT)\.md\b|\bseed document|\b[Ss]eeds? 00\d\b|\bshared/")
    assert [(path, found) for path in FILES for found in pattern.findall(_text(path))] == []
