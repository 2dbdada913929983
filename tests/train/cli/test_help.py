"""What `uno` says of itself: help, the configs there are, and what their keys mean."""

import dataclasses
import itertools

import pytest

from train.algorithms.registry import find_algorithm
from train.cli.main import main
from train.runs.config import shipped_configs


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What a command that succeeds writes."""
    capsys.readouterr()
    try:
        code: object = main(arguments)
    except SystemExit as stop:
        code = stop.code
    assert not code
    return capsys.readouterr().out


def test_uno_alone_and_uno_help_are_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    whole = said(capsys, "--help")
    assert "evaluate" in whole
    assert said(capsys) == said(capsys, "help") == whole
    assert said(capsys, "help", "evaluate") == said(capsys, "evaluate", "--help")
    assert said(capsys, "help", "benchmark", "run") == said(capsys, "benchmark", "run", "--help")


def test_uno_train_lists_the_configs(capsys: pytest.CaptureFixture[str]) -> None:
    lines = said(capsys, "train").splitlines()
    assert [line.split()[0] for line in lines[2:]] == list(shipped_configs())
    assert all(len(line.split()) > 3 for line in lines[2:])


@pytest.mark.parametrize("name", ["ppo", "dmc", "mmd"])
def test_the_help_of_train_says_every_key_its_default_and_its_meaning(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    text = said(capsys, "train", *([] if name == "ppo" else [f"{name}_duel-2p"]), "--help")
    lines = text.partition(f"keys of {name}, ")[2].splitlines()[1:]
    keys = [line.split()[0].removeprefix("--").replace("-", "_") for line in lines if line.startswith("  --")]
    assert keys == [field.name for field in dataclasses.fields(find_algorithm(name).config_class)]
    for key, meaning in itertools.pairwise(lines):
        assert not key.startswith("  --") or (meaning.startswith("      ") and len(meaning.split()) > 1)
    assert "  --eval-against [random-play, greedy]" in lines
    assert "``" not in text
    assert ":mod:" not in text
