"""GUIDE.md 10.2: Seven-O. Switch: ``seven_zero``."""

from typing import Any

import pytest

from tests.helpers.table import Table

HANDS = ("r7 r1 r2", "y1 y2 y3", "g1 g2 g3", "b1 b2 b3")
ZERO = ("r0 r1 r2", "y1 y2 y3", "g1 g2 g3", "b1 b2 b3")


def _table(*hands: str | None, **changes: Any) -> Table:
    return Table(*hands, **{"seven_zero": True, "uno_call": "automatic", **changes})


def test_10_2_off_a_seven_and_a_zero_are_numbers() -> None:
    table = _table(*HANDS, seven_zero=False).go("0 r7")
    assert (table.phase, table.to_move) == ("play", 1)
    assert _table(*ZERO, seven_zero=False).go("0 r0").hands == ["r1 r2", *ZERO[1:]]


@pytest.mark.parametrize("place", [1, 2, 3])
def test_10_2_a_seven_swaps_hands_with_a_player_of_ones_choice(place: int) -> None:
    table = _table(*HANDS).go("0 r7")
    assert (table.phase, table.to_move, table.legal) == ("swap", 0, {"swap1", "swap2", "swap3"})
    table.go(f"0 swap{place}")
    expected = ["r1 r2", *HANDS[1:]]
    expected[0], expected[place] = expected[place], expected[0]
    assert (table.hands, table.to_move, table.phase) == (expected, 1, "play")


def test_10_2_places_count_to_the_left_whatever_the_direction() -> None:
    table = _table("y1 y2 y3", "g1 g2 g3", "r7 r1 r2", first="rr").go("2 r7, 2 swap1")
    assert (table.hands, table.to_move) == (["r1 r2", "g1 g2 g3", "y1 y2 y3"], 1)


def test_10_2_with_one_opponent_the_choice_is_asked_for_all_the_same() -> None:
    table = _table("r7 r1 r2", "y1 y2 y3").go("0 r7")
    assert (table.phase, table.legal) == ("swap", {"swap1"})
    assert table.go("0 swap1").hands == ["y1 y2 y3", "r1 r2"]


def test_10_2_a_zero_passes_all_hands_on_in_the_direction_of_play() -> None:
    table = _table(*ZERO).go("0 r0")
    assert (table.hands, table.to_move) == (["b1 b2 b3", "r1 r2", "y1 y2 y3", "g1 g2 g3"], 1)


def test_10_2_counter_clockwise_a_zero_passes_them_to_the_right() -> None:
    table = _table("y1 y2 y3", "g1 g2 g3", "r0 r1 r2", first="rr").go("2 r0")
    assert (table.hands, table.to_move) == (["g1 g2 g3", "r1 r2", "y1 y2 y3"], 1)


@pytest.mark.parametrize("players", [2, 10])
def test_10_2_a_zero_at_two_and_ten_players(players: int) -> None:
    table = _table("r0 y1 y2", *[None] * (players - 1))
    before = table.hands
    table.go("0 r0")
    assert table.hands == [before[-1], "y1 y2", *before[1:-1]]


@pytest.mark.parametrize("card", ["r7", "r0"])
def test_10_2_not_if_the_card_was_the_last_one(card: str) -> None:
    table = _table(card, "y1", "g1").go(f"0 {card}")
    assert (table.game.over, table.game.winner, table.hands) == (True, 0, ["", "y1", "g1"])


@pytest.mark.parametrize("card", ["r7", "r0"])
def test_10_2_a_first_seven_or_zero_moves_no_hands(card: str) -> None:
    table = _table("r1 r2", "y1 y2", first=card)
    assert (table.phase, table.hands) == ("play", ["r1 r2", "y1 y2"])


def test_10_2_a_drawn_seven_swaps_too() -> None:
    table = _table("b1 b2", "y1 y2", pile="r7").go("0 draw, 0 r7, 0 swap1")
    assert table.hands == ["y1 y2", "b1 b2"]


class TestKnowledge:
    """Players know the cards they gave away until those are played."""

    def test_10_2_after_a_swap_each_of_the_two_knows_what_they_gave_away(self) -> None:
        table = _table(*HANDS).go("0 r7, 0 swap2")
        assert (table.knows(0, 2), table.knows(2, 0)) == ("r1 r2", "g1 g2 g3")
        assert [table.knows(seat, other) for seat in (1, 3) for other in (0, 2)] == [""] * 4
        assert (table.knows(0, 1), table.knows(2, 1)) == ("", "")

    def test_10_2_after_a_zero_everyone_knows_what_they_gave_away(self) -> None:
        table = _table(*ZERO).go("0 r0")
        assert [table.knows(seat, (seat + 1) % 4) for seat in range(4)] == ["r1 r2", "y1 y2 y3", "g1 g2 g3", "b1 b2 b3"]
        assert [table.knows(seat, (seat + 2) % 4) for seat in range(4)] == [""] * 4

    def test_10_2_until_those_are_played(self) -> None:
        table = _table("r7 r1 b2", "y1 r3 y3", "g1 g2 g3").go("0 r7, 0 swap1, 1 r1")
        assert (table.knows(0, 1), table.knows(1, 0)) == ("b2", "r3 y1 y3")

    def test_10_2_what_was_known_moves_on_with_the_hand(self) -> None:
        """Seat 0 swaps with seat 1, whose new hand then goes to seat 2 by a zero."""
        table = _table("r7 r1 r2", "y1 y2 y3", "g1 g2 g3", first="r9", pile="r0")
        table.go("0 r7, 0 swap1, 1 draw, 1 r0")
        assert table.hand(2) == "r1 r2"
        assert (table.knows(0, 2), table.knows(1, 2)) == ("r1 r2", "r1 r2")
        assert table.hand(1) == "y1 y2 y3"
        assert (table.knows(0, 1), table.knows(1, 0)) == ("y1 y2 y3", "")

    def test_10_2_cards_seen_in_a_challenge_move_with_the_hand(self) -> None:
        """Seat 1 has seen seat 0's hand; a zero then brings it to seat 1, and seat 1's own to seat 2."""
        table = _table("w+4 b5 g1 g2", "y0 y2 y3 y4", "b1 b2 b3 b4", first="b9", pile="r1 r2 r3 r4")
        table.go("0 w+4:y, 1 challenge, 1 y0")
        assert table.hand(1) == "r1 r2 r3 r4 g1 g2 b5"
        assert (table.knows(1, 2), table.knows(1, 0)) == ("y2 y3 y4", "")

    def test_10_2_cards_seen_in_a_challenge_are_known_wherever_the_hand_goes(self) -> None:
        table = _table("w+4 b5 g1 g2", "y1 y2 y3 y4", "y7 b2 b3 b4", first="b9", pile="r1 r2 r3 r4")
        table.go("0 w+4:y, 1 challenge, 1 y1, 2 y7")
        assert table.knows(1, 0) == "g1 g2 b5"
        table.go("2 swap1")
        assert (table.hand(2), table.knows(1, 2)) == ("r1 r2 r3 r4 g1 g2 b5", "g1 g2 b5")
        assert (table.knows(2, 0), table.knows(0, 2)) == ("b2 b3 b4", "r1 r2 r3 r4 g1 g2 b5")

    def test_10_2_who_gets_a_hand_back_has_nothing_to_remember_of_it(self) -> None:
        table = _table("r7 r1 r2", "r7 y2 y3").go("0 r7, 0 swap1")
        assert (table.hand(0), table.hand(1)) == ("r7 y2 y3", "r1 r2")
        table.go("1 r1, 0 r7, 0 swap1")
        assert (table.hand(0), table.hand(1)) == ("r2", "y2 y3")
        assert (table.knows(0, 1), table.knows(1, 0)) == ("y2 y3", "r2")

    def test_10_2_who_drew_on_a_colour_is_told_of_the_hand_and_moves_with_it(self) -> None:
        table = _table("b1 b7 b2", "b9 y1 y2", "y3 y4 y5", pile="g1 g2").go("0 draw, 1 b9, 2 draw, 0 b7, 0 swap1")
        drew_on = table.sees(2, "drew_on").reshape(-1, 4)
        assert drew_on[2, 0] >= 1, "seat 1 holds the hand now that drew on red"


def test_10_2_a_call_lapses_when_its_players_hand_changes() -> None:
    table = _table("r7 g2", "y1 y2", "b1 b2", uno_call="declared").go("0 call, 0 r7, 0 swap1")
    assert (table.called, table.sizes) == (set(), [2, 1, 2])


def test_10_2_nobody_has_to_call_for_a_card_that_came_with_a_hand() -> None:
    table = _table("r7 g2", "y1 y2", "b1 b2", uno_call="declared").go("0 call, 0 r7, 0 swap1")
    assert (table.phase, table.to_move) == ("play", 1)
