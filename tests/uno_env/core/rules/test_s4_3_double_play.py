"""GUIDE.md 4.3: two cards of the same number and colour laid together. Switch: ``double_play``."""

from typing import Any

import pytest

from tests.helpers.table import Table


def _pairs(table: Table) -> set[str]:
    return {action for action in table.legal if action.endswith("x2")}


def _table(*hands: str | None, **changes: Any) -> Table:
    return Table(*hands, **{"double_play": True, "uno_call": "automatic", **changes})


@pytest.mark.parametrize(
    ("hand", "pairs"),
    [
        ("r1 r1 g2", "r1x2"),
        ("g9 g9 r2 r2", "g9x2 r2x2"),
        ("g1 g1 b2 b2", ""),
        ("r1 g1 r2", ""),
        ("rs rs r+2 r+2", ""),
        ("w w w+4 w+4", ""),
    ],
)
def test_4_4_a_pair_of_1_to_9_that_matches_may_be_laid_together(hand: str, pairs: str) -> None:
    table = _table(hand, None, first="r9")
    assert _pairs(table) == set(pairs.split())
    assert set(hand.split()) & {"r1", "r2", "g9"} <= table.legal, "one of them alone, too"


def test_4_4_off_cards_are_laid_one_by_one() -> None:
    assert _pairs(_table("r1 r1 g2", None, double_play=False)) == set()


def test_4_4_both_cards_leave_the_hand_in_one_turn() -> None:
    table = _table("r1 r1 g2", "b1 b2 b3", None).go("0 r1x2")
    assert (table.hand(0), table.top, table.colour, table.discards) == ("g2", "r1", "red", "r1 r1 r9")
    assert (table.to_move, table.game.record.last_player) == (1, 0)


def test_4_4_a_pair_acts_once() -> None:
    table = _table("r7 r7 g2 g3", "b1 b2 b3 b4", "y1 y2 y3 y4", seven_zero=True).go("0 r7x2")
    assert table.phase == "swap"
    table.go("0 swap1")
    assert (table.to_move, table.phase, table.hand(1)) == (1, "play", "g2 g3")
    table = _table("r6 r6 g2 g3", "b1 b2 b3 b4", six_smackdown=True, reflexes=(0, 1)).go("0 r6x2")
    assert table.sizes == [2, 6]


def test_4_4_a_pair_can_be_the_last_cards() -> None:
    table = _table("r1 r1", None, None).go("0 r1x2")
    assert (table.game.end, table.game.winner, table.sizes) == ("went_out", 0, [0, 2, 2])


def test_4_4_after_drawing_only_the_drawn_card_may_be_played() -> None:
    assert _table("r1 b2", None, pile="r1").go("0 draw").legal == {"r1", "pass"}


def test_4_4_a_pair_is_not_laid_out_of_turn() -> None:
    table = _table("r1 g1 g2", "r1 r1 b1", first="r9", jump_in=True, deck={"r1": 4, "r9": 2, "g1": 2, "g2": 2, "b1": 2})
    assert table.go("0 r1").legal == {"jump_in", "pass"}


def test_4_4_with_more_than_two_of_a_kind_two_at_a_time() -> None:
    table = _table("r1 r1 r1", "b1 b2 b3", deck={"r1": 3, "r9": 1, "b1": 1, "b2": 1, "b3": 1, "g4": 1})
    assert table.go("0 r1x2").hand(0) == "r1"


@pytest.mark.parametrize(("hand", "may"), [("r1 r1 g2", True), ("g1 g1 r2", False), ("r1 g1 r2", False)])
def test_4_4_with_three_cards_one_calls_before_laying_two_of_them(hand: str, may: bool) -> None:
    table = _table(hand, None, None, uno_call="declared")
    assert ("call" in table.legal) == may
    if may:
        table.go("0 call, 0 r1x2")
        assert (table.phase, table.to_move, table.called) == ("play", 1, {0})


def test_4_4_a_pair_down_to_one_card_without_a_call_can_be_caught() -> None:
    table = _table("r1 r1 g2", None, None, uno_call="declared", late_call=False).go("0 r1x2")
    assert table.phase == "catch"
    assert table.go(f"{table.to_move} catch").sizes == [3, 3, 3]


def test_4_4_known_cards_of_a_pair_are_known_no_more() -> None:
    table = _table("w+4 b5 b5 g2", "y1 y2 y3 y4", first="b9", pile="y5 y6 y7 y8 r1 r2")
    table.go("0 w+4:b, 1 challenge, 1 draw")
    assert table.knows(1, 0) == "g2 b5 b5"
    assert table.go("0 b5x2").knows(1, 0) == "g2"
