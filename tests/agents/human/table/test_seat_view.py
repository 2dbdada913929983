"""GUIDE.md 12 at a table: what is sent to a seat, or to an onlooker, tells nothing hidden."""

import random

import numpy as np
import pytest

from agents.human.table.seat_view import seat_view
from tests.agents.human.tables import PERSON, play_one, table_of
from tests.helpers.random_rules import random_rules
from tests.helpers.twins import twin
from uno_env import actions as catalogue
from uno_env.cards import CARD_TEXTS, parse_cards
from uno_env.core.record import JUMP_IN

TABLES = [
    ("duel", 2, False),
    ("classic", 4, True),
    ("house", 3, True),
    ("edition_2018", 3, True),
    (random_rules(random.Random(3), players=4, illegal_action="penalty", jump_in=True), 4, True),
]


def states(rules, players, match, number=40):
    """A table of people in sampled states of play, hands that are over included."""
    table = table_of([PERSON] * players, rules, match=match, reaction_seconds=5)
    chance = random.Random(players)
    for decision in range(12 * number):
        play_one(table, chance)
        if decision % 12 == 0 or table.series.pausing or table.game.phase in ("jump_in", "challenge"):
            yield table


@pytest.mark.parametrize(("rules", "players", "match"), TABLES)
def test_nothing_hidden_is_sent_to_a_seat(rules, players, match):
    chance = np.random.default_rng(1)
    for table in states(rules, players, match):
        game, shown = table.series.game, table.series.shown
        for seat in range(players):
            before = seat_view(table, seat)
            table.series.shown = twin(shown, seat, chance)
            table.series.game = table.series.shown if game is shown else twin(game, seat, chance)
            assert seat_view(table, seat) == before
            table.series.game, table.series.shown = game, shown


@pytest.mark.parametrize(("rules", "players", "match"), TABLES)
def test_an_onlooker_sees_less_than_any_seat(rules, players, match):
    for table in states(rules, players, match, 20):
        seen = seat_view(table, None)
        assert seen["hand"] == seen["moves"] == seen["invitations"] == []
        assert seen["ticket"] is None
        assert not any(player["known"] for player in seen["players"])
        for seat in range(players):
            theirs = seat_view(table, seat)
            for name in ("top", "colour", "drawPile", "discards", "phase", "penalty", "clockwise"):
                assert seen[name] == theirs[name]
            assert seen["deciding"] in (None, theirs["deciding"])
            assert len(seen["events"]) <= len(theirs["events"])
        if table.series.shown.record.phase == JUMP_IN:
            assert seen["deciding"] is None
            assert seen["clock"] is None


def test_who_may_jump_in_is_told_to_nobody_else():
    """Neither the clock, nor who decides, nor a ticket or a number of an event that was kept from them."""
    table = table_of([PERSON] * 3, "house", reaction_seconds=9)
    chance = random.Random(5)
    checked = 0
    while checked < 5:
        if not table.series.pausing and table.game.phase == "jump_in":
            asked = table.game.to_move
            others = [seat for seat in (0, 1, 2, None) if seat != asked]
            before = {seat: seat_view(table, seat) for seat in others}
            assert all(view["clock"] is None and view["deciding"] is None for view in before.values())
            assert seat_view(table, asked)["clock"] is not None
            table.move(asked, "pass", table.ticket(asked), 0.0)
            for seat in others:
                after = seat_view(table, seat)
                assert len(after["events"]) == len(before[seat]["events"])
                assert after["firstEvent"] == before[seat]["firstEvent"]
                assert after["events"][-1].startswith(before[seat]["events"][-1].rstrip("."))
            assert "You let it go" in seat_view(table, asked)["events"][-1]
            checked += 1
        else:
            play_one(table, chance)


def test_the_hand_and_its_actions():
    table = table_of([PERSON, "greedy"], "guide_003")
    chance = random.Random(1)
    for _ in range(300):
        view = seat_view(table, 0)
        if not table.series.pausing:
            assert parse_cards(" ".join(each["card"] for each in view["hand"])) == table.game.hand(0)
            offered = {one["action"] for each in view["hand"] for one in each["actions"]}
            offered |= {move["action"] for move in view["moves"]}
            assert offered == {catalogue.name(action) for action in table.choices(0)}
        play_one(table, chance)


def test_cards_are_not_shown_before_everybody_has_come():
    table = table_of([PERSON, PERSON], sit=False)
    table.sit(table.seats[0].invitation, "Ann", 0.0)
    view = seat_view(table, 0)
    assert view["hand"] == view["events"] == []
    assert view["waiting"] == [1]
    assert [each["invitation"] for each in view["invitations"]] == [table.seats[1].invitation]
    assert seat_view(table, 1)["invitations"] == seat_view(table, None)["invitations"] == []


def test_seats_are_told_in_the_second_person():
    table = table_of([PERSON, PERSON])
    seat = table.deciding.number
    assert seat_view(table, seat)["situation"] == "Your turn."
    assert seat_view(table, 1 - seat)["situation"] == f"P{seat}'s turn."
    assert seat_view(table, None)["situation"] == f"P{seat}'s turn."
    table.move(seat, "draw", table.ticket(seat), 0.0)
    assert seat_view(table, seat)["events"][-1] == "You draw 1 card."
    assert seat_view(table, 1 - seat)["events"][-1] == f"P{seat} draws 1 card."


def test_every_sentence_is_complete():
    """Under rules by chance: no template left open, no seat without its name."""
    for seed in range(8):
        rules = random_rules(random.Random(seed), players=3, illegal_action="penalty")
        table = table_of([PERSON, PERSON, "random"], rules)
        chance = random.Random(seed)
        for _ in range(150):
            play_one(table, chance)
            view = seat_view(table, 0)
            for text in [*view["events"][-2:], view["situation"]]:
                assert text[-1] in ".!"
                assert not any(mark in text for mark in "{}|_"), text
                assert "P0" not in text


def test_top_card_names():
    table = table_of([PERSON, "greedy"])
    assert seat_view(table, 0)["top"] in CARD_TEXTS
