"""The fields of what a seat is sent are those that the pages and the terminal read."""

import random
import re
from typing import get_args, get_type_hints

import msgspec
import pytest

from tests.helpers import ROOT
from tests.uno_table.tables import PERSON, play_one, table_of
from uno_env import Rules
from uno_table.table import view_fields
from uno_table.table.seat_view import seat_view

UNO_TABLE = ROOT / "uno_table"
PAGES = {
    name: (UNO_TABLE / "web" / "pages" / f"{name}.js").read_text(encoding="utf-8")
    for name in ("table", "players", "motion", "log", "hints", "hand", "moves", "choose")
}
TERMINAL = "".join((UNO_TABLE / f"terminal_{name}.py").read_text(encoding="utf-8") for name in ("app", "parts"))

VARIABLES = {
    "state|before": view_fields.TableView,
    "player": view_fields.PlayerView,
    "result": view_fields.ResultView,
    "hints": view_fields.HintsView,
    "move": view_fields.MoveView,
    "clock": view_fields.ClockLeft,
    "handsMoved": view_fields.HandsMovedView,
}
"""What the pages call each of them."""
OWN = {"hinting", "scored"}
"""Fields that table.js adds to what it gets."""


def read_by(variables):
    """Fields that the pages read of variables, by ``state.top``, ``state?.top`` and ``const { top } = state``."""
    text = "\n".join(PAGES.values())
    found = set(re.findall(rf"(?<![\w.$\"/])(?:state\.)?(?:{variables})\??\.(\w+)", text))
    for names in re.findall(rf"const {{([^}}]*)}} = (?:state\.)?(?:{variables});", text):
        found |= set(re.findall(r"\w+", names))
    return found - OWN


@pytest.mark.parametrize("variables", VARIABLES)
def test_the_pages_read_no_field_that_is_not_sent(variables):
    read = read_by(variables)
    assert read
    assert read <= VARIABLES[variables].__annotations__.keys()


def test_the_checker_finds_a_field_that_is_not_sent(monkeypatch):
    monkeypatch.setitem(PAGES, "log", "state.events; state?.weather; const { top, mood } = state; restate.other")
    assert {"weather", "mood", "events", "top"} <= read_by("state|before")
    assert "other" not in read_by("state|before")


def forms():
    return [each for each in vars(view_fields).values() if hasattr(each, "__total__")]


@pytest.mark.parametrize("form", forms())
def test_every_field_is_read(form):
    """By the pages or by the table in the terminal."""
    pages = "\n".join(PAGES.values())
    for field in form.__annotations__:
        in_pages = re.search(rf"\.{field}\b|[{{,] {field}[ ,:]", pages)
        assert in_pages or re.search(rf"""\[["']{field}["']\]""", TERMINAL), f"nobody reads {form.__name__}.{field}"


def assert_fields(values, form):
    """Values have exactly the fields of a form, and those of the forms in it."""
    assert values.keys() == form.__annotations__.keys(), form.__name__
    for field, kind in get_type_hints(form).items():
        inner = [each for each in (kind, *get_args(kind)) if hasattr(each, "__total__")]
        found = values[field] if isinstance(values[field], list) else [values[field]]
        for each in found if inner else ():
            if each is not None:
                assert_fields(each, inner[0])


def test_a_seat_is_sent_exactly_these_fields():
    rules = Rules.preset("house", players=3, hand_size=2)
    table = table_of([PERSON, PERSON, "greedy"], rules, reaction_seconds=5)
    seen, chance = set(), random.Random(1)
    for decision in range(400):
        play_one(table, chance)
        for seat in (0, 1) if decision % 5 == 0 or table.series.pausing else ():
            view = seat_view(table, seat, wants_hints=True)
            msgspec.convert(view, view_fields.TableView, strict=True)
            assert_fields(view, view_fields.TableView)
            seen |= {field for field, value in view.items() if value not in (None, [])}
    assert view_fields.TableView.__annotations__.keys() - seen <= {"waiting", "invitations"}
