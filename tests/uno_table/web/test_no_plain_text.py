"""What the server sends for people is made of phrases, which pages say in the reader's language: no plain English."""

import ast
import random
import re
from collections import Counter

import pytest

from agents.trust import Risk
from tests.helpers import ROOT
from tests.uno_table.tables import PERSON, play_one, table_of
from tests.uno_table.wire import DEFAULTS
from uno_env import Rules
from uno_env.common.phrases import Phrase
from uno_table.table.seat_view import seat_view
from uno_table.table.sentences import TABLE_SENTENCES
from uno_table.web.lobby import Lobby

SOURCES = [
    *sorted((ROOT / "uno_table" / "web").glob("*.py")),
    *sorted((ROOT / "uno_table" / "table").glob("*.py")),
]
"""Where errors are raised that the pages show."""
BELOW = [
    *(ROOT / "agents" / name for name in ("loading.py", "options.py", "zoo/shipped.py", "rlcard/bridge.py")),
    ROOT / "agents" / "policy" / "policy_file.py",
    ROOT / "uno_env" / "rules" / "validation.py",
]
"""Where the packages below raise errors with codes, by which the pages say them."""

FOR_PROGRAMS = ("BadMessageError", "ClosingError")
"""What no page of ours can lead to."""
OF_FILES = ("saved_table.py", "storage.py", "server.py")
"""Errors of files and addresses, for who starts the server."""
PHRASES = ("Phrase", "phrase", "_say")
"""What makes phrases."""

BEYOND_FORMS = Counter(
    {
        "table_config.__post_init__": 2,  # the page seats its own person first, and makes rules for the seats
        "table_config.rules_of": 2,  # rules that are no mapping
        "app._refusal": 1,  # its status has a name
        "series.go_on": 1,  # the table refuses it before
    }
)
"""How many plain errors functions raise to which no form can lead."""


def plain_errors(source):
    """The functions that make an error of a plain text, once for each such error."""
    for function in ast.walk(ast.parse(source)):
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        for call in own_calls(function):
            name = name_of(call.func)
            is_error = name.endswith(("Error", "Exception")) and name not in FOR_PROGRAMS
            if is_error and any(is_plain(argument) for argument in call.args):
                yield function.name


def own_calls(node):
    """The calls in a function, without those of functions inside."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if isinstance(child, ast.Call):
            yield child
        yield from own_calls(child)


def name_of(function):
    return getattr(function, "id", getattr(function, "attr", ""))


def is_plain(argument):
    """Whether an argument is a text and no phrase: a number is a status."""
    if isinstance(argument, ast.Call):
        return name_of(argument.func) not in PHRASES
    return not (isinstance(argument, ast.Constant) and isinstance(argument.value, int))


def test_errors_that_pages_show_are_phrases():
    found = Counter()
    for file in SOURCES:
        if file.name not in OF_FILES:
            found.update(f"{file.stem}.{each}" for each in plain_errors(file.read_text(encoding="utf-8")))
    assert found == BEYOND_FORMS


WITHOUT_SENTENCE = {"choice"}
"""Codes to which no form can lead: a value of a list or a box."""


CODED = ("NotAllowedError", "PolicyError", "RulesError", "unknown_name")
"""What makes errors with codes."""


def codes(source):
    """The codes of the errors that functions make."""
    for call in ast.walk(ast.parse(source)):
        if isinstance(call, ast.Call) and name_of(call.func) in CODED:
            yield from (each.value for each in call.args[1:2] if isinstance(each, ast.Constant))


def test_the_table_has_a_sentence_for_each_code_of_the_packages_below():
    found = {code for file in BELOW for code in codes(file.read_text(encoding="utf-8"))}
    found |= {risk.name.lower() for risk in Risk}
    assert {"deck_size", "option", "other_rules", "code"} <= found
    assert {code for code in found if f"refused.{code}" not in TABLE_SENTENCES.texts} == WITHOUT_SENTENCE


@pytest.mark.parametrize("package", ["uno_env", "agents", "train"])
def test_the_packages_below_know_no_phrase_of_the_table(package):
    """Phrases of the game and of replays are those of uno_env/render."""
    keys = "|".join(re.escape(key) for key in TABLE_SENTENCES.texts if not key.startswith("agent.") and "." in key)
    for file in (ROOT / package).rglob("*.py"):
        assert not re.search(rf'"(?:{keys})"', file.read_text(encoding="utf-8")), file


@pytest.mark.parametrize(
    "line",
    [
        'raise ValueError("this is not allowed")',
        'raise ValueError(f"{1} is not allowed")',
        'text = "no"; raise ValueError(text)',
        'raise HTTPException(404, "nothing is there")',
        'return RefusedError("not " + "now")',
    ],
)
def test_a_plain_error_is_found(line):
    assert list(plain_errors(f"def act():\n    {line}")) == ["act"]
    assert not list(plain_errors('def act():\n    raise ValueError(Phrase("no", "refused.no"))'))


def plain_sentences(value):
    """Texts of several words that are no phrases, in plain values and in the arguments of phrases."""
    if isinstance(value, Phrase):
        yield from plain_sentences(dict(value.arguments))
    elif isinstance(value, dict):
        for each in value.values():
            yield from plain_sentences(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from plain_sentences(each)
    elif isinstance(value, str) and " " in value.strip():
        yield value


def test_a_plain_sentence_is_found():
    said = Phrase("Ann: it is over", "x", why="it is over")
    assert list(plain_sentences({"a": [said, {"b": "Your move"}], "c": "Ann"})) == ["it is over", "Your move"]


def test_the_form_is_made_of_phrases():
    assert list(plain_sentences(Lobby(DEFAULTS).form())) == ["r1 r2 rs b1 b2 bs w"], "the cards of a deck"


@pytest.mark.parametrize(
    ("rules", "match"),
    [
        (Rules.preset("house", players=4), True),
        (Rules.preset("guide_001", players=3, hand_size=3), True),
        (Rules.preset("edition_2018", players=3, customizable_effect="swap_hands", wild_draw_four="bluff"), False),
        (Rules(players=2, stacking="both", deflect=True, double_play="two_or_more", illegal_action="penalty"), False),
        (Rules.preset("h2o", players=2, max_decisions=40), False),
    ],
)
def test_what_a_seat_sees_is_made_of_phrases(rules, match):
    table = table_of([PERSON, *["highest-points"] * (rules.players - 2), PERSON], rules, match=match)
    views, chance = 0, random.Random(7)
    while not table.series.pausing:
        for seat in (0, rules.players - 1):
            assert list(plain_sentences(dict(seat_view(table, seat, True)))) == []
        views += 1
        play_one(table, chance)
    view = seat_view(table, 0, True)
    assert view["result"] is not None
    assert list(plain_sentences(dict(view))) == []
    assert views > 5
