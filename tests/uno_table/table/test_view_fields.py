"""A seat is sent the fields that its type lists, and no others."""

import random
from typing import get_args, get_type_hints

import msgspec

from tests.uno_table.tables import PERSON, play_one, table_of
from uno_env import Rules
from uno_table.table import view_fields
from uno_table.table.seat_view import seat_view


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
    seen, chance = set(), random.Random(1)
    for preset, decisions in (("house", 400), ("flip", 200)):
        rules = Rules.preset(preset, players=3, hand_size=2)
        table = table_of([PERSON, PERSON, "greedy"], rules, reaction_seconds=5, adviser="greedy")
        for decision in range(decisions):
            play_one(table, chance)
            for seat in (0, 1) if decision % 5 == 0 or table.series.pausing else ():
                view = seat_view(table, seat, wants_hints=True)
                msgspec.convert(view, view_fields.TableView, strict=True)
                assert_fields(view, view_fields.TableView)
                seen |= {field for field, value in view.items() if value not in (None, [])}
    assert view_fields.TableView.__annotations__.keys() - seen <= {"waiting", "invitations"}
