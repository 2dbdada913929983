"""train/common/table.py: one table for the terminal and for Markdown."""

import io

from rich.console import Console

from train.common.table import Table

TABLE = Table("**duel**: par 50%", ("agent", "v `tuned`"), [["`greedy`", "52.3 ± 0.4"], ["[bold]", ""]])


def test_as_markdown() -> None:
    lines = ["**duel**: par 50%", "", "| agent | v `tuned` |", "| --- | --- |", "| `greedy` | 52.3 ± 0.4 |"]
    assert TABLE.markdown().splitlines() == [*lines, "| [bold] |  |"]
    assert Table("", ("a",), [["b"]]).markdown() == "| a |\n| --- |\n| b |"


def test_on_the_terminal_without_marks() -> None:
    output = io.StringIO()
    TABLE.show(Console(file=output, width=60))
    shown = output.getvalue()
    assert "duel: par 50%" in shown
    assert "greedy   52.3 ± 0.4" in shown
    assert "[bold]" in shown
    assert "`" not in shown
    assert "*" not in shown
