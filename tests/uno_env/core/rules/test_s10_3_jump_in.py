"""GUIDE.md 10.3: playing the identical card out of turn. Switch: ``jump_in``."""

from typing import Any

import numpy as np
import pytest

from tests.helpers.table import Table

FOUR = dict.fromkeys(("r5", "rs", "rr", "r+2", "w", "w+4"), 4)
DECK = {f"{colour}{rank}": 2 for colour in "rygb" for rank in (*range(10), "s", "r", "+2")} | FOUR
"""Enough of the cards that are laid on one another."""


def _table(*hands: str | None, **changes: Any) -> Table:
    return Table(*hands, **{"jump_in": True, "uno_call": "automatic", "deck": DECK, **changes})


def test_10_3_who_holds_exactly_the_card_on_top_may_play_it_out_of_turn() -> None:
    table = _table("r5 r1 r2", "y1 y2 y3", "r5 b1 b2", "g1 g2 g3").go("0 r5")
    assert (table.phase, table.to_move, table.legal) == ("jump_in", 2, {"jump_in", "pass"})
    table.go("2 jump_in")
    assert (table.hand(2), table.sizes, table.discards) == ("b1 b2", [2, 3, 2, 3], "r5 r5 r9")


def test_10_3_play_goes_on_from_them_as_if_they_had_just_had_their_turn() -> None:
    table = _table("r5 r1 r2", "y1 y2 y3", "r5 b1 b2", "g1 g2 g3").go("0 r5, 2 jump_in")
    assert (table.to_move, table.phase, table.game.record.last_player) == (3, "play", 2)


@pytest.mark.parametrize("twin", ["y5", "r6", "r4"])
def test_10_3_colour_and_number_must_be_the_same(twin: str) -> None:
    assert _table("r5 r1 r2", f"{twin} y2 y3", None).go("0 r5").phase == "play"


@pytest.mark.parametrize(("card", "move"), [("w", "w:r"), ("w+4", "w+4:r")])
def test_10_3_not_wilds(card: str, move: str) -> None:
    table = _table(f"{card} r1 r2", "y1 y2 y3", f"{card} b1 b2", wild_draw_four="free").go(f"0 {move}")
    assert table.phase == "play"


def test_10_3_off_nobody_is_asked() -> None:
    assert _table("r5 r1 r2", "r5 y2 y3", jump_in=False).go("0 r5").phase == "play"


def test_10_3_nobody_is_asked_who_does_not_hold_it() -> None:
    assert _table("r5 r1 r2", "y1 y2 y3", "b1 b2 b3").go("0 r5").phase == "play"


def test_10_3_holders_are_asked_in_turn_order_from_the_last_player_on() -> None:
    table = _table("r5 r5 r2", "r5 y2 y3", "b1 b2 b3", "r5 g2 g3").go("0 r5")
    order = []
    while table.phase == "jump_in":
        order.append(table.to_move)
        table.go(f"{table.to_move} pass")
    assert order == [0, 1, 3]
    assert (table.to_move, table.phase) == (1, "play")


def test_10_3_counter_clockwise_they_are_asked_to_the_right() -> None:
    table = _table("r5 y2 y3", "r5 g2 g3", "b1 b2 b3", "r5 r1 r2", first="rr").go("3 r5")
    assert table.to_move == 1
    assert table.go("1 pass").to_move == 0
    table.go("0 jump_in")
    assert table.to_move == 1, "asked again, since another card was laid"
    assert table.go("1 pass").to_move == 3


def test_10_3_the_last_player_may_lay_the_twin_of_their_own_card() -> None:
    table = _table("r5 r5 r2", "y1 y2 y3", "b1 b2 b3").go("0 r5")
    assert (table.phase, table.to_move) == ("jump_in", 0)
    table.go("0 jump_in")
    assert (table.hand(0), table.to_move, table.phase) == ("r2", 1, "play")


def test_10_3_on_a_card_jumped_in_with_another_may_jump_in() -> None:
    table = _table("r5 r1 r2", "r5 y2 y3", "r5 b1 b2", "g1 g2 g3").go("0 r5, 1 jump_in, 2 jump_in")
    assert (table.sizes, table.to_move) == ([2, 2, 2, 3], 3)


@pytest.mark.parametrize(
    ("card", "to_move", "direction", "sizes"),
    [("rs", 0, 1, [2, 3, 2, 3]), ("rr", 1, -1, [2, 3, 2, 3]), ("r+2", 0, 1, [2, 3, 2, 5])],
)
def test_10_3_the_first_effect_falls_away_and_the_jumped_cards_effect_holds(
    card: str, to_move: int, direction: int, sizes: list[int]
) -> None:
    """Seat 2 jumps in: seat 3 is skipped, or draws, seat 1 is not; or play is turned round once."""
    table = _table(f"{card} r1 r2", "y1 y2 y3", f"{card} b1 b2", "g1 g2 g3").go(f"0 {card}, 2 jump_in")
    assert (table.to_move, table.direction, table.sizes) == (to_move, direction, sizes)


def test_10_3_with_stacking_on_draw_penalties_add_up() -> None:
    table = _table("r+2 r1 r2", "y1 y2 y3", "r+2 b1 b2", "g1 g2 g3", stacking="same").go("0 r+2, 2 jump_in")
    assert table.sizes == [2, 3, 2, 7]


def test_10_3_a_jump_by_the_victim_saves_them() -> None:
    table = _table("r+2 r1 r2", "r+2 y2 y3", "b1 b2 b3").go("0 r+2, 1 jump_in")
    assert (table.sizes, table.to_move) == ([2, 2, 5], 0)


def test_10_3_the_question_comes_before_the_cards_effect() -> None:
    table = _table("r+2 r1 r2", "y1 y2 y3", "r+2 b1 b2").go("0 r+2")
    assert (table.phase, table.sizes) == ("jump_in", [2, 3, 3])
    assert table.go("2 pass").sizes == [2, 5, 3]


def test_10_3_the_question_comes_after_the_window_for_a_missing_call() -> None:
    table = _table("r5 r1", "r5 y2", "b1 b2", uno_call="declared").go("0 r5")
    assert table.phase == "catch"
    while table.phase == "catch":
        table.go(f"{table.to_move} pass")
    assert (table.phase, table.to_move) == ("jump_in", 1)


def test_10_3_a_holder_of_two_cards_calls_before_jumping_in() -> None:
    table = _table("r5 r1 r3", "r5 y2 y3", "b1 b2 b3", uno_call="declared").go("0 r5")
    assert table.refuses("call")
    table = _table("r5 r1", "r5 y2", "b1 b2", uno_call="declared").go("0 call, 0 r5, 1 call, 1 jump_in")
    assert (table.called, table.phase, table.to_move) == ({0, 1}, "play", 2)


def test_10_3_a_call_lapses_if_the_chance_is_let_go() -> None:
    table = _table("r5 r1", "r5 y2", "b1 b2", uno_call="declared").go("0 call, 0 r5, 1 call, 1 pass")
    assert table.called == {0}


def test_10_3_who_jumps_in_without_a_call_can_be_caught() -> None:
    table = _table("r5 r1", "r5 y2", "b1 b2", uno_call="declared", late_call=False).go("0 call, 0 r5, 1 jump_in")
    assert (table.phase, table.game.record.turn) == ("catch", 1)
    table.go(f"{table.to_move} catch")
    assert (table.sizes, table.to_move) == ([1, 3, 2], 2)


def test_10_3_nobody_jumps_in_on_a_first_discard() -> None:
    table = _table("r1 r2", "r5 y1", first="r5")
    assert (table.phase, table.to_move) == ("play", 0)


def test_10_3_nobody_jumps_in_on_a_last_card() -> None:
    game = _table("r5", "r5", "b1").go("0 r5").game
    assert (game.over, game.winner) == (True, 0)


def test_10_3_the_jumped_card_can_be_the_last() -> None:
    table = _table("r1 r5", "r3 r6", "r4 r5", deck={**DECK, "r4": 4}).go("0 r1, 1 r3, 2 r4")
    assert (table.phase, table.sizes) == ("play", [1, 1, 1])
    table = _table("r1 r5 b1", "r3 r6 b2", "r5 y4 y5", pile="r5").go("0 r5, 2 pass, 1 draw, 1 r5")
    assert (table.phase, table.to_move) == ("jump_in", 2)
    table = _table("r5 r1", "y1 r5", "r5 b1", dealer=2).go("0 r5, 1 pass, 2 jump_in, 1 jump_in")
    assert table.sizes == [1, 1, 1]
    table = _table("r1 r2", "r5 r5", "b1 b2", dealer=0).go("1 r5, 1 jump_in")
    assert (table.game.over, table.game.winner) == (True, 1)


@pytest.mark.parametrize(("go_out_on", "end"), [("any", "went_out"), ("not_action", "running"), ("number", "running")])
def test_8_2_not_action_a_skip_as_the_last_card_is_not_jumped_in_with(go_out_on: str, end: str) -> None:
    table = _table("rs rs", None, "b1 b2", go_out_on=go_out_on).go("0 rs")
    assert (table.phase == "jump_in") == (go_out_on == "any")
    if go_out_on == "any":
        table.go("0 jump_in")
    assert table.game.end == end


def test_10_3_ten_players_each_holder_is_asked_once() -> None:
    hands = [f"r5 {'rygb'[seat % 4]}{seat % 8 + 1}" for seat in range(4)] + [None] * 6
    table = _table(*hands).go("0 r5")
    for seat in (1, 2, 3):
        table.go(f"{seat} pass")
    assert (table.phase, table.to_move) == ("play", 1)


class TestSecret:
    """Who is asked is not shown to the others: it would tell that they hold the card."""

    def test_12_others_do_not_see_who_is_asked(self) -> None:
        table = _table("r5 r1 r2", "y1 y2 y3", "r5 b1 b2", "g1 g2 g3").go("0 r5")
        assert table.sees(2, "to_move")[0] == 1
        others = (0, 1, 3)
        for seat in others:
            assert table.sees(seat, "to_move").nonzero()[0].tolist() == [(1 - seat) % 4]
            assert table.sees(seat, "phase").nonzero()[0].tolist() == [0]
            assert not table.sees(seat, "asked").any()
        seen = [table.game.observe(seat) for seat in others]
        table.go("2 pass")
        assert (np.array(seen) == [table.game.observe(seat) for seat in others]).all()

    def test_12_others_do_not_see_who_let_go(self) -> None:
        hands = ("r5 r1 r2", "r5 y2 y3", "r5 b1 b2", "g1 g2 g3")
        asked_first, asked_next = _table(*hands).go("0 r5"), _table(*hands).go("0 r5, 1 pass")
        assert (asked_first.game.observe(3) == asked_next.game.observe(3)).all()
