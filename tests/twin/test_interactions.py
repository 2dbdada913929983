"""The table of interactions: what happens where two rules meet (GUIDE.md).

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


def test_stacking_guilty_challenged_draws_the_whole_stack() -> None:
    table = Table("w+4 r1 r2", "w+4 b1 b2", "y1 y2 y3", stacking="same", **SILENT)
    table.go("0 w+4:b, 1 w+4:g, 2 challenge")
    assert table.sizes == [2, 2 + 8, 3]
    assert (table.to_move, table.phase, table.colour) == (2, "play", "green")


def test_stacking_wrong_challenger_draws_the_whole_stack_and_two_more() -> None:
    table = Table("w+4 r1 r2", "w+4 y1 y2", "y3 y4 y5", stacking="same", **SILENT)
    table.go("0 w+4:b, 1 w+4:g, 2 challenge")
    assert table.sizes == [2, 2, 3 + 10]
    assert (table.to_move, table.phase) == (0, "play")


def test_stacking_forgives_the_bluff_below() -> None:
    """Seat 0 bluffed, seat 1 did not: seat 2 may challenge only seat 1."""
    table = Table("w+4 r1 r2", "w+4 y1 y2", "y3 y4 y5", stacking="same", **SILENT)
    table.go("0 w+4:b, 1 w+4:g, 2 challenge")
    assert table.sizes[0] == 2
    assert (table.knows(2, 1), table.knows(2, 0)) == ("y1 y2", "")


def test_stacking_a_draw_four_on_a_draw_two_is_judged_by_the_draw_twos_colour() -> None:
    table = Table("b+2 b1 r2", "w+4 b3 y2", "y3 y4 y5", first="b9", stacking="any", **SILENT)
    table.go("0 b+2, 1 w+4:y, 2 challenge")
    assert table.sizes == [2, 2 + 6, 3]
    assert table.to_move == 2


def test_stacking_a_draw_two_cannot_be_challenged() -> None:
    table = Table("r+2 r1 r2", "y+2 b1 b2", "y1 y2 y3", stacking="same", **SILENT).go("0 r+2")
    assert table.phase == "stack"
    assert table.legal == {"accept", "y+2"}


def test_stacking_a_restricted_draw_four_needs_a_hand_without_the_colour() -> None:
    table = Table("r+2 r1 r2", "w+4 r3 y2", "y1 y2 y3", stacking="any", wild_draw_four="restricted", **SILENT)
    table.go("0 r+2")
    assert table.sizes == [2, 3 + 2, 3]


def test_stacking_same_refuses_a_draw_four_on_a_draw_two() -> None:
    table = Table("r+2 r1 r2", "w+4 y3 y2", "y1 y2 y3", stacking="same", **SILENT).go("0 r+2")
    assert table.sizes == [2, 3 + 2, 3]


def test_stacking_uno_is_called_before_the_answer() -> None:
    table = Table("r+2 r1", "y+2 b1", "y1 y2", stacking="same").go("0 call, 0 r+2")
    assert table.legal == {"accept", "y+2", "call"}
    table.go("1 call, 1 y+2")
    assert table.called == {0, 1}
    assert (table.sizes, table.to_move) == ([1, 1, 2 + 4], 0)


# Stacking × jump-in


def test_jump_in_on_a_draw_two_adds_up_with_stacking() -> None:
    table = Table("r+2 r1 r2", "b1 b2 b3", "r+2 y2 y3", "g1 g2 g3", stacking="same", jump_in=True, **SILENT)
    table.go("0 r+2, 2 jump_in")
    assert table.sizes == [2, 3, 2, 3 + 4]
    assert table.to_move == 0


def test_jump_in_on_a_draw_two_counts_once_without_stacking() -> None:
    table = Table("r+2 r1 r2", "b1 b2 b3", "r+2 y2 y3", "g1 g2 g3", jump_in=True, **SILENT)
    table.go("0 r+2, 2 jump_in")
    assert table.sizes == [2, 3, 2, 3 + 2]


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


# Jump-in × Skip, Reverse, Draw Two


def test_jump_in_with_a_skip_skips_only_after_the_jumper() -> None:
    table = Table("rs r1 r2", "b1 b2 b3", "rs y2 y3", "g1 g2 g3", jump_in=True, **SILENT).go("0 rs, 2 jump_in")
    assert table.to_move == 0


def test_jump_in_with_a_reverse_turns_once() -> None:
    table = Table("rr r1 r2", "b1 b2 b3", "rr y2 y3", "g1 g2 g3", jump_in=True, **SILENT).go("0 rr, 2 jump_in")
    assert (table.direction, table.to_move) == (-1, 1)


def test_jump_in_with_a_draw_two_spares_the_first_victim() -> None:
    table = Table("r+2 r1 r2", "b1 b2 b3", "r+2 y2 y3", "g1 g2 g3", jump_in=True, **SILENT).go("0 r+2, 2 jump_in")
    assert table.sizes == [2, 3, 2, 5]
    assert table.to_move == 0


def test_jump_in_let_go_leaves_the_effect_as_it_was() -> None:
    table = Table("rs r1 r2", "b1 b2 b3", "rs y2 y3", "g1 g2 g3", jump_in=True, **SILENT).go("0 rs, 2 pass")
    assert table.to_move == 2
    assert table.phase == "play"


def test_jump_in_by_who_was_skipped() -> None:
    table = Table("rs r1 r2", "rs b2 b3", "y1 y2 y3", jump_in=True, **SILENT).go("0 rs, 1 jump_in")
    assert table.to_move == 0


def test_jump_in_by_the_last_player_skips_the_next_one() -> None:
    table = Table("rs rs r2", "b1 b2 b3", "y1 y2 y3", jump_in=True, **SILENT).go("0 rs, 0 jump_in")
    assert (table.sizes[0], table.to_move) == (1, 2)


def test_jump_in_is_offered_in_the_direction_of_play() -> None:
    """Play runs counter-clockwise: after seat 2, seat 1 is asked before seat 3, and again when seat 3 has laid."""
    table = Table("rr r1 r2", "b1 b2 r5", "y1 y2 r5", "r6 g2 r5", pile="b3 b4", only=True, jump_in=True, **SILENT)
    table.go("0 rr, 3 r6, 2 r5, 1 pass, 3 jump_in, 1 pass")
    assert table.to_move == 2


# Jump-in × UNO call


def test_jump_in_uno_is_called_before_jumping_in() -> None:
    table = Table("r5 r1", "b1 b2", "r5 y2", jump_in=True).go("0 call, 0 r5")
    assert table.legal == {"jump_in", "pass", "call"}
    table.go("2 call, 2 jump_in")
    assert table.called == {0, 2}
    assert (table.phase, table.to_move) == ("play", 0)


def test_jump_in_without_a_call_can_be_caught() -> None:
    table = Table("r5 r1 r2", "b1 b2 b3", "r5 r5 y3", pile="g1 g2", only=True, jump_in=True, late_call=False)
    table.go("0 r5, 2 jump_in, 2 jump_in")
    assert table.phase == "catch"
    table.go(f"{table.to_move} catch")
    assert (table.hand(2), table.to_move) == ("y3 g1 g2", 0)


def test_jump_in_waits_for_the_window() -> None:
    """Seat 0 lays down to one card without a call; only when that is settled is the twin's holder asked."""
    table = Table("r5 r1", "b1 b2", "r5 y2", jump_in=True).go("0 r5")
    assert table.phase == "catch"
    table.go(f"{table.to_move} {'call' if table.to_move == 0 else 'catch'}")
    assert (table.phase, table.to_move) == ("jump_in", 2)


def test_jump_in_call_lapses_with_the_chance() -> None:
    table = Table("r5 r1", "b1 b2", "r5 y2", jump_in=True).go("0 call, 0 r5, 2 call, 2 pass")
    assert table.called == {0}


def test_jump_in_with_the_last_card_wins() -> None:
    table = Table("r5 r1", "r2 b1", "r3 r5", dealer=0, jump_in=True, **SILENT).go("1 r2, 2 r3, 0 r5, 2 jump_in")
    assert (table.game.winner, table.sizes) == (2, [1, 1, 0])


def test_jump_in_nobody_jumps_on_a_last_card() -> None:
    table = Table("r5", "r5", "y1", jump_in=True, **SILENT).go("0 r5")
    assert table.game.winner == 0


@pytest.mark.parametrize(("go_out_on", "phase"), [("any", "jump_in"), ("not_action", "play")])
def test_jump_in_with_a_last_action_card(go_out_on: str, phase: str) -> None:
    table = Table("rs r1", "r2 b1", "r3 rs", dealer=0, jump_in=True, go_out_on=go_out_on, **SILENT)
    table.go("1 r2, 2 r3, 0 rs")
    assert table.phase == phase


# Seven and zero × last card


@pytest.mark.parametrize("last", ["r7", "r0"])
def test_seven_zero_a_last_card_moves_no_hands(last: str) -> None:
    table = Table(f"{last}", "b1", "y1", seven_zero=True, **SILENT).go(f"0 {last}")
    assert table.game.winner == 0
    assert [table.hand(seat) for seat in range(3)] == ["", "b1", "y1"]


def test_seven_swaps_and_the_other_may_win_with_what_they_got() -> None:
    table = Table("r7 r1", "b1 b2", "y1 y2", seven_zero=True, **SILENT).go("0 r7, 0 swap1")
    assert (table.hand(0), table.hand(1), table.to_move) == ("b1 b2", "r1", 1)
    assert table.go("1 r1").game.winner == 1


def test_zero_passes_hands_on_in_the_direction_of_play() -> None:
    table = Table("rr r1 r2", "b1 b2 b3", "y1 y2 y3", "r0 g2 g3", seven_zero=True, **SILENT).go("0 rr, 3 r0")
    assert [table.hand(seat) for seat in range(4)] == ["b1 b2 b3", "y1 y2 y3", "g2 g3", "r1 r2"]
    assert (table.to_move, table.knows(3, 2), table.knows(1, 0)) == (2, "g2 g3", "b1 b2 b3")


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


def test_seven_a_call_lapses_with_the_hand_it_was_for() -> None:
    table = Table("r7 r1", "b1 b2", "y1 y2", seven_zero=True).go("0 call, 0 r7, 0 swap2")
    assert (table.hand(2), table.called) == ("r1", set())


def test_seven_who_is_given_one_card_need_not_call() -> None:
    table = Table("r7 r1", "b1 b2", "y1 y2", seven_zero=True).go("0 call, 0 r7, 0 swap2")
    assert (table.sizes, table.phase, table.to_move) == ([2, 2, 1], "play", 1)


def test_zero_all_calls_lapse() -> None:
    table = Table("r1 r0", "r3 r4", "r5 r6", dealer=0, seven_zero=True).go("1 call, 1 r3, 2 call, 2 r5, 0 call, 0 r0")
    assert (table.called, table.to_move) == (set(), 1)
    assert [table.hand(seat) for seat in range(3)] == ["r6", "r1", "r4"]


# Wild Shuffle Hands × going out


def test_shuffle_hands_as_a_last_card_wins_and_shuffles_nothing() -> None:
    table = Table("wsh", "b1", "y1", deck="edition_2018", **SILENT).go("0 wsh:r")
    assert table.game.winner == 0
    assert [table.hand(seat) for seat in range(3)] == ["", "b1", "y1"]


def test_shuffle_hands_odd_cards_go_first_to_the_left() -> None:
    table = Table("wsh r1 r2", "b1 b2 b3", "y1 y2 y3", deck="edition_2018", **SILENT).go("0 wsh:r")
    assert table.sizes == [2, 3, 3]
    assert table.to_move == 1


def test_shuffle_hands_to_one_card_need_not_be_called() -> None:
    table = Table("wsh r1", "b1 b2", deck="edition_2018").go("0 call, 0 wsh:r")
    assert (table.sizes, table.called) == ([1, 2], set())
    assert (table.phase, table.to_move) == ("play", 1)


def test_shuffle_hands_makes_all_forget() -> None:
    table = Table("r7 wsh r2", "b1 b2 b3", deck="edition_2018", seven_zero=True, **SILENT).go("0 r7, 0 swap1")
    assert table.knows(0, 1) == "r2 wsh"
    table.go("1 wsh:r")
    assert table.knows(0, 1) == table.knows(1, 0) == ""


# Going out on a Wild Draw Four × challenge


@pytest.mark.parametrize(("answer", "drawn"), [("accept", 4), ("challenge", 6)])
def test_last_draw_four_is_drawn_before_the_count(answer: str, drawn: int) -> None:
    """Who goes out held nothing else: a challenge is always wrong."""
    table = Table("w+4", "b1", "y1", **SILENT).go("0 w+4:r")
    assert (table.phase, table.to_move) == ("challenge", 1)
    table.go(f"1 {answer}")
    assert (table.game.winner, table.sizes) == (0, [0, 1 + drawn, 1])
    assert table.game.points == [table.points_in(1) + table.points_in(2), 0, 0]


def test_last_draw_four_is_not_stacked() -> None:
    table = Table("w+4", "w+4", "y1", stacking="any", **SILENT).go("0 w+4:r")
    assert table.legal == {"accept", "challenge"}


def test_last_draw_two_of_a_stack_has_the_total_drawn() -> None:
    """Seat 2 could stack, but the hand is over."""
    table = Table("y+2 r1", "y1 g+2", "y3 b+2", first="y9", dealer=0, stacking="same", **SILENT)
    table.go("1 y1, 2 y3, 0 y+2, 1 g+2")
    assert (table.game.winner, table.sizes) == (1, [1, 0, 1 + 4])


# Two players × Reverse × every rule that uses the direction


def test_two_players_a_reverse_is_a_skip_and_the_direction_stays() -> None:
    table = Table("rr r1 r2", "b1 b2 b3", **SILENT).go("0 rr")
    assert (table.to_move, table.direction) == (0, 1)


def test_two_players_a_reverse_that_reverses_gives_the_turn_away() -> None:
    table = Table("rr r1 r2", "b1 b2 b3", two_player_reverse="reverse", **SILENT).go("0 rr")
    assert (table.to_move, table.direction) == (1, -1)


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
@pytest.mark.parametrize(
    ("card", "drawn", "next_seat"), [("r+2", 2, 0), ("rs", 0, 0), ("r5", 0, 1), ("wd2:g", 2, 1), ("w+4:g", 4, 0)]
)
def test_two_players_cards_after_a_reverse(reverse: str, moves: str, card: str, drawn: int, next_seat: int) -> None:
    """Each card does the same whichever way play runs."""
    rules: dict[str, Any] = {"deck": "h2o", "wild_draw_four": "free", **SILENT}
    table = Table(f"rr {card.split(':')[0]} r2", "r3 b2 b3", two_player_reverse=reverse, **rules).go(moves)
    held = table.sizes[1]
    table.go(f"0 {card}")
    assert (table.sizes, table.to_move) == ([1, held + drawn], next_seat)


@pytest.mark.parametrize(("reverse", "moves"), [("skip", "0 rr"), ("reverse", "0 rr, 1 r3")])
def test_two_players_zero_and_seven_after_a_reverse(reverse: str, moves: str) -> None:
    """With two, to pass hands on is to swap them."""
    for card, choice in (("r0", ""), ("r7", ", 0 swap1")):
        table = Table(f"rr {card} r2", "r3 b2 b3", two_player_reverse=reverse, seven_zero=True, **SILENT)
        table.go(moves + f", 0 {card}" + choice)
        assert (table.hand(1), table.to_move) == ("r2", 1)


def test_two_players_stacking_after_a_reverse() -> None:
    table = Table("rr r+2 r2", "y+2 b2 b3", stacking="same", two_player_reverse="skip", **SILENT)
    table.go("0 rr, 0 r+2, 1 y+2")
    assert (table.sizes, table.to_move) == ([1 + 4, 2], 1)


def test_two_players_skip_all_lets_the_same_player_go_on() -> None:
    table = Table("wcu r1 r2", "b1 b2 b3", deck="edition_2018", customizable_effect="skip_all", **SILENT)
    assert table.go("0 wcu:r").to_move == 0


# First card × each kind (the last seat deals)


@pytest.mark.parametrize(
    ("first", "rules", "begins", "direction", "sizes"),
    [
        ("r5", {}, 0, 1, [2, 2, 2]),
        ("r7", {"seven_zero": True}, 0, 1, [2, 2, 2]),
        ("r0", {"seven_zero": True}, 0, 1, [2, 2, 2]),
        ("r6", {"six_smackdown": True}, 0, 1, [2, 2, 2]),
        ("rs", {}, 1, 1, [2, 2, 2]),
        ("rr", {}, 2, -1, [2, 2, 2]),
        ("rr", {"first_reverse": "right_of_dealer"}, 1, -1, [2, 2, 2]),
        ("r+2", {}, 1, 1, [4, 2, 2]),
        ("w", {}, 0, 1, [2, 2, 2]),
        ("w+4 r5", {}, 0, 1, [2, 2, 2]),
        ("wsh r5", {}, 0, 1, [2, 2, 2]),
        ("wcu rs", {}, 1, 1, [2, 2, 2]),
        ("w r5", {"first_card": "effects_no_wild"}, 0, 1, [2, 2, 2]),
        ("w r+2", {"first_card": "effects_no_wild"}, 1, 1, [4, 2, 2]),
        ("rs rr r+2 w w+4 r5", {"first_card": "number"}, 0, 1, [2, 2, 2]),
    ],
)
def test_first_card(first: str, rules: dict[str, Any], begins: int, direction: int, sizes: list[int]) -> None:
    table = Table("b1 b2", "y1 y2", "g1 g2", first=first, deck="edition_2018", **rules, **SILENT)
    assert (table.top, table.to_move, table.direction, table.sizes) == (first.split()[-1], begins, direction, sizes)
    assert table.discards == table.top
    assert table.phase == ("first_colour" if first == "w" else "play")


def test_first_wild_its_colour_is_declared_by_who_begins() -> None:
    table = Table("b1 b2", "y1 y2", "g1 g2", first="w", **SILENT).go("0 colour:b")
    assert (table.to_move, table.phase, table.colour) == (0, "play", "blue")
    assert table.legal == {"b1", "b2", "draw"}


def test_first_draw_two_can_be_stacked() -> None:
    table = Table("b+2 b2", "y1 y2", "g1 g2", first="r+2", stacking="same", **SILENT)
    assert (table.phase, table.to_move, table.legal) == ("stack", 0, {"accept", "b+2"})
    table.go("0 b+2")
    assert (table.sizes, table.to_move) == ([1, 2 + 4, 2], 2)


@pytest.mark.parametrize("first", ["r5", "rs", "r+2"])
def test_first_card_nobody_jumps_in_on_it(first: str) -> None:
    table = Table(f"{first} b2", "y1 y2", "g1 g2", first=first, jump_in=True, **SILENT)
    assert table.phase == "play"


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


def test_illegal_first_colour_on_a_draw_four_is_drawn_and_the_turn_passes() -> None:
    table = Table("r1 g2", "b1 b2", first="w+4", first_card="effects_all", illegal_action="penalty", **SILENT)
    table.go("0 draw")
    assert (table.sizes, table.to_move, table.colour is not None) == ([4, 2], 1, True)


# Draw pile empty × each drawing rule


def test_empty_pile_draw_one_takes_from_the_discards() -> None:
    table = Table("r1 b2 b3", "r2 y2 y3", first="r9", only=True, **SILENT).go("0 r1, 1 r2")
    assert (table.pile, table.discards) == ("", "r1 r2 r9")
    table.go("0 draw")
    assert (table.sizes, table.discards) == ([3, 2], "r2")
    assert len(table.pile.split()) == 1


def test_empty_pile_until_playable_goes_on_with_the_discards() -> None:
    """The drawn greens cannot be played on a red 2; of the discards, the red 1 and the red 9 can."""
    table = Table("r1 b3 b4", "r2 y2 y3", first="r9", pile="g4 g5", only=True, draw="until_playable", **SILENT)
    table.go("0 r1, 1 r2, 0 draw")
    assert table.phase == "drawn"
    assert table.hand(0) in ("r1 g4 g5 b3 b4", "r9 g4 g5 b3 b4")
    assert len(table.pile.split()) == 1


def test_empty_pile_until_playable_with_nothing_playable_ends_the_turn() -> None:
    table = Table("b1 b2", "r2 y3", first="r9", pile="g4 g5", only=True, draw="until_playable", **SILENT)
    table.go("0 draw")
    assert (table.sizes, table.pile, table.to_move) == ([4, 2], "", 1)


def test_empty_pile_a_draw_two_takes_what_there_is() -> None:
    table = Table("r+2 r1 b3", "y1 y2 y3", first="r9", only=True, **SILENT).go("0 r+2")
    assert (table.sizes, table.hand(1), table.to_move) == ([2, 4], "r9 y1 y2 y3", 0)


def test_empty_pile_a_caught_player_takes_what_there_is() -> None:
    table = Table("r1 b3", "y1 y2", first="r9", only=True, late_call=False).go("0 r1, 1 catch")
    assert (table.hand(0), table.to_move) == ("r9 b3", 1)


def test_empty_pile_a_wrong_challenger_takes_what_there_is() -> None:
    table = Table("w+4 b3 b4", "y1 y2 y3", first="r9", pile="g1", only=True, **SILENT).go("0 w+4:b, 1 challenge")
    assert (table.sizes, table.to_move) == ([2, 3 + 2], 0)


def test_empty_pile_a_downpour_is_drawn_in_the_order_of_play() -> None:
    table = Table("wd2 r1 r2", "b1 b2 b3", "y1 y2 y3", first="r9", pile="g1 g2", only=True, **SILENT).go("0 wd2:r")
    assert [table.hand(seat) for seat in range(3)] == ["r1 r2", "g1 g2 b1 b2 b3", "r9 y1 y2 y3"]


def test_empty_pile_the_last_to_slap_takes_what_there_is() -> None:
    table = Table("r6 r1 r2", "b1 b2 b3", first="r9", only=True, six_smackdown=True, reflexes=(0, 1), **SILENT)
    table.go("0 r6")
    assert table.hand(1) == "r9 b1 b2 b3"


def test_empty_pile_an_illegal_action_costs_what_there_is() -> None:
    table = Table("r1 b2 b3", "y1 y2 y3", first="r9", only=True, illegal_action="penalty", **SILENT)
    table.go("0 r1, 1 b2")
    assert (table.hand(1), table.to_move) == ("r9 y1 y2 y3", 0)


def test_empty_pile_wilds_come_back_without_a_colour() -> None:
    table = Table("w b2 b3", "r2 y2 y3", first="r9", only=True, **SILENT).go("0 w:r, 1 r2, 0 draw")
    assert set(f"{table.hand(0)} {table.pile}".split()) == {"b2", "b3", "w", "r9"}


# Everyone holds everything


def test_nothing_to_draw_drawing_ends_the_turn() -> None:
    table = Table("b1 b2", "r1 y2", first="r9", only=True, **SILENT)
    assert (table.pile, table.legal) == ("", {"draw"})
    table.go("0 draw")
    assert (table.sizes, table.to_move, table.phase) == ([2, 2], 1, "play")


def test_nothing_to_draw_and_nobody_can_play_truncates_the_hand() -> None:
    table = Table("b1 b2", "y1 y2", first="r9", only=True, **SILENT).go("0 draw")
    assert (table.game.end, table.game.winner, table.game.points) == ("stalled", None, [0, 0])


def test_nothing_to_draw_a_match_goes_on_after_a_stalled_hand() -> None:
    rules = Rules(players=2, hand_size=2, deck="b1 b2 y1 y2 r9", dealer="fixed", dealer_seat=1, **SILENT)
    table = Table.of(Game(rules, deck="b1 y1 b2 y2 r9", dealer=1, match=True)).go("0 draw")
    assert (table.game.hands_played, table.game.hand_end, table.game.scores) == (1, "stalled", [0, 0])
    assert table.game.record.dealer == 0


def test_nothing_to_draw_a_caught_player_draws_nothing() -> None:
    table = Table("rr b3", "y1 y2", first="rs", dealer=0, only=True, late_call=False)
    table.go("0 rr, 1 catch")
    assert table.sizes == [2, 2]


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


def test_elimination_down_to_two_only_those_slap() -> None:
    table = two_left_with("5", "6", six_smackdown=True, reflexes=(0, 1, 0, 1))
    table.go(f"2 {table.colour[0]}6")
    assert table.sizes in ([4, 0, 1, 0], [2, 0, 3, 0])


def test_elimination_ends_when_one_is_left() -> None:
    """Seat 2 goes out with a pair, and seat 0 is left with too many points."""
    tables = (two_left(seed) for seed in range(10_000))
    table = next(
        table
        for table in tables
        if table.to_move == 2 and any(play.endswith("x2") for play in table.legal) and table.points_in(0) >= 40
    )
    left = table.points_in(0)
    table.go(next(f"2 {play}" for play in table.legal if play.endswith("x2")))
    assert (table.game.over, table.game.winner, table.game.scores) == (True, 2, [left, 100, 5, 100])
