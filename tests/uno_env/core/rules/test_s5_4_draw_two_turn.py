"""GUIDE.md 5.4: whether the player hit by a Draw Two misses the turn. Switch: ``draw_two_turn``."""

import pytest

from tests.helpers.table import Table


@pytest.mark.parametrize(("draw_two_turn", "follows"), [("lost", 2), ("kept", 1), ("kept_first", 2)])
def test_5_4_who_plays_after_a_draw_two(draw_two_turn: str, follows: int) -> None:
    table = Table("r+2 r1 r2", None, None, draw_two_turn=draw_two_turn).go("0 r+2")
    assert (table.sizes, table.phase, table.to_move) == ([2, 5, 3], "play", follows)


@pytest.mark.parametrize(("draw_two_turn", "follows"), [("lost", 1), ("kept", 0), ("kept_first", 0)])
def test_5_4_who_plays_after_a_first_draw_two(draw_two_turn: str, follows: int) -> None:
    table = Table("r1 r2", None, None, first="r+2", draw_two_turn=draw_two_turn)
    assert (table.sizes, table.phase, table.to_move) == ([4, 2, 2], "play", follows)


def test_5_4_a_wild_draw_four_takes_the_turn_all_the_same() -> None:
    table = Table("w+4 r1 r2", None, None, draw_two_turn="kept", wild_draw_four="free").go("0 w+4:b")
    assert (table.sizes, table.to_move) == ([2, 7, 3], 2)


@pytest.mark.parametrize(
    ("stacking", "moves", "follows"),
    [
        ("same", "0 r+2, 1 g+2, 2 accept", 2),  # the pile ends in a Draw Two
        ("any", "0 r+2, 1 w+4:b, 2 accept", 0),  # and here in a Wild Draw Four
        ("both", "0 w+4:g, 1 g+2, 2 accept", 2),
    ],
)
def test_5_4_a_pile_that_ends_in_a_draw_two_leaves_the_turn(stacking: str, moves: str, follows: int) -> None:
    hands = "r+2 w+4 r1 r2", "g+2 w+4 y1 y2", "b+2 w+4 b1 b2"
    changes = {"stacking": stacking, "wild_draw_four": "free", "draw_two_turn": "kept"}
    table = Table(*hands, **changes).go(moves)
    assert (table.phase, table.to_move) == ("play", follows)


def test_5_4_a_first_draw_two_that_was_stacked_on_is_no_first_discard_any_more() -> None:
    changes = {"stacking": "same", "draw_two_turn": "kept_first"}
    table = Table("y+2 r1 r2", None, None, first="r+2", **changes).go("0 y+2")
    assert (table.sizes, table.to_move) == ([2, 7, 3], 2)


def test_5_4_two_players_the_one_who_draws_plays_next() -> None:
    table = Table("r+2 r1 r2", None, draw_two_turn="kept").go("0 r+2")
    assert (table.sizes, table.to_move) == ([2, 5], 1)


def test_5_4_after_a_jump_in_it_is_the_player_after_the_jumper() -> None:
    changes = {"jump_in": True, "draw_two_turn": "kept", "uno_call": "automatic"}
    table = Table("r+2 r1 r2", "b1 b2 b3", "r+2 y1 y2", None, **changes).go("0 r+2, 2 jump_in")
    assert (table.sizes, table.to_move) == ([2, 3, 2, 5], 3)


def test_5_4_a_last_draw_two_ends_the_hand_after_the_draw() -> None:
    table = Table("r+2", "b1", "b2", draw_two_turn="kept", uno_call="automatic").go("0 r+2")
    assert (table.phase, table.sizes, table.game.winner) == ("over", [0, 3, 1], 0)
