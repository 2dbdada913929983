"""Flip at people's table: which side counts, both faces of a card, and what is seen of others' cards (GUIDE.md 14)."""

import random
from collections import Counter

import pytest

from tests.helpers.phrases import english
from tests.uno_table.tables import PERSON, play_one, table_of
from uno_env import Rules
from uno_env import actions as catalogue
from uno_env.common.phrases import plain_values
from uno_env.editions.flip import FLIP
from uno_env.render.card_art import card_texts
from uno_table.table.saved_table import read_table, restore, saved_table
from uno_table.table.seat_view import SIDES, seat_view
from uno_table.web.app import CARDS


def tables(number, **rules):
    """A table of people in states of play."""
    table = table_of([PERSON] * 4, Rules.preset("flip", players=4, **rules), hints=False, match=False)
    chance = random.Random(7)
    for _ in range(number):
        yield table
        play_one(table, chance)


def test_each_seat_sees_the_side_in_force_and_the_other_faces_of_all_others_cards():
    sides, turned = Counter(), set()
    for table in tables(260):
        game = table.series.shown
        for seat in range(4):
            view = seat_view(table, seat)
            assert view["side"] == SIDES[game.side]
            assert view["top"] == FLIP.shown(int(game.record.top), game.side)
            assert [each["card"] for each in view["hand"]] == sorted(
                (FLIP.shown(kind, game.side) for kind in game.hand(seat)),
                key=lambda text: (FLIP.designs[game.side].index(text.split("/")[0]), kind_of(text, game.side)),
            )
            for other in {0, 1, 2, 3} - {seat}:
                player = view["players"][other]
                seen = [each["card"] for each in player["backs"]]
                seen += [each["card"].split("/")[1] for each in player["known"]]
                faces = FLIP.faces_on(1 - game.side)
                assert Counter(seen) == Counter(faces[kind].text for kind in game.hand(other))
            assert view["players"][seat]["backs"] == []
            pile = game.record.pile[game.record.pile_next : game.record.pile_end]
            assert view["nextBack"]["card"] == FLIP.faces_on(1 - game.side)[int(pile[0])].text
            sides[view["side"]] += 1
            if view["turned"] is not None and view["turned"]["event"] >= view["firstEvent"]:
                told = view["events"][view["turned"]["event"] - view["firstEvent"]]
                assert "all cards turn over" in told
                turned.add(view["turned"]["card"].split("/")[0][1:])
    assert min(sides["light"], sides["dark"]) > 100
    assert turned == {"f"}, "only Flips turn everything over"


def kind_of(text, side):
    return FLIP.kind_of["/".join(reversed(text.split("/"))) if side else text]


@pytest.mark.thorough
def test_what_is_said_at_both_sides_can_be_said_again():
    """The texts of the pages in other languages are made of the same phrases."""
    said = []
    for table in tables(260, illegal_action="penalty"):
        for seat in range(4):
            view = plain_values(seat_view(table, seat))
            texts = [view["situation"], view["topName"], *view["events"][-2:]]
            texts += [each["name"] for each in view["moves"] + view["hand"]]
            texts += [each["name"] for card in view["hand"] for each in card["actions"] + card["mistakes"]]
            texts += [each["name"] for player in view["players"] for each in player["backs"] + player["known"]]
            said += map(english, texts)
    assert not [text for text in said if "{" in text]
    words = " ".join(said)
    for expected in (
        "all cards turn over, and", "Wild Draw Colour", "dark Wild", "declare purple", "draw until the declared colour",
    ):  # fmt: skip
        assert expected in words


@pytest.mark.thorough
def test_a_card_is_laid_by_mistake_only_with_the_face_that_counts():
    found = Counter()
    for table in tables(260, illegal_action="penalty"):
        for seat in range(4):
            for card in seat_view(table, seat)["hand"]:
                front = card["card"].split("/")[0]
                for each in card["actions"] + card["mistakes"]:
                    declared = each["action"].partition(":")[2]
                    is_wild = "w" in front
                    assert bool(declared) == is_wild
                    assert declared in ("", *(FLIP.other_letters if table.game.side else FLIP.letters))
                    found[is_wild, table.game.side] += 1
    assert len(found) == 4


def test_nothing_is_seen_of_others_cards_where_other_sides_are_hidden():
    for table in tables(60, backs="hidden"):
        view = seat_view(table, 0)
        assert not any(player["backs"] for player in view["players"])
        assert view["nextBack"] is not None


def test_nobody_sees_a_face_before_all_have_come():
    view = seat_view(table_of([PERSON] * 3, "flip", sit=False, hints=False), 0)
    assert view["nextBack"] is None
    assert not any(player["backs"] for player in view["players"])


def test_every_card_has_a_picture_that_the_pages_can_ask_for():
    assert set(CARDS.values()) == set(card_texts())
    assert {"r5~p7", "p7~r5", "unseen~p_5"} <= set(CARDS)
    assert not [name for name in CARDS if set(name) & set("/?+#")]


def test_a_saved_table_keeps_its_side_and_another_edition_is_refused_in_one_sentence():
    table = next(each for each in tables(200) if each.series.shown.side == 1 and not each.series.pausing)
    values = saved_table(table)
    again = restore(read_table(values))
    for seat in range(4):
        assert seat_view(again, seat)["hand"] == seat_view(table, seat)["hand"]
        assert seat_view(again, seat)["side"] == "dark"
    for edition in ("no_mercy", "attack"):
        values["game"]["rules"]["edition"] = edition
        with pytest.raises(ValueError, match=edition) as refusal:
            read_table(values)
        assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("spec", ["tuned", "greedy"])
def test_hints_name_whole_cards(spec):
    table = table_of([PERSON, spec], "flip", adviser=spec)
    chance, hinted = random.Random(3), set()
    for _ in range(120):
        question = table.hint_question(0)
        if question is not None:
            table.take_hints(question, question.hints())
            hinted |= {each["action"] for each in seat_view(table, 0, wants_hints=True)["hints"]["actions"]}
        play_one(table, chance)
    of = catalogue.catalogue(FLIP)
    cards = [each for each in hinted if of.id_of[each] < of.first.draw]
    assert len(cards) > 10
    assert all("/" in each for each in cards)
