"""Tables as plain values and back: they go on as if nothing had happened; what makes no sense is refused."""

import contextlib
import copy
import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.uno_table.tables import PERSON, play, play_one, table_of
from uno_env import Rules
from uno_table.replay_viewer import read_replay
from uno_table.table import RefusedError
from uno_table.table.saved_table import read_table, restore, saved_table
from uno_table.table.seat_view import seat_view


def again(table):
    """The table as a file has it."""
    return restore(read_table(json.loads(json.dumps(saved_table(table)))))


def comparable(table, seat):
    view = seat_view(table, seat)
    return {
        **view,
        "epoch": 0,
        "ticket": None,
        "clock": None,
        "canUndo": None,
        "players": [{**each, "away": None} for each in view["players"]],
    }


@pytest.mark.thorough
@pytest.mark.parametrize("match", [True, False])
@pytest.mark.parametrize("seats", [[PERSON, "greedy"], [PERSON, PERSON, "random-play"]])
def test_a_restored_table_is_what_it_was_at_every_moment(seats, match):
    rules = Rules.preset("classic", players=len(seats)).replace(hand_size=2)
    table = table_of(seats, rules, match=match)
    chance = random.Random(3)
    paused = 0
    for decision in range(150):
        play_one(table, chance)
        paused += table.series.pausing
        if decision % 3 and not table.series.pausing:
            continue
        other = again(table)
        for seat in range(len(seats)):
            assert comparable(other, seat) == comparable(table, seat)
        assert other.series.standing == table.series.standing
        assert other.series.standing_at_deal == table.series.standing_at_deal
        assert other.game.to_json() == table.game.to_json()
        assert [seat.token for seat in other.seats] == [seat.token for seat in table.seats]
        assert saved_table(other) == {**saved_table(table), "epoch": table.epoch + 1}
    assert paused


def test_the_games_that_follow_are_those_that_would_have_followed():
    table = table_of([PERSON, "random-play"], match=False)
    play(table, 400, until=lambda: table.series.number == 2)
    other = again(table)
    play(table, 3000, seed=5, until=lambda: table.series.number == 4)
    play(other, 3000, seed=5, until=lambda: other.series.number == 4)
    assert table.series.number == other.series.number == 4
    assert other.series.game_seed == table.series.game_seed
    assert other.series.game.start().to_json() == table.series.game.start().to_json()


def test_moves_made_before_can_be_taken_back():
    table = table_of([PERSON, "greedy"], "duel")
    play(table, 12)
    other = again(table)
    while table.can_undo:
        table.undo(0.0)
        other.undo(0.0)
        assert other.game.to_json() == table.game.to_json()
    assert not other.can_undo


def test_seats_that_nobody_has_taken_keep_their_invitations():
    table = table_of([PERSON, PERSON, PERSON], sit=False)
    table.sit(table.seats[0].invitation, "Ann", 0.0)
    other = again(table)
    assert other.waiting == [1, 2]
    assert other.sit(table.seats[1].invitation, "Bob", 0.0).number == 1
    assert other.seat_of(table.seats[0].token).name == "Ann"


@given(st.text(st.characters(), max_size=30))
def test_whatever_people_are_called_can_be_read_again(name):
    table = table_of([PERSON, PERSON], sit=False, hints=False)
    with contextlib.suppress(RefusedError):
        table.sit(table.seats[1].invitation, name, 0.0)
    other = restore(read_table(json.loads(json.dumps(saved_table(table)))))
    assert other.names == table.names


def damaged():
    """Saved tables that cannot be, with a part of what is said of them."""
    table = table_of([PERSON, PERSON, "greedy"])
    play(table, 10)
    good = saved_table(table)
    changes = [
        ("format", "uno", "no saved table"),
        ("version", 2, "version 2"),
        ("epoch", -1, "epoch=-1"),
        ("number", 2**60, "number"),
        ("paused", "no", "paused='no'"),
        ("people", [], "people"),
        ("standing", {"hands": 0, "won": [0], "points": [0], "matches": [0]}, "standing"),
        ("standing", {"hands": 0, "won": [0, 0, 0.5], "points": [0] * 3, "matches": [0] * 3}, "standing"),
        ("game", {}, "saved game"),
        ("setup", {**good["setup"], "seats": [None, None]}, "3 players"),
        ("setup", {**good["setup"], "seats": []}, "3 players"),
        ("setup", {**good["setup"], "match": False}, "match"),
        ("setup", {**good["setup"], "pace": 1e9}, "pace"),
        ("setup", {**good["setup"], "rules": "classic", "more": 1}, "more"),
    ]
    for token in ("", "x", "../../etc/passwd ......", "\n" * 22, None):
        person = {**good["people"][0], "token": token}
        changes.append(("people", [person, good["people"][1]], "people" if token is not None else "seat 0"))
    changes.append(("people", [{**good["people"][0], "name": "\x1b"}, good["people"][1]], "name"))
    for key, value, part in changes:
        yield pytest.param({**copy.deepcopy(good), key: value}, part, id=f"{key}-{part}")


@pytest.mark.parametrize(("values", "part"), damaged())
def test_tables_that_cannot_be_are_refused_in_one_sentence(values, part):
    with pytest.raises(ValueError, match=part) as refused:
        read_table(values)
    assert "\x1b" not in str(refused.value)


def test_any_change_of_a_saved_table_is_read_or_refused():
    table = table_of([PERSON, "greedy", PERSON], "house")
    play(table, 60)
    good = json.dumps(saved_table(table))
    chance = random.Random(0)
    read = 0
    for _ in range(400):
        values = json.loads(good)
        for _ in range(chance.randint(1, 3)):
            change_something(values, chance)
        try:
            read_table(values)
            read += 1
        except ValueError:
            pass
    assert 0 < read < 300


def change_something(values, chance):
    """Put something else somewhere."""
    keys = list(values) if isinstance(values, dict) else list(range(len(values)))
    key = chance.choice(keys)
    if isinstance(values[key], dict | list) and values[key] and chance.random() < 0.8:
        change_something(values[key], chance)
    else:
        values[key] = chance.choice(
            [None, -1, 0, 1, 2**63, 2**70, 0.5, "", "r5", "x" * 300, [], {}, True, [[]], -(2**40)]
        )


@pytest.mark.parametrize(
    "values", [None, [], 5, "x", {}, {"format": "uno-table"}, {"format": "uno-table", "version": 1}]
)
def test_values_that_are_no_table(values):
    with pytest.raises(ValueError, match=r"saved table|version|missing"):
        read_table(values)


def test_games_of_tables_can_be_replayed_with_their_names():
    table = table_of([PERSON, "greedy", "zoo:classic-4p", PERSON])
    play(table, 12)
    replay = read_replay(json.dumps(saved_table(table)))
    assert replay.names == ("P0", "Greedy", "Zoo classic", "P3")
    assert replay.game.history == table.game.history
    assert read_replay(table.replay().to_json()).names == replay.names
    with pytest.raises(ValueError, match="version"):
        read_replay(json.dumps({**saved_table(table), "version": 9}))
    for text in ("[" * 100_000, "no JSON", "{}"):
        with pytest.raises(ValueError, match=r"^.{1,200}$"):
            read_replay(text)
