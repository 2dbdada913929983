"""README.md says what is so: its examples run, its commands work, its tables are the code's."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.project.readme import README, with_tables
from train.cli.main import parse_arguments

TEXT = README.read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
TESTED_COMMANDS = [
    line for block in re.findall(r"<!-- tested -->\n```sh\n(.*?)```", TEXT, re.DOTALL) for line in block.splitlines()
]
COMMANDS = re.findall(r"(?<![\w/])uno ([a-z]+)", TEXT)
ROOT = README.parent


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_examples_run(number, tmp_path):
    file = tmp_path / "example.py"
    file.write_text(EXAMPLES[number])
    one_thread = {**os.environ, "OMP_NUM_THREADS": "1"}  # PyTorch's threads wait for each other on a busy machine
    line = [sys.executable, file]
    done = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, check=False, env=one_thread)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""


def test_there_are_examples_and_the_first_is_short():
    assert len(EXAMPLES) >= 6
    assert len([line for line in EXAMPLES[0].splitlines() if line]) <= 20


@pytest.mark.parametrize("command", TESTED_COMMANDS)
def test_commands_work(command, tmp_path):
    program, *arguments = shlex.split(command)
    assert program == "uno"
    line = [sys.executable, "-m", "train.cli", *arguments]
    done = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_named_commands_exist():
    assert {"train", "evaluate", "play", "replay", "benchmark", "demo", "agents"} <= set(COMMANDS)
    for command in set(COMMANDS):
        with pytest.raises(SystemExit) as stop:
            parse_arguments([command, "--help"])
        assert stop.value.code == 0


def test_tables_are_those_of_the_code():
    assert with_tables(TEXT) == TEXT, "write them anew: python -m tests.project.readme"


def test_named_files_exist():
    named = set(re.findall(r"`((?:uno_env|agents|train|configs|tests)/[\w/.]*)`", TEXT))
    assert named
    for name in named:
        assert (ROOT / name).exists(), name


def test_named_make_targets_exist():
    makefile = (ROOT / "Makefile").read_text()
    for target in re.findall(r"^make (\w+)", TEXT, re.MULTILINE):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_links_lead_somewhere():
    for target in re.findall(r"\]\(([^)#]+)\)", TEXT):
        assert (ROOT / Path(target)).exists(), target
