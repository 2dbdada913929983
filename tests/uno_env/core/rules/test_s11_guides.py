"""GUIDE.md 11: two published readings, ``guide_001`` and ``guide_003``, at the table."""

from typing import Any

import pytest

from tests.helpers.table import Table


def _first(*hands: str | None, **changes: Any) -> Table:
    return Table(*hands, preset="guide_001", **changes)


def _third(*hands: str | None, **changes: Any) -> Table:
    return Table(*hands, preset="guide_003", **changes)


def test_guide_001_one_draws_until_a_playable_card_comes_and_must_play_it() -> None:
    table = _first("b1 b2", None, pile="g1 g2 r3 r4").go("0 draw")
    assert (table.hand(0), table.legal) == ("r3 g1 g2 b1 b2", {"r3"})


def test_guide_001_action_cards_only_on_their_own_colour() -> None:
    assert _first("bs rr w", "g1 g2 g3", first="rs").legal == {"rr", "w", "draw"}


def test_guide_001_a_first_wild_goes_back_and_after_a_first_reverse_the_dealers_right_begins() -> None:
    table = _first("r1 r2", "b1 b2", "g1 g2", "y1 y2", first="w rr", dealer=1)
    assert (table.top, table.to_move, table.direction) == ("rr", 0, -1)


@pytest.mark.parametrize("first", ["rs", "r+2"])
def test_guide_001_the_dealers_left_begins_unless_the_first_card_is_a_reverse(first: str) -> None:
    table = _first("r1 r2", "b1 b2", "g1 g2", first=first)
    assert (table.to_move, table.sizes) == (0, [2, 2, 2])


@pytest.mark.parametrize(("hand", "legal"), [("w+4 b1", True), ("w+4 r1", False), ("w+4 b9", False), ("w+4 w", True)])
def test_guide_001_a_wild_draw_four_needs_neither_colour_nor_symbol(hand: str, legal: bool) -> None:
    table = _first(hand, None, None, first="r9")
    assert ("w+4" in table.legal) == legal
    if legal:
        table = table.go("0 call, 0 w+4:g")
        assert (table.phase, table.to_move, table.sizes) == ("play", 2, [1, 6, 2])


def test_guide_001_only_a_call_before_the_play_counts_and_being_caught_costs_four() -> None:
    table = _first("r1 g2", "b1 b2", "y1 y2", first="r9").go("0 r1")
    assert (table.phase, table.to_move in (1, 2)) == ("catch", True)
    table.go(f"{table.to_move} catch")
    assert table.sizes == [5, 2, 2]


def test_guide_001_each_has_the_points_in_their_own_hand() -> None:
    table = _first("r1", "ys", "w", first="r9").go("0 r1")
    assert (table.game.winner, table.game.points) == (0, [0, 20, 50])


def test_guide_003_pairs_may_be_laid_and_no_action_card_is_the_last() -> None:
    assert {"r1", "r1x2", "call"} <= _third("r1 r1 g2", None, None).legal
    assert _third("rs", None, None).legal == {"draw"}


def test_guide_003_a_draw_two_takes_no_turn_away_and_a_wild_draw_four_does() -> None:
    table = _third("r+2 w+4 g1 g2", None, None).go("0 r+2")
    assert (table.sizes, table.to_move) == ([3, 6, 4], 1)
    table = _third("r+2 w+4 g1 g2", None, None).go("0 w+4:b, 1 accept")
    assert (table.sizes, table.to_move) == ([3, 8, 4], 2)


def test_guide_003_otherwise_it_is_classic() -> None:
    table = _third("w+4 r1 g2", None, None, first="r9").go("0 w+4:b")
    assert (table.phase, table.legal) == ("challenge", {"accept", "challenge"})
