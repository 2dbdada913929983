"""uno_env/common/plain_text.py: what somebody else wrote shows itself and nothing else."""

import pytest

from train.cli.errors import UserError
from train.common.table import MarkdownTable
from uno_env.common.plain_text import code_span, markdown, printable, without_marks

HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "&lt;b&gt; &#27;",
    "a | b | c\n| forged | row |",
    "[link](javascript:alert(1)) ![x](http://host/x.png) `code` **bold** _it_ ~~no~~ $x$ \\",
    "\x1b[31mred\x1b[0m \x1b]0;title\x07 \x9b31m \x00 \x7f",
    "abc\u202edef\u2066\u200b",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_table_shows_a_text_as_it_is_written(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    plain = printable(text)
    assert plain.isprintable()
    assert without_marks(markdown(text)) == plain
    table = MarkdownTable("", ["author", "x"], [[markdown(text), "1"]], words=1)
    page = table.markdown()
    assert len(page.splitlines()) == 3
    assert "<" not in page
    assert page.splitlines()[2].replace(r"\|", "").count("|") == 3
    table.show()
    shown = capsys.readouterr().out
    assert plain in shown
    assert all(char.isprintable() or char == "\n" for char in shown)


@pytest.mark.parametrize("text", HOSTILE)
def test_cells_and_titles_hold_no_control_characters_whoever_made_them(
    text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    table = MarkdownTable(text, [text], [[text]])
    assert all(char.isprintable() or char == "\n" for char in table.markdown())
    table.show()
    assert all(char.isprintable() or char == "\n" for char in capsys.readouterr().out)


def test_code_cannot_be_left() -> None:
    assert code_span("a`|<b>\n") == r"`a'\|<b>`"


def test_a_mistake_is_told_without_control_characters() -> None:
    assert str(UserError("no file '\x1b[2Jx\ny'")) == "no file ' [2Jx y'"
