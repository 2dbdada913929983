"""GUIDE.md 5.1: challenging a Wild Draw Four."""

import pytest

from tests.helpers.table import Table

GUILTY = "w+4 r1 g1 g2"
INNOCENT = "w+4 b9 w y1"
"""On a red 9: a card of the same number, a Wild and a card of the declared colour do not matter."""


def _asked(hand: str, players: int = 3, **changes: object) -> Table:
    """Seat 0 has laid a Wild Draw Four on r9 and declared yellow; seat 1 is asked."""
    return Table(hand, *[None] * (players - 1), first="r9", **changes).go("0 w+4:y")


@pytest.mark.parametrize("players", [2, 3, 10])
def test_5_1_the_player_who_would_draw_decides(players: int) -> None:
    table = _asked(GUILTY, players)
    assert (table.phase, table.to_move, table.legal) == ("challenge", 1, {"accept", "challenge"})
    assert table.sees(0, "penalty") == 4


def test_5_1_counter_clockwise_it_is_the_player_to_the_right() -> None:
    table = Table(None, None, "w+4 r1 g1", first="rr").go("2 w+4:y")
    assert table.to_move == 1
    table.go("1 accept")
    assert (table.sizes, table.to_move) == ([3, 7, 2], 0)


@pytest.mark.parametrize(("players", "follows"), [(2, 0), (3, 2), (10, 2)])
@pytest.mark.parametrize("hand", [GUILTY, INNOCENT])
def test_5_1_accept_the_player_draws_four_and_misses_the_turn(hand: str, players: int, follows: int) -> None:
    table = _asked(hand, players).go("1 accept")
    assert (table.sizes, table.to_move, table.phase) == ([3, 8, *[4] * (players - 2)], follows, "play")


@pytest.mark.parametrize("players", [2, 3, 10])
def test_5_1_guilty_the_bluffer_draws_the_four_and_the_challenger_plays(players: int) -> None:
    table = _asked(GUILTY, players).go("1 challenge")
    assert (table.sizes, table.to_move, table.phase) == ([7, *[4] * (players - 1)], 1, "play")


@pytest.mark.parametrize(("players", "follows"), [(2, 0), (3, 2), (10, 2)])
def test_5_1_innocent_the_challenger_draws_six_and_misses_the_turn(players: int, follows: int) -> None:
    table = _asked(INNOCENT, players).go("1 challenge")
    assert (table.sizes, table.to_move, table.phase) == ([3, 10, *[4] * (players - 2)], follows, "play")


@pytest.mark.parametrize(
    ("hand", "guilty"),
    [("w+4 w g1", True), ("w+4 wsh g1", True), ("w+4 w+4 g1", False), ("w+4 y1 y2", False), ("w+4 r1 g1", True)],
)
def test_5_1_wild_is_match_another_kind_of_wild_makes_guilty(hand: str, guilty: bool) -> None:
    table = _asked(hand, wild_is_match=True, deck="edition_2018").go("1 challenge")
    assert table.sizes == ([6, 3, 3] if guilty else [2, 9, 3])


@pytest.mark.parametrize("wild_draw_four", ["restricted", "colour_or_symbol"])
@pytest.mark.parametrize(("hand", "legal"), [("w+4 w", False), ("w+4 wcu", False), ("w+4 w+4", True), ("w+4 g1", True)])
def test_5_1_wild_is_match_another_kind_of_wild_forbids_it(wild_draw_four: str, hand: str, legal: bool) -> None:
    table = Table(hand, None, wild_draw_four=wild_draw_four, wild_is_match=True, deck="edition_2018")
    assert ("w+4" in table.legal) == legal
    assert "w+4" in Table(hand, None, wild_draw_four=wild_draw_four, deck="edition_2018").legal


@pytest.mark.parametrize(
    ("hand", "guilty"),
    [
        ("w+4 r1 g1", True),
        ("w+4 rs g1", True),
        ("w+4 g9 g1", False),  # the same number
        ("w+4 w w+4", False),
        ("w+4 y1 y2", False),  # the colour declared
    ],
)
def test_5_1_guilty_is_who_held_a_card_of_the_active_colour_before_the_play(hand: str, guilty: bool) -> None:
    table = _asked(hand).go("1 challenge")
    assert table.sizes == ([6, 3, 3] if guilty else [2, 9, 3])


def test_5_1_guilty_after_another_wild_it_is_the_colour_declared_on_that() -> None:
    table = Table("w g1 g2", "w+4 b1 g3", None, first="r9").go("0 w:b, 1 w+4:r, 2 challenge")
    assert (table.sizes, table.to_move) == ([2, 6, 3], 2)


@pytest.mark.parametrize("hand", [GUILTY, INNOCENT])
@pytest.mark.parametrize("answer", ["accept", "challenge"])
def test_5_1_the_declared_colour_stays_either_way(hand: str, answer: str) -> None:
    assert _asked(hand).go(f"1 {answer}").colour == "yellow"


@pytest.mark.parametrize("hand", [GUILTY, INNOCENT])
def test_5_1_the_hand_is_shown_to_the_challenger_and_only_to_the_challenger(hand: str) -> None:
    table = _asked(hand, players=4)
    shown = table.hand(0)
    table.go("1 challenge")
    assert table.knows(1, 0) == shown
    assert [table.knows(seat, 0) for seat in (2, 3)] == ["", ""]
    assert [table.knows(0, seat) for seat in (1, 2, 3)] == ["", "", ""]


def test_5_1_nobody_sees_the_hand_where_the_penalty_is_accepted() -> None:
    table = _asked(GUILTY).go("1 accept")
    assert [table.knows(seat, 0) for seat in (1, 2)] == ["", ""]


def test_5_1_cards_drawn_after_the_challenge_are_not_known() -> None:
    table = _asked(GUILTY, pile="b1 b2 b3 b4").go("1 challenge")
    assert table.hand(0) == "r1 g1 g2 b1 b2 b3 b4"
    assert table.knows(1, 0) == "r1 g1 g2"


def test_5_1_the_declared_colour_and_the_previous_one_are_known_to_who_decides() -> None:
    table = _asked(GUILTY)
    assert table.sees(1, "previous_colour").tolist() == [1, 0, 0, 0]
    assert table.sees(1, "colour").tolist() == [0, 1, 0, 0]


def test_5_1_what_the_challenger_is_told_before_deciding_does_not_depend_on_guilt() -> None:
    guilty, innocent = (Table(hand, "y1 y2 y3").go("0 w+4:y") for hand in ("w+4 r1 g1", "w+4 b1 g1"))
    assert guilty.game.record.bluffed != innocent.game.record.bluffed
    assert (guilty.game.observe(1) == innocent.game.observe(1)).all()


def test_5_1_a_challenge_does_not_end_a_call_but_its_penalty_does() -> None:
    table = Table("w+4 r1", None, None, first="r9").go("0 call, 0 w+4:y")
    assert table.called == {0}
    assert table.go("1 challenge").called == set()


@pytest.mark.parametrize(("answer", "number"), [("accept", 4), ("challenge", 6)])
@pytest.mark.parametrize("players", [2, 3, 10])
def test_5_2_going_out_on_a_wild_draw_four_can_be_challenged_too(answer: str, number: int, players: int) -> None:
    table = Table("w+4", *["b1"] * min(players - 1, 2), *[None] * (players - 3)).go("0 w+4:g")
    assert (table.phase, table.game.over) == ("challenge", False)
    table.go(f"1 {answer}")
    assert (table.game.winner, table.sizes[:2]) == (0, [0, 1 + number])


def test_5_2_a_guilty_player_draws_four_and_has_not_gone_out() -> None:
    """Who goes out holds no other card, so guilt has to be put into the record here."""
    table = Table("w+4", "b1", None).go("0 w+4:g")
    table.game._array[0].bluffed = 1
    table.go("1 challenge")
    assert (table.game.over, table.sizes, table.to_move) == (False, [4, 1, 1], 1)
