"""tools/rlcard/commands.py: a comparison from the command line, and mistakes in it."""

import json
from pathlib import Path

import pytest

from tools.rlcard.commands import PROGRAM

pytestmark = pytest.mark.adapters


def test_a_comparison_is_printed_and_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("rlcard")
    file = tmp_path / "measured.json"
    line = ["compare", "greedy", "--against", "rlcard:random", "--games", "20", "--json", str(file)]
    assert PROGRAM.main(line) == 0
    assert "in RLCard's environment" in capsys.readouterr().out
    (compared,) = json.loads(file.read_text())["rlcard"]
    assert (compared["agent"], compared["opponent"], compared["games"]) == ("greedy", "rlcard:random", 20)


@pytest.mark.parametrize(
    ("line", "said"),
    [("compare nobody", "'nobody'"), ("compare greedy --games 5", "choose an even number")],
)
def test_mistakes_of_a_comparison(line: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert PROGRAM.main(line.split()) == 2
    assert said in capsys.readouterr().err
