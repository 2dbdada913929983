"""Text on consoles that cannot hold all characters: what is missing is replaced, and nothing is raised."""

import contextlib
import io
import os
import subprocess
import sys

import pytest

import uno_env
from train.common.table import MarkdownTable, show_reports
from uno_env.common.output import replace_unprintable
from uno_env.render.frames import frame

ENCODINGS = ("latin-1", "cp932", "cp949", "cp850", "cp437", "ascii", "utf-8")


def printed(say, encoding, errors="strict"):
    """What ``say()`` prints on a console."""
    console = io.TextIOWrapper(io.BytesIO(), encoding, errors)
    with contextlib.redirect_stdout(console):
        say()
    console.flush()
    return console.buffer.getvalue().decode(encoding)


def printed_with_care(text, encoding, errors="strict"):
    def say():
        replace_unprintable()
        print(text, end="")

    return printed(say, encoding, errors)


def has(encoding, character):
    try:
        character.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_what_is_missing_is_replaced_and_the_rest_stays(encoding):
    plain = {"–": "-", "×": "x", "≤": "<=", "é": "e", "…": "...", "漢": "?", "한": "?"}
    text = "1 – 2 × 3 ≤ 4, é … 漢 한"
    wanted = "".join(each if has(encoding, each) else plain[each] for each in text)
    assert printed_with_care(text, encoding) == wanted


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_every_character_can_be_printed(encoding):
    everything = "".join(map(chr, range(32, sys.maxunicode + 1, 7)))
    assert len(printed_with_care(everything, encoding)) > len(everything) // 2


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_lone_surrogate_is_a_question_mark(encoding):
    assert printed_with_care("a\ud800b\udcffc", encoding) == "a?b?c"


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_game_and_a_table_can_be_printed(encoding):
    game = uno_env.Game("house", seed=1)
    assert "player_0" in printed(lambda: frame(game, None, "human"), encoding)
    table = MarkdownTable("–", ("×", "≤"), [("1 – 2", "±3")])
    assert "2" in printed(table.show, encoding)
    assert "2" in printed(lambda: show_reports([table]), encoding)


def test_an_error_handler_that_the_user_asked_for_stays():
    assert printed_with_care("1–2", "ascii", "ignore") == "12"


def test_streams_that_have_no_encoding_are_left_alone():
    for stream in (None, io.StringIO()):
        with contextlib.redirect_stdout(stream):
            replace_unprintable()


@pytest.mark.thorough
@pytest.mark.parametrize(
    "line", ["--help", "evaluate --help", "agents", "rules stacking", "nothing", "benchmark --help"]
)
def test_the_command_prints_what_it_can_where_characters_are_missing(line):
    run = subprocess.run(
        [sys.executable, "-m", "train.cli", *line.split()],
        env=os.environ | {"PYTHONIOENCODING": "ascii"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == (2 if line == "nothing" else 0), run.stderr
    assert "Error" not in run.stderr
