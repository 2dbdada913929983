"""GUIDE.md 10.5: turning a Draw Two away. Switch: ``deflect``."""

from typing import Any

import pytest

from tests.helpers.table import Table


def _table(*hands: str | None, **changes: Any) -> Table:
    return Table(*hands, **{"deflect": True, "wild_draw_four": "free", "uno_call": "automatic", **changes})


def test_10_5_a_skip_or_a_reverse_of_its_colour_answers_a_draw_two() -> None:
    table = _table("r+2 r1 r2 r3", "rs rr gs y1", None).go("0 r+2")
    assert (table.phase, table.to_move, table.legal) == ("stack", 1, {"accept", "rs", "rr"})
    assert table.sees(1, "penalty") == 2


def test_10_5_off_nobody_turns_a_draw_two_away() -> None:
    table = _table("r+2 r1 r2", "rs rr y1", None, deflect=False).go("0 r+2")
    assert (table.phase, table.to_move, table.sizes) == ("play", 2, [2, 5, 3])


def test_10_5_a_skip_passes_the_whole_penalty_on() -> None:
    table = _table("r+2 r1 r2", "rs y1 y2", None, None).go("0 r+2, 1 rs")
    assert (table.sizes, table.to_move, table.direction) == ([2, 2, 5, 3], 3, 1)


def test_10_5_a_reverse_hands_it_back_and_turns_the_direction() -> None:
    table = _table("r+2 g1 g2", "rr y1 y2", None, None).go("0 r+2, 1 rr")
    assert (table.sizes, table.to_move, table.direction) == ([4, 2, 3, 3], 3, -1)


@pytest.mark.parametrize("card", ["rs", "rr"])
@pytest.mark.parametrize("two_player_reverse", ["skip", "reverse"])
def test_10_5_with_two_players_both_hand_it_back(card: str, two_player_reverse: str) -> None:
    table = _table("r+2 g1 g2", f"{card} y1 y2", two_player_reverse=two_player_reverse).go(f"0 r+2, 1 {card}")
    assert (table.sizes, table.to_move) == ([4, 2], 1)
    assert table.direction == (-1 if card == "rr" and two_player_reverse == "reverse" else 1)


def test_10_5_it_can_be_turned_away_again_and_again() -> None:
    table = _table("r+2 rr r2", "rr y1 y2", None).go("0 r+2, 1 rr")
    assert (table.phase, table.to_move, table.legal) == ("stack", 0, {"accept", "rr"})
    table.go("0 rr")
    assert (table.sizes, table.to_move, table.direction) == ([1, 4, 3], 2, 1)


def test_10_5_a_wild_draw_four_is_not_turned_away() -> None:
    table = _table("w+4 r1 r2", "gs gr y1", None).go("0 w+4:g")
    assert (table.phase, table.to_move, table.sizes) == ("play", 2, [2, 7, 3])


def test_10_5_with_stacking_both_answers_are_there_and_the_pile_is_turned_away_whole() -> None:
    table = _table("r+2 r1 r2", "g+2 rs y1", "gs b1 b2", None, stacking="same").go("0 r+2")
    assert table.legal == {"accept", "g+2", "rs"}
    table.go("1 g+2")
    assert table.legal == {"accept", "gs"}
    assert table.go("2 gs").sizes == [2, 2, 2, 7]


def test_10_5_what_was_turned_away_is_stacked_on_as_the_draw_two_itself() -> None:
    table = _table("r+2 r1 r2", "rs y1 y2", "b+2 b1 b2", "w+4 g1 g2", stacking="any").go("0 r+2, 1 rs")
    assert (table.to_move, table.legal, table.sees(2, "penalty")) == (2, {"accept", "b+2"}, 2)
    table.go("2 b+2")
    assert (table.to_move, table.legal, table.sees(3, "penalty")) == (3, {"accept", "w+4"}, 4)


def test_10_5_a_first_draw_two_is_turned_away_too() -> None:
    table = _table("rs y1 y2", None, None, first="r+2")
    assert (table.phase, table.to_move) == ("stack", 0)
    assert table.go("0 rs").sizes == [2, 5, 3]


@pytest.mark.parametrize(("dealer", "sizes"), [(3, [2, 3, 3, 5]), (0, [5, 2, 3, 3])])
def test_10_5_before_a_first_draw_two_comes_the_dealer(dealer: int, sizes: list[int]) -> None:
    first = (dealer + 1) % 4
    hands = ["rr y1 y2" if seat == first else None for seat in range(4)]
    table = _table(*hands, first="r+2", dealer=dealer).go(f"{first} rr")
    assert (table.sizes, table.direction, table.to_move) == (sizes, -1, (dealer - 1) % 4)


BEFORE = "1 r1, 2 r3, 0 r+2"
"""Moves after which seat 1 holds a red Skip alone, and is hit by a Draw Two."""


def test_10_5_who_goes_out_on_it_has_won_and_the_penalty_is_drawn_before_the_count() -> None:
    table = _table("r+2 g1", "r1 rs", "r3 b2", dealer=0).go(BEFORE, "1 rs")
    assert (table.phase, table.game.winner, table.sizes) == ("over", 1, [1, 0, 3])


def test_10_5_no_action_card_that_may_not_be_the_last_turns_it_away() -> None:
    table = _table("r+2 g1", "r1 rs", "r3 b2", dealer=0, go_out_on="not_action").go(BEFORE)
    assert (table.phase, table.to_move, table.sizes) == ("play", 2, [1, 3, 1])


def test_10_5_nobody_turns_a_last_card_away() -> None:
    table = _table("r+2", "rs", "b1").go("0 r+2")
    assert (table.phase, table.game.winner, table.sizes) == ("over", 0, [0, 3, 1])


@pytest.mark.parametrize("stacking", ["off", "same"])
def test_10_5_a_twin_jumps_in_and_turns_it_away_instead(stacking: str) -> None:
    changes = {"jump_in": True, "stacking": stacking}
    table = _table("r+2 r1 r2", "rs y1 y2", "g1 g2 g3", "rs b1 b2", **changes).go("0 r+2, 1 rs, 3 jump_in")
    assert (table.sizes, table.to_move) == ([4, 2, 3, 2], 1)


def test_10_5_after_a_kept_turn_the_one_who_took_it_plays() -> None:
    table = _table("r+2 r1 r2", "rs y1 y2", None, None, draw_two_turn="kept").go("0 r+2, 1 rs")
    assert (table.sizes, table.to_move) == ([2, 2, 5, 3], 2)


def test_10_5_the_others_do_not_see_whether_somebody_was_asked() -> None:
    asked = _table("r+2 r1 r2", "rs y1 y2", "b1 b2 b3").go("0 r+2")
    assert asked.phase == "stack"
    assert (asked.sees(2, "penalty"), asked.sees(2, "hand_sizes").tolist()[:3]) == (0, [3, 2, 5])


def test_10_5_calling_uno_comes_before_the_answer() -> None:
    table = _table("r+2 r1", "rs y1", None, uno_call="declared").go("0 call, 0 r+2")
    assert table.legal == {"accept", "rs", "call"}
