"""The table of interactions: what happens where two rules meet (GUIDE.md), beyond what each rule's own tests show.

Seats are 0, 1, 2, … to the left, and seat 0 begins; ``first`` lies on top. Where
nobody has to call UNO, a test says so.
"""

from typing import Any

import pytest

from tests.helpers.table import Table
from uno_env import Game, Rules

SILENT = {"uno_call": "automatic"}
ELIMINATION = {"scoring": "elimination", "target": 40, **SILENT}


# Stacking × challenge


def test_stacking_a_draw_four_on_a_draw_two_is_judged_by_the_draw_twos_colour() -> None:
    table = Table("b+2 b1 r2", "w+4 b3 y2", "y3 y4 y5", first="b9", stacking="any", **SILENT)
    table.go("0 b+2, 1 w+4:y, 2 challenge")
    assert table.sizes == [2, 2 + 6, 3]
    assert table.to_move == 2


# Stacking × jump-in


def test_jump_in_on_a_stack_passes_the_stack_on() -> None:
    table = Table(
        "y+2 y1 r2", "r+2 b2 b3", "g1 g2 g3", "r+2 y2 y3", first="y9", stacking="same", jump_in=True, **SILENT
    )
    table.go("0 y+2, 1 r+2, 3 jump_in")
    assert table.sizes == [2 + 6, 2, 3, 2]
    assert table.to_move == 1


def test_jump_in_comes_before_stacking() -> None:
    """Seat 1 could answer, but seat 2 holds the twin and is asked first."""
    table = Table("r+2 r1 r2", "y+2 b2 b3", "r+2 y2 y3", "g1 g2 g3", stacking="same", jump_in=True, **SILENT)
    assert table.go("0 r+2").phase == "jump_in"
    table.go("2 pass, 1 y+2, 2 r+2")
    assert (table.sizes, table.to_move) == ([2, 2, 2, 3 + 6], 0)


# Seven and zero × jump-in


def test_zero_laid_by_jumping_in_passes_hands_once() -> None:
    table = Table("r0 r1 r2", "b1 b2 b3", "r0 y2 y3", only=True, seven_zero=True, jump_in=True, **SILENT)
    table.go("0 r0, 2 jump_in")
    assert [table.hand(seat) for seat in range(3)] == ["y2 y3", "r1 r2", "b1 b2 b3"]


# Seven and zero × UNO call


def test_seven_the_window_comes_before_the_swap() -> None:
    table = Table("r7 r1", "b1 b2", seven_zero=True).go("0 r7")
    assert table.phase == "catch"
    while table.phase == "catch":
        table.go(f"{table.to_move} pass")
    assert (table.phase, table.to_move, table.legal) == ("swap", 0, {"swap1"})


def test_zero_all_calls_lapse() -> None:
    table = Table("r1 r0", "r3 r4", "r5 r6", dealer=0, seven_zero=True).go("1 call, 1 r3, 2 call, 2 r5, 0 call, 0 r0")
    assert (table.called, table.to_move) == (set(), 1)
    assert [table.hand(seat) for seat in range(3)] == ["r6", "r1", "r4"]


# Wild Shuffle Hands × UNO call


def test_shuffle_hands_to_one_card_need_not_be_called() -> None:
    table = Table("wsh r1", "b1 b2", deck="edition_2018").go("0 call, 0 wsh:r")
    assert (table.sizes, table.called) == ([1, 2], set())
    assert (table.phase, table.to_move) == ("play", 1)


# Going out on a Wild Draw Four × stacking


def test_last_draw_four_is_not_stacked() -> None:
    table = Table("w+4", "w+4", "y1", stacking="any", **SILENT).go("0 w+4:r")
    assert table.legal == {"accept", "challenge"}


# Two players × Reverse × every rule that uses the direction


@pytest.mark.parametrize("reverse", ["skip", "reverse"])
def test_two_players_a_first_reverse_lets_the_dealer_begin(reverse: str) -> None:
    for first_reverse in ("dealer", "right_of_dealer"):
        table = Table("b1 b2", "r1 r2", first="rr", two_player_reverse=reverse, first_reverse=first_reverse)
        assert (table.to_move, table.direction) == (1, -1)


@pytest.mark.parametrize(("reverse", "next_seat"), [("skip", 1), ("reverse", 0)])
def test_two_players_jump_in_with_a_reverse(reverse: str, next_seat: int) -> None:
    """Seat 1 jumps in: as a Skip it is their turn again, as a Reverse seat 0's."""
    table = Table("rr r1 r2", "rr b2 b3", two_player_reverse=reverse, jump_in=True, **SILENT).go("0 rr, 1 jump_in")
    assert table.to_move == next_seat


@pytest.mark.parametrize(("reverse", "moves"), [("skip", "0 rr"), ("reverse", "0 rr, 1 r3")])
def test_two_players_zero_and_seven_after_a_reverse(reverse: str, moves: str) -> None:
    """With two, to pass hands on is to swap them."""
    for card, choice in (("r0", ""), ("r7", ", 0 swap1")):
        table = Table(f"rr {card} r2", "r3 b2 b3", two_player_reverse=reverse, seven_zero=True, **SILENT)
        table.go(moves + f", 0 {card}" + choice)
        assert (table.hand(1), table.to_move) == ("r2", 1)


# Two or more equal cards × UNO call, catch, seven and zero, first card, going out

MANY = "r1 r1 r1 r1 r0 r0 r7 r7 r7 r9 g2 g3 b1 b2 b3 b4 y1 y2 y3 y4 w+4 w+4"


def many(*hands: str, **changes: Any) -> Table:
    return Table(*hands, **{"double_play": "two_or_more", "deck": MANY, **changes})


def test_two_or_more_the_race_for_a_missing_call_waits_for_the_last_of_them() -> None:
    table = many("r1 r1 r1 g2", "b1 b2 b3 b4", late_call=False).go("0 r1x2")
    assert (table.phase, table.to_move) == ("jump_in", 0)
    assert table.go("0 jump_in").phase == "catch"
    assert table.go("1 catch").sizes == [3, 4]


def test_two_or_more_sevens_swap_hands_once_when_all_lie() -> None:
    table = many("r7 r7 r7 g2", "b1 b2 b3 b4", seven_zero=True, **SILENT).go("0 r7x2, 0 jump_in")
    assert (table.phase, table.sizes) == ("swap", [1, 4])
    assert table.go("0 swap1").hand(1) == "g2"


def test_two_or_more_on_a_first_draw_four_of_the_declared_colour() -> None:
    table = many("r1 r1 r1 g2", "b1 b2 b3 b4", first="w+4", first_card="effects_all", **SILENT)
    table.go("0 colour:r, 0 r1x2, 0 jump_in")
    assert (table.top, table.to_move, table.sizes) == ("r1", 1, [1, 4])


def test_two_or_more_stacking_and_a_jump_in_of_others_meet_after_all_lie() -> None:
    table = many("r1 r1 r1 g2", "r1 b1 b2 b3", jump_in=True, stacking="any", **SILENT).go("0 r1x2, 0 jump_in")
    assert (table.phase, table.to_move) == ("jump_in", 1)
    assert table.go("1 jump_in").to_move == 0


def test_going_out_on_numbers_a_guilty_bluffer_still_holds_cards_and_an_innocent_one_cannot_end_on_it() -> None:
    table = Table("w+4 r1", "b1 b2", "y1 y2", go_out_on="number", **SILENT).go("0 w+4:b, 1 challenge")
    assert (table.sizes, table.to_move) == ([5, 2, 2], 1)
    assert Table("w+4", "b1", "y1", go_out_on="number", **SILENT).legal == {"draw"}


def test_going_out_on_numbers_after_a_swap_the_last_card_may_be_one_that_cannot_be_laid() -> None:
    table = Table("r7 w", "b1 b2", first="r9", go_out_on="number", seven_zero=True, **SILENT).go("0 r7, 0 swap1")
    assert (table.hand(1), table.legal) == ("w", {"draw"})


# Draw pile empty × each drawing rule


def test_empty_pile_until_playable_goes_on_with_the_discards() -> None:
    """The drawn greens cannot be played on a red 2; of the discards, the red 1 and the red 9 can."""
    table = Table("r1 b3 b4", "r2 y2 y3", first="r9", pile="g4 g5", only=True, draw="until_playable", **SILENT)
    table.go("0 r1, 1 r2, 0 draw")
    assert table.phase == "drawn"
    assert table.hand(0) in ("r1 g4 g5 b3 b4", "r9 g4 g5 b3 b4")
    assert len(table.pile.split()) == 1


def test_empty_pile_a_wrong_challenger_takes_what_there_is() -> None:
    table = Table("w+4 b3 b4", "y1 y2 y3", first="r9", pile="g1", only=True, **SILENT).go("0 w+4:b, 1 challenge")
    assert (table.sizes, table.to_move) == ([2, 3 + 2], 0)


# Nothing to draw × match


def test_nothing_to_draw_a_match_goes_on_after_a_stalled_hand() -> None:
    rules = Rules(players=2, hand_size=2, deck="b1 b2 y1 y2 r9", dealer="fixed", dealer_seat=1, **SILENT)
    table = Table.of(Game(rules, deck="b1 y1 b2 y2 r9", dealer=1, match=True)).go("0 draw")
    assert (table.game.hands_played, table.game.hand_end, table.game.scores) == (1, "stalled", [0, 0])
    assert table.game.record.dealer == 0


# Elimination down to two


def two_left(seed: int, **changes: Any) -> Table:
    """Four players, of whom seats 1 and 3 have just been put out; seat 0 deals the second hand."""
    rules = Rules(players=4, hand_size=2, double_play=True, dealer="fixed", dealer_seat=3, **ELIMINATION, **changes)
    game = Game(rules, seed=seed, deck="r1 w b2 w+4 r1 w b3 w+4 r9", dealer=3, match=True)
    return Table.of(game).go("0 r1x2")


def two_left_with(first: str, card: str = "", **changes: Any) -> Table:
    """The same, with such a card turned first in the second hand, and such a one to play if the test needs one."""
    tables = (two_left(seed, **changes) for seed in range(10_000))
    return next(
        table
        for table in tables
        if table.top[1:] == first and (not card or f"{table.colour[0]}{card}" in table.hand(table.to_move).split())
    )


def test_elimination_down_to_two_deals_to_those_two() -> None:
    table = two_left_with("5")
    assert (table.game.scores, table.game.hands_played) == ([0, 100, 5, 100], 1)
    assert table.sizes == [2, 0, 2, 0]
    assert (table.game.record.dealer, table.to_move) == (0, 2)


def test_elimination_down_to_two_play_passes_over_empty_chairs() -> None:
    table = two_left_with("5", "9")
    assert table.go(f"2 {table.colour[0]}9").to_move == 0


@pytest.mark.parametrize("first", ["s", "r", "+2"])
@pytest.mark.parametrize("first_reverse", ["dealer", "right_of_dealer"])
def test_elimination_down_to_two_first_card(first: str, first_reverse: str) -> None:
    """Seat 0 deals, and begins: seat 2 is at its left and at its right."""
    table = two_left_with(first, first_reverse=first_reverse)
    assert table.to_move == 0
    assert table.sizes == [2, 0, 4 if first == "+2" else 2, 0]


def test_elimination_down_to_two_a_reverse_is_a_skip() -> None:
    table = two_left_with("5", "r")
    table.go(f"2 {table.colour[0]}r")
    assert (table.to_move, table.direction) == (2, 1)


def test_elimination_down_to_two_a_draw_two_hits_the_other() -> None:
    table = two_left_with("5", "+2")
    table.go(f"2 {table.colour[0]}+2")
    assert (table.to_move, table.sizes) == (2, [4, 0, 1, 0])


def test_elimination_down_to_two_hands_move_between_the_two() -> None:
    seven = two_left_with("5", "7", seven_zero=True)
    theirs = seven.hand(0)
    assert seven.go(f"2 {seven.colour[0]}7").legal == {"swap2"}
    seven.go("2 swap2")
    zero = two_left_with("5", "0", seven_zero=True)
    others = zero.hand(0)
    zero.go(f"2 {zero.colour[0]}0")
    assert (seven.hand(2), zero.hand(2)) == (theirs, others)
