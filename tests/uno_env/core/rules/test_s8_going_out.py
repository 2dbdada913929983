"""GUIDE.md 8: going out."""

import pytest

from tests.helpers.table import Table


@pytest.mark.parametrize("card", ["r1", "rs", "rr", "r+2", "w:b", "w+4:b"])
@pytest.mark.parametrize("players", [2, 3, 10])
def test_8_1_the_first_to_play_their_last_card_wins(card: str, players: int) -> None:
    table = Table(card.split(":")[0], *[None] * (players - 1), wild_draw_four="free").go(f"0 {card}")
    game = table.game
    assert (game.over, game.end, game.winner, game.to_move) == (True, "went_out", 0, -1)
    assert game.legal_actions() == []
    assert game.rewards() == pytest.approx([1.0] + [-1.0 / (players - 1)] * (players - 1))


@pytest.mark.parametrize("seat", range(3))
def test_8_1_any_seat_can_win(seat: int) -> None:
    hands = [None, None, None]
    hands[seat] = "r1"
    game = Table(*hands, dealer=(seat - 1) % 3).go(f"{seat} r1").game
    assert game.winner == seat
    assert game.rewards()[seat] == 1.0


def test_8_1_a_drawn_card_played_at_once_does_not_win() -> None:
    """It leaves the hand as it was before the draw."""
    table = Table("g1", "b1", pile="r4", uno_call="automatic").go("0 draw, 0 r4")
    assert (table.game.over, table.sizes) == (False, [1, 1])


@pytest.mark.parametrize(("card", "number"), [("r+2", 2), ("w+4:b", 4)])
@pytest.mark.parametrize("players", [2, 3, 10])
def test_8_1_the_next_player_still_draws_before_the_count(card: str, number: int, players: int) -> None:
    hands = [card.split(":")[0], "g0", *[None] * (players - 2)]
    table = Table(*hands, pile="b1 b2 b3 b4", wild_draw_four="free").go(f"0 {card}")
    assert table.sizes == [0, 1 + number, *[1] * (players - 2)]
    others = sum(table.points_in(seat) for seat in range(2, players))
    assert table.game.points[0] == sum(range(1, number + 1)) + others


def test_8_1_counter_clockwise_it_is_the_player_to_the_right_who_draws() -> None:
    assert Table(None, None, "r+2", first="rr").go("2 r+2").sizes == [1, 3, 0]


@pytest.mark.parametrize(("card", "allowed"), [("r1", True), ("rs", False), ("rr", False), ("r+2", False),
                                               ("w", True), ("w+4", True)])  # fmt: skip
def test_8_2_not_action_skip_reverse_and_draw_two_may_not_be_the_last_card(card: str, allowed: bool) -> None:
    table = Table(card, None, None, go_out_on="not_action")
    assert table.legal == ({card, "draw"} if allowed else {"draw"})


@pytest.mark.parametrize("last", ["rs", "rr", "r+2", "w", "w+4", "wsh", "wcu", "wd1", "wd2"])
def test_8_2_number_only_a_number_may_be_the_last_card(last: str) -> None:
    changes = {"go_out_on": "number", "wild_draw_four": "free", "only": True}
    assert Table(last, "b1", "b2", **changes).legal == {"draw"}
    assert Table("r1", "b1", "b2", **changes).legal == {"r1", "draw"}
    assert {last, "r1"} <= Table(f"{last} r1", "b1 b3", "b2 b4", **changes).legal


def test_8_2_number_a_hand_of_nothing_but_wilds_has_to_draw() -> None:
    table = Table("w w", "b1 g9", pile="g3 g4", go_out_on="number", voluntary_draw=False, uno_call="automatic")
    assert table.go("0 w:b, 1 b1").legal == {"draw"}
    assert table.go("0 draw, 1 draw").legal == {"w"}


def test_8_2_not_action_they_may_be_played_while_other_cards_are_held() -> None:
    assert {"rs", "rr", "r+2"} <= Table("rs rr r+2", None, go_out_on="not_action").legal


def test_8_2_not_action_a_drawn_action_card_is_not_the_last() -> None:
    assert Table("g1", None, pile="rs", go_out_on="not_action").go("0 draw").legal == {"rs", "pass", "call"}
