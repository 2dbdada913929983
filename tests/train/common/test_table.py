"""train/common/table.py: one table for the terminal and for Markdown."""

import re
import sys
from collections.abc import Callable

import pytest
from rich.cells import cell_len
from rich.console import Console

from train.common import table as module
from train.common.table import MarkdownTable, show_lines, show_list, show_reports

TABLE = MarkdownTable("**duel**: par 50%", ("agent", "v `tuned`"), [["`greedy`", "52.3 ± 0.4"], ["[bold]", ""]])


def test_a_table_is_written_as_markdown() -> None:
    lines = ["**duel**: par 50%", "", "| agent | v `tuned` |", "| --- | --- |", "| `greedy` | 52.3 ± 0.4 |"]
    assert TABLE.markdown().splitlines() == [*lines, "| [bold] |  |"]
    assert MarkdownTable("", ("a",), [["b"]]).markdown() == "| a |\n| --- |\n| b |"


Shown = Callable[[Callable[[], object], int], str]


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shown:
    """What a function prints to a terminal of some width."""

    def shown(show: Callable[[], object], width: int) -> str:
        monkeypatch.setattr(module, "_console", lambda: Console(width=width, force_terminal=False))
        monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
        show()
        return capsys.readouterr().out

    return shown


def test_on_the_terminal_without_marks(shown: Shown) -> None:
    text = shown(TABLE.show, 60)
    assert "duel: par 50%" in text
    assert "greedy   52.3 ± 0.4" in text
    assert "[bold]" in text
    assert "`" not in text
    assert "*" not in text


NAMES = (
    "greedy",
    "BatchedGames.sample_actions",
    "search:pimc?num_determinizations=300&rollout=tuned",
    "runs/ppo-duel-2p-20260101-101010/policy.safetensors",
    "日本語の名前",
)
CROSS = MarkdownTable(
    "Each against each: share of the two agents' wins, 2 players, duel, seed 0",
    ["", "agent", *(str(number) for number in range(1, 10))],
    [[str(row), name, *(f"{row}{column}.31 ± 0.45" for column in range(9))] for row, name in enumerate(NAMES, 1)],
    words=2,
)
SPEED = MarkdownTable(
    "Speed, median of 5 turns",
    ("environment", "decisions/s", "what it does"),
    [[name, f"{number}1,234,567 ± 1,234", "steps with random legal actions"] for number, name in enumerate(NAMES, 1)],
    words=(0, 2),
)


@pytest.mark.parametrize("table", [CROSS, SPEED, MarkdownTable("t", ("a", "b"), [["x" * 70, "1 ± 2"]]), TABLE])
@pytest.mark.parametrize("width", [40, 60, 80, 200])
def test_nothing_is_cut_however_narrow_the_terminal_is(table: MarkdownTable, width: int, shown: Shown) -> None:
    lines = shown(table.show, width).splitlines()
    assert all(cell_len(line) <= width for line in lines)
    text = re.sub(r"\s", "", "".join(lines))
    assert "…" not in text
    for cell in (*table.headings, *(cell for row in table.rows for cell in row)):
        assert re.sub(r"\s|`", "", cell) in text


def test_narrow_terminals_get_fewer_columns_behind_each_name(shown: Shown) -> None:
    wide, narrow = (shown(CROSS.show, width).splitlines() for width in (200, 80))
    assert sum("search:pimc" in line for line in wide) == 1
    assert sum("search:pimc" in line for line in narrow) > 1
    assert all("3 " in line for line in narrow if "search:pimc" in line)


def test_very_narrow_terminals_get_cells_one_below_the_other(shown: Shown) -> None:
    lines = shown(CROSS.show, 40).splitlines()
    assert "agent: BatchedGames.sample_actions" in lines
    assert lines.count("9: 18.31 ± 0.45") == 1


def test_a_pipe_gets_full_width(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    CROSS.show()
    show_lines(["a sentence of many words " * 20])
    lines = capsys.readouterr().out.splitlines()
    for row in CROSS.rows:
        assert any(line.split() == " ".join(row).split() for line in lines)
    assert lines[-1] == "a sentence of many words " * 20


LIST = [
    ("jump_in", "10.3", "Who holds the very same card lays it out of turn, and play goes on from there"),
    ("a_long_name_of_a_rule", "2", "Text of https://example.org/a/very/long/address/that/has/no/blank/in/it"),
]


@pytest.mark.parametrize("width", [40, 60, 80, 200])
def test_lists_wrap_between_words_and_keep_their_names(width: int, shown: Shown) -> None:
    text = shown(lambda: show_list(LIST), width)
    lines = text.splitlines()
    assert " ".join(text.split()) == " ".join(" ".join(row) for row in LIST)
    assert all(len(line) <= width for line in lines if "https" not in line)
    assert [line.split()[0] for line in lines if not line.startswith(" ")] == ["jump_in", "a_long_name_of_a_rule"]


def test_lists_in_a_pipe_have_a_line_each(capsys: pytest.CaptureFixture[str]) -> None:
    show_list(LIST)
    assert capsys.readouterr().out.splitlines() == [
        f"jump_in                10.3  {LIST[0][2]}", f"a_long_name_of_a_rule  2     {LIST[1][2]}",
    ]  # fmt: skip


def test_reports_are_markdown_in_a_pipe_and_tables_on_a_terminal(
    capsys: pytest.CaptureFixture[str], shown: Shown
) -> None:
    show_reports([TABLE, TABLE])
    assert capsys.readouterr().out == f"{TABLE.markdown()}\n\n{TABLE.markdown()}\n"
    assert "greedy   52.3 ± 0.4" in shown(lambda: show_reports([TABLE]), 60)
