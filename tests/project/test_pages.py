"""README.md and the pages of the site say what is so: their code runs, their tables are the code's, names exist.

A block of commands stands below a mark: ``<!-- tested -->``, ``<!-- tested: MORE ARGUMENTS -->`` (which the test
appends to its commands, to make them small), or ``<!-- not run: WHY -->``. A block of Python below ``<!-- file: NAME
-->`` is a file that the page's commands use; all others of a page are run, one after the other.
"""

import dataclasses
import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from agents import custom_agents
from tests.helpers import ROOT
from tests.helpers.compiling import without_compiling
from tools.docs.site import reference_pages, rule_pages
from tools.docs.tables import PAGES, README, with_tables
from tools.environment_speed import PROGRAM as ENVIRONMENT_SPEED
from train.algorithms import registry
from train.algorithms.registry import ALGORITHMS, find_algorithm
from train.cli.main import UNO, main
from train.cli.program import Parser
from uno_env.editions import EDITIONS
from uno_env.guide import guide

BLOCK = re.compile(r"(?:<!-- (?P<mark>[^\n]*?) -->\n)?```(?P<language>python|sh)\n(?P<code>.*?)```", re.DOTALL)
TEXTS = {page.relative_to(ROOT).as_posix(): page.read_text(encoding="utf-8") for page in PAGES}


def blocks(name: str, language: str) -> list[tuple[str, str]]:
    """Mark and code of each block of a page in a language."""
    return [(found["mark"] or "", found["code"]) for found in BLOCK.finditer(TEXTS[name])
            if found["language"] == language]  # fmt: skip


def commands(name: str) -> list[list[str]]:
    """The commands of a page that are run, as the test runs them."""
    lines = []
    for mark, code in blocks(name, "sh"):
        if mark.startswith("tested"):
            more = shlex.split(mark.partition(":")[2])
            typed = [shlex.split(line, comments=True) for line in code.splitlines()]
            lines += [line + more * _takes_more(line) for line in typed]
    return lines


def _takes_more(line: list[str]) -> bool:
    """Whether a command takes the arguments that make it small."""
    return line[1] == "-m" if line[0] == "python" else line[1] not in ("rules", "replay")


PYTHON = [name for name in TEXTS if blocks(name, "python")]
COMMANDS = [name for name in TEXTS if commands(name)]


def run(line: list[str | Path], folder: Path) -> "subprocess.CompletedProcess[str]":
    checkout = {"PYTHONPATH": str(ROOT)}  # for the programs beside the packages
    one_thread = {"OMP_NUM_THREADS": "1"}  # PyTorch's threads wait for each other on a busy machine
    environment = {**os.environ, **checkout, **one_thread}
    return subprocess.run(line, cwd=folder, capture_output=True, text=True, check=False, env=environment)


def test_extras_that_pages_ask_for_exist() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    listed = (ROOT / "examples" / "README.md").read_text(encoding="utf-8")
    needed = {name for row in re.findall(r"\| ([^|]*) \|\n", listed) for name in re.findall(r"`(\w+)`", row)}
    asked = {name for text in (*TEXTS.values(), listed) for name in re.findall(r"(?:uno-env|\.)\[([\w,]+)\]", text)}
    assert needed
    assert needed | {each for names in asked for each in names.split(",")} <= set(extras)


@pytest.mark.parametrize("name", PYTHON)
def test_python_runs(name: str, tmp_path: Path) -> None:
    code = [code for mark, code in blocks(name, "python") if not mark.startswith(("file", "not run"))]
    file = tmp_path / "example.py"
    file.write_text("\n".join(code), encoding="utf-8")
    done = run([sys.executable, file], tmp_path)
    assert done.returncode == 0, done.stderr
    assert without_compiling(done.stderr) == ""


@pytest.mark.parametrize("name", COMMANDS)
def test_commands_work(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Those of ``uno`` run in this process, as a start of each takes seconds; tests/train/cli starts some."""
    monkeypatch.chdir(tmp_path)
    for mark, code in blocks(name, "python"):
        if mark.startswith("file: "):
            (tmp_path / mark.removeprefix("file: ")).write_text(code, encoding="utf-8")
    for program, *arguments in commands(name):
        assert program in ("uno", "python"), program
        if program == "uno":
            status, said = main(arguments), capsys.readouterr().err
        else:
            done = run([sys.executable, *arguments], tmp_path)
            status, said = done.returncode, done.stderr
        assert status == 0, f"{shlex.join([program, *arguments])}\n{said}"


@pytest.mark.parametrize("name", TEXTS)
def test_every_block_of_commands_is_run_or_says_why_not(name: str) -> None:
    for mark, code in blocks(name, "sh"):
        assert mark.startswith(("tested", "not run: ")), code


@pytest.mark.parametrize("name", TEXTS)
def test_tables_are_those_of_the_code(name: str) -> None:
    assert with_tables(TEXTS[name]) == TEXTS[name], "write them anew: python -m tools.docs.tables"


def test_named_commands_exist() -> None:
    named = {command for text in TEXTS.values() for command in re.findall(r"(?<![\w/])uno ([a-z]+(?:-[a-z]+)*)", text)}
    assert {"train", "evaluate", "play", "replay", "benchmark", "agents"} <= named
    for command in named:
        with pytest.raises(SystemExit) as stop:
            UNO.parse([command, "--help"])
        assert stop.value.code == 0


def _options(parser: Parser) -> set[str]:
    """The options of a command and of those below it."""
    parser.add_own_arguments()
    below = [each for action in parser._actions if isinstance(action.choices, dict) for each in action.choices.values()]
    own = {option for action in parser._actions for option in action.option_strings}
    return own.union(*map(_options, below))


def _named_options(text: str) -> set[str]:
    """The options in the code of a page: between backquotes, and in lines that call ``uno``."""
    code = [*re.findall(r"`([^`\n]+)`", text), *re.findall(r"^(?:\S*/)?uno .*$", text, re.MULTILINE)]
    return {option for each in code for option in re.findall(r"(?<![\w-])--[a-z][a-z-]*", each)}


def test_named_options_exist() -> None:
    keys = {f"--{field.name.replace('_', '-')}" for name in ALGORITHMS
            for field in dataclasses.fields(find_algorithm(name).config_class)}  # fmt: skip
    earlier = {"--track", "--policy", "--search-deals"}  # in commands of earlier commits, which made figures of pages
    programs = (UNO, ENVIRONMENT_SPEED)
    known = keys.union(earlier, *(_options(program.parser()) for program in programs))
    named = {(name, option) for name, text in TEXTS.items() for option in _named_options(text)}
    assert {"--against", "--json", "--choice-cost"} <= {option for _, option in named}
    assert sorted(each for each in named if each[1] not in known) == []


def test_named_extras_exist_and_are_all_explained() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    text = TEXTS["docs/howto/install.md"]
    explained = set(re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE))
    assert explained == set(project["optional-dependencies"]) - {
        "test",
        "docs",
        "browser",
    }  # for who works on the project
    for name, page in TEXTS.items():
        assert set(re.findall(r"\bextra `(\w+)`", page)) <= explained, name


def test_named_entry_points_are_read() -> None:
    named = {group for text in TEXTS.values() for group in re.findall(r"group\s+`([\w.]+)`", text)}
    assert named == {custom_agents.ENTRY_POINTS, registry.ENTRY_POINTS}


def test_named_files_exist() -> None:
    file = re.compile(r"`((?:uno_env|agents|train|uno_table|configs|tests)/[\w/.]*)`")
    named = {name for text in TEXTS.values() for name in file.findall(text)}
    assert named
    for name in named:
        assert (ROOT / name).exists(), name


def test_named_cards_with_two_sides_are_cards_of_flip() -> None:
    named = {
        card
        for text in (*TEXTS.values(), guide())
        for card in re.findall(r"`+([rygb][1-9+rsf]\w*/[ptou]\S*?)(?::\w)?`", text)
    }
    assert named
    assert named <= set(EDITIONS["flip"].texts)


def test_named_make_targets_exist() -> None:
    makefile = (ROOT / "Makefile").read_text()
    typed = [code for name in TEXTS for _, code in blocks(name, "sh")]
    for target in {target for code in typed for target in re.findall(r"^make ([\w-]+)", code, re.MULTILINE)}:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


@pytest.mark.parametrize("name", TEXTS)
def test_links_lead_somewhere(name: str) -> None:
    made = rule_pages() | reference_pages()
    for target in re.findall(r"\]\(([^)#:]+)(?:#[\w-]*)?\)", TEXTS[name]):
        file = ((ROOT / name).parent / target).resolve()
        assert file.exists() or file.relative_to(ROOT / "docs").as_posix() in made, target


def test_the_readme_is_short() -> None:
    assert len(README.read_text(encoding="utf-8").splitlines()) <= 150
