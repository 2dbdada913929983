"""GUIDE.md 12: what a player may know, as the observation shows it.

That it shows nothing else is tested in ``tests/uno_env/test_hidden_information.py``.
"""

import pytest

from tests.helpers.table import Table
from uno_env.cards import CARD_TEXTS, parse_cards
from uno_env.core.record import PHASE_NAMES

# Seat 1 observes most tables here; places count from the observer to the left.


def test_12_own_hand() -> None:
    table = Table("r1 r1 g2", "b3 w w+4", first="y9")
    assert [table.sees(seat, "hand").nonzero()[0].tolist() for seat in (0, 1)] == [
        parse_cards("r1 g2"),
        parse_cards("b3 w w+4"),
    ]
    assert table.sees(0, "hand")[1] == 2


def test_12_sizes_of_all_hands() -> None:
    table = Table("r1 g2 g3", None, None).go("0 r1")
    assert table.sees(1, "hand_sizes")[:4].tolist() == [3, 3, 2, 0]


def test_12_the_discard_pile_in_full() -> None:
    table = Table("r1 g2 g3", "r1 w b4", None).go("0 r1, 1 r1, 2 draw")
    seen = table.sees(0, "discards")
    assert {text: int(count) for text, count in zip(CARD_TEXTS, seen, strict=True) if count} == {"r1": 2, "r9": 1}


@pytest.mark.parametrize(
    ("first", "symbol", "colour"), [("g7", 7, [0, 0, 1, 0]), ("b0", 0, [0, 0, 0, 1]), ("w", 13, [0, 0, 0, 0])]
)
def test_12_top_card_and_active_colour(first: str, symbol: int, colour: list[int]) -> None:
    table = Table("r1", None, first=first)
    assert table.sees(1, "symbol").nonzero()[0].tolist() == [symbol]
    assert table.sees(1, "colour").tolist() == colour


def test_12_the_active_colour_before_the_top_card_was_played() -> None:
    table = Table("r1 g2 g3", "b1 b2 b3", first="r9")
    assert table.sees(1, "previous_colour").tolist() == [0, 0, 0, 0]
    assert table.go("0 r1, 1 b1").sees(1, "previous_colour").tolist() == [1, 0, 0, 0]
    assert table.sees(1, "colour").tolist() == [0, 0, 0, 1]


@pytest.mark.parametrize(("first", "clockwise"), [("r5", 1), ("rr", 0)])
def test_12_direction(first: str, clockwise: int) -> None:
    assert Table("r1", None, None, first=first).sees(1, "clockwise") == clockwise


def test_12_number_of_cards_in_the_draw_pile() -> None:
    table = Table("b1", None, None)
    assert table.sees(1, "draw_pile") == 108 - 3 - 1
    assert table.go("0 draw").sees(1, "draw_pile") == 108 - 3 - 2


def test_12_who_is_on_turn_who_decides_who_dealt_and_who_laid_the_top_card() -> None:
    table = Table("w+4 b1 b2", None, None, dealer=2).go("0 w+4:g")
    seats = {name: table.sees(2, name).nonzero()[0].tolist() for name in ("turn", "to_move", "dealer", "last_player")}
    assert seats == {"turn": [1], "to_move": [2], "dealer": [0], "last_player": [1]}


def test_12_the_card_just_drawn_is_seen_by_its_player_alone() -> None:
    table = Table("b1 b2", None, None, pile="r5").go("0 draw")
    assert (table.sees(0, "drawn_colour").tolist(), table.sees(0, "drawn_symbol").argmax()) == ([1, 0, 0, 0], 5)
    for seat in (1, 2):
        assert not table.sees(seat, "drawn_colour").any()
        assert not table.sees(seat, "drawn_symbol").any()


def test_12_a_drawn_card_that_must_be_played_leaves_its_player_on_turn() -> None:
    table = Table("b1 b2", None, None, pile="r4", after_draw="must_play").go("0 draw")
    for seat in (1, 2):
        place = (0 - seat) % 3
        assert [table.sees(seat, section)[place] for section in ("turn", "to_move")] == [1, 1]
        assert table.sees(seat, "phase")[PHASE_NAMES.index("drawn")] == 1
        assert not table.sees(seat, "drawn_symbol").any()
        assert table.game.shown_to(seat).phase == "drawn"


def test_12_a_hand_cut_short_shows_no_drawn_card() -> None:
    table = Table("b1 b2", None, None, pile="r4", max_decisions=1).go("0 draw")
    assert table.game.over
    assert not table.sees(0, "drawn_symbol").any()
    assert not table.sees(0, "drawn_colour").any()


def test_12_who_drew_and_played_nothing_on_which_colour_and_how_many_cards_were_taken_since() -> None:
    table = Table("b1 b2 b3", "r+2 r3 y1", first="r9", pile="y3 g1 r4", uno_call="automatic")

    def drew_on() -> list[int]:
        return table.sees(1, "drew_on").reshape(-1, 4)[1].tolist()

    table.go("0 draw")
    assert drew_on() == [1, 0, 0, 0]
    table.go("1 r+2, 1 r3")
    assert drew_on() == [3, 0, 0, 0]
    table.go("0 r4")
    assert drew_on() == [0, 0, 0, 0]


def test_12_who_kept_a_playable_card_played_nothing() -> None:
    table = Table("b1 b2 b3", None, first="r9", pile="r4").go("0 draw, 0 pass")
    assert table.sees(0, "drew_on")[:4].tolist() == [1, 0, 0, 0]


def test_12_who_played_the_drawn_card_is_not_said_to_have_drawn() -> None:
    table = Table("b1 b2 b3", None, first="r9", pile="w").go("0 draw, 0 w:r")
    assert not table.sees(0, "drew_on").any()


def test_12_cards_seen_in_a_challenge_are_known_until_they_are_played() -> None:
    table = Table("w+4 b5 b5 g2", "y1 y2 y3 y4", first="b9", pile="y5 y6 y7 y8 r1 r2")
    table.go("0 w+4:b, 1 challenge, 1 draw")
    assert table.knows(1, 0) == "g2 b5 b5"
    table.go("0 b5, 1 draw")
    assert table.knows(1, 0) == "g2 b5"
    assert table.go("0 b5").knows(1, 0) == "g2"


def test_12_a_card_of_the_same_kind_drawn_later_may_be_the_one_played() -> None:
    table = Table("w+4 b5 g1 g2", "y1 y2 y3 y4", first="b9", pile="b5 y6 y7 y8 r1")
    table.go("0 w+4:b, 1 challenge, 1 draw, 0 b5")
    assert table.hand(0).count("b5") == 1
    assert table.knows(1, 0) == "g1 g2"


def test_12_a_card_laid_right_after_drawing_is_no_known_one() -> None:
    table = Table("w+4 b5 g1 g2", "y1 y2 y3 y4", first="b9", pile="y5 y6 y7 y8 r1 b5")
    table.go("0 w+4:b, 1 challenge, 1 draw, 0 draw, 0 b5")
    assert table.hand(0).count("b5") == 1
    assert table.knows(1, 0) == "g1 g2 b5"


def test_12_two_challengers_know_each_for_themselves() -> None:
    table = Table("w+4 b5 b6 g2", "y1 w+4 y4 y4", None, first="b9", pile="y5 y6 y7 y8")
    table.go("0 w+4:b, 1 challenge, 1 w+4:b, 2 challenge")
    assert table.knows(1, 0) == "g2 b5 b6"
    assert table.knows(2, 1) == "y1 y4 y4"
    assert (table.knows(2, 0), table.knows(0, 1), table.knows(1, 2)) == ("", "", "")
