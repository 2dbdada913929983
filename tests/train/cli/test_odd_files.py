"""Pipes, devices, folders and huge files are refused at once, wherever a command takes a file."""

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tools.demo import PROGRAM as DEMO
from tools.rlcard.commands import PROGRAM as RLCARD
from tools.tune_weights import PROGRAM as TUNE
from tools.zoo.commands import PROGRAM as ZOO
from train.cli.main import UNO
from train.cli.program import Program
from uno_env import Game

pytestmark = pytest.mark.adapters

PROGRAMS = {"demo": DEMO, "tune": TUNE, "zoo": ZOO, "rlcard": RLCARD}
"""Programs beside ``uno``, by the first word of a line."""

READ = (
    "train {}",
    "demo --config {}",
    "evaluate {} --against greedy --deals 2",
    "evaluate policy:{} --against greedy --deals 2",
    "evaluate greedy --against tuned?weights={} --deals 2",
    "evaluate tools/rlcard/players.py:DMC?file={} --against greedy --deals 2 --rules rlcard",
    "evaluate search:pimc?rollout={} --against greedy --deals 2",
    "play {} --plain",
    "replay {}",
    "plot {}",
    "tune two --start {}",
    "tournament greedy {} --deals 2",
    "benchmark exploit {}",
    "benchmark leaderboard {}",
    "exploitability {}",
)
"""Commands that read a file."""
IN_FOLDERS = (
    ("tournament --resume {}", "study.json"),
    ("train {}", "config.yaml"),
    ("train {}", "checkpoints/000000000001.safetensors"),
    ("plot {}", "metrics.jsonl"),
    ("zoo add {} --name duel-2p", "policy.safetensors"),
    ("solve --folder {}", "solver.npz"),
)
"""Commands that read a file in a folder."""
WRITTEN = (
    "evaluate greedy --against greedy --deals 2 --json {}",
    "benchmark exploit greedy --json {}",
    "replay GAME --html {}",
    "tune two --generations 1 --out {}",
    "rlcard train --save {}",
)
"""Commands that write a file."""


@pytest.fixture(autouse=True)
def hurried() -> Iterator[None]:
    """Who waits for a pipe is interrupted."""

    def late(*_: Any) -> None:
        raise AssertionError("a file was waited for")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(60)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def pipe(path: Path) -> Path:
    os.mkfifo(path)
    return path


def folder(path: Path) -> Path:
    path.mkdir()
    return path


def vast(path: Path) -> Path:
    with path.open("wb") as file:
        file.truncate(1 << 40)  # a hole, which takes no room
    return path


ODD: dict[str, Callable[[Path], Path]] = {
    "pipe": pipe,
    "device": lambda path: Path("/dev/zero"),
    "folder": folder,
    "vast": vast,
}


def refused(line: str, capsys: pytest.CaptureFixture[str], *arguments: object) -> None:
    capsys.readouterr()
    words = [word.format(*arguments) for word in line.split()]
    program: Program = PROGRAMS.get(words[0], UNO)
    try:
        code: Any = program.main(words[program is not UNO :])
    except SystemExit as stop:
        code = stop.code
    said = capsys.readouterr()
    assert (code, said.err.count("\n")) == (2, 1), (words, said)
    assert said.err.startswith(f"{program.name}: "), said.err
    assert str(arguments[0]) in said.err


@pytest.mark.parametrize("line", READ)
def test_what_is_read(line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, make in ODD.items():
        if (line, name) == ("plot {}", "folder"):
            continue  # of a run
        refused(line, capsys, make(tmp_path / name))


@pytest.mark.parametrize(("line", "name"), IN_FOLDERS)
def test_what_is_read_in_folders(line: str, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for kind in ("pipe", "vast", "folder"):
        (tmp_path / kind / name).parent.mkdir(parents=True)
        if line.startswith("plot"):
            (tmp_path / kind / "config.yaml").write_text("seed: 1\n")
        ODD[kind](tmp_path / kind / name)
        refused(line, capsys, tmp_path / kind)


@pytest.mark.parametrize("line", WRITTEN)
def test_what_is_written(line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "game.json").write_text(Game("duel", seed=0).to_json())
    line = line.replace("GAME", str(tmp_path / "game.json"))
    for name in ("pipe", "device", "folder"):
        refused(line, capsys, ODD[name](tmp_path / name))
    refused(line, capsys, "/dev/null")
    assert not Path("/dev/null").is_file()
