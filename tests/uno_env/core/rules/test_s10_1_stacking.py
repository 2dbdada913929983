"""GUIDE.md 10.1: draw cards answered with draw cards. Switch: ``stacking``."""

from typing import Any

import pytest

from tests.helpers.table import Table


def _table(*hands: str | None, **changes: Any) -> Table:
    return Table(*hands, **{"stacking": "same", "wild_draw_four": "free", "uno_call": "automatic", **changes})


@pytest.mark.parametrize(
    ("stacking", "laid", "answers"),
    [
        ("off", "r+2", ""),
        ("off", "w+4", ""),
        ("same", "r+2", "g+2"),
        ("same", "w+4", "w+4"),
        ("any", "r+2", "g+2 w+4"),
        ("any", "w+4", "w+4"),
        ("both", "r+2", "g+2 w+4"),
        ("both", "w+4", "w+4"),
    ],
)
def test_10_1_which_cards_answer_a_draw_card(stacking: str, laid: str, answers: str) -> None:
    table = _table(f"{laid} r1 r2", "g+2 w+4 y1", "b1 b2 b3", stacking=stacking)
    table.go(f"0 {laid}" if laid == "r+2" else f"0 {laid}:y")
    if answers:
        assert (table.phase, table.to_move, table.legal) == ("stack", 1, {"accept", *answers.split()})
    else:
        number = 2 if laid == "r+2" else 4
        assert (table.phase, table.to_move, table.sizes) == ("play", 2, [2, 3 + number, 3])


def test_10_1_an_answer_adds_to_the_penalty_and_passes_it_on() -> None:
    table = _table("r+2 r1 r2", "g+2 y1 y2", "b+2 b1 b2", "y3 y4 y5").go("0 r+2")
    assert (table.sees(1, "penalty"), table.sees(3, "penalty")) == (2, 0)  # the others see it drawn (12)
    table.go("1 g+2")
    assert (table.to_move, table.phase) == (2, "stack")
    assert (table.sees(2, "penalty"), table.sees(3, "penalty")) == (4, 0)
    table.go("2 b+2")
    assert (table.sizes, table.to_move, table.phase) == ([2, 2, 2, 9], 0, "play")
    assert (table.top, table.colour, table.sees(3, "penalty")) == ("b+2", "blue", 0)


def test_10_1_who_will_not_stack_draws_it_all_and_misses_the_turn() -> None:
    table = _table("r+2 r1 r2", "g+2 y1 y2", "b+2 b1 b2").go("0 r+2, 1 g+2, 2 accept")
    assert (table.sizes, table.to_move, table.phase) == ([2, 2, 7], 0, "play")


def test_10_1_who_cannot_stack_is_not_asked() -> None:
    table = _table("r+2 r1 r2", "y3 y1 y2", None).go("0 r+2")
    assert (table.sizes, table.to_move, table.phase) == ([2, 5, 3], 2, "play")


def test_10_1_counter_clockwise_the_penalty_passes_to_the_right() -> None:
    table = _table("y+2 y1 y2", "b+2 b2 b3", "r+2 r1 r2", first="rr").go("2 r+2")
    assert (table.phase, table.to_move) == ("stack", 1)
    table.go("1 b+2")
    assert (table.phase, table.to_move) == ("stack", 0)
    assert table.go("0 y+2").sizes == [2, 2, 8]


def test_10_1_two_players_pass_it_to_and_fro() -> None:
    table = _table("r+2 y+2 r2", "g+2 y1 y2").go("0 r+2, 1 g+2, 0 y+2")
    assert (table.sizes, table.to_move) == ([1, 8], 0)


def test_10_1_any_a_stack_of_both_and_only_a_draw_four_answers_a_draw_four() -> None:
    table = _table("r+2 r1 r2", "w+4 y1 y2", "w+4 g+2 b2", "b+2 y3 y4", stacking="any").go("0 r+2, 1 w+4:y")
    assert (table.sees(2, "penalty"), table.sees(0, "penalty")) == (6, 0)
    assert table.legal == {"accept", "w+4"}
    table.go("2 w+4:g")
    assert table.sizes == [2, 2, 2, 13]


def test_10_1_both_a_draw_two_of_the_declared_colour_answers_a_draw_four() -> None:
    table = _table("w+4 r1 r2", "g+2 y+2 y1", "w+4 g+2 b2", "b+2 y3 y4", stacking="both").go("0 w+4:y")
    assert table.legal == {"accept", "y+2"}
    table.go("1 y+2")
    assert (table.sees(2, "penalty"), table.legal) == (6, {"accept", "w+4", "g+2"})
    assert table.go("2 g+2, 3 accept").sizes == [2, 2, 2, 11]


def test_10_1_both_a_bluff_is_challenged_or_stacked_on() -> None:
    table = _table("w+4 r1 r2", "y+2 y1 y3", None, stacking="both", wild_draw_four="bluff").go("0 w+4:y")
    assert (table.phase, table.legal) == ("challenge", {"accept", "challenge", "y+2"})
    table.go("1 y+2")
    assert (table.phase, table.sizes) == ("play", [2, 2, 9])


def test_10_1_a_draw_two_answers_a_draw_two_of_any_colour() -> None:
    table = _table("r+2 r1 r2", "g+2 y1 y2", None, action_match="colour").go("0 r+2")
    assert "g+2" in table.legal


@pytest.mark.parametrize(("hand", "legal"), [("w+4 g1 g2", True), ("w+4 r1 g2", False)])
def test_10_1_a_draw_four_laid_on_a_stack_must_be_legal_as_one_laid_in_a_turn(hand: str, legal: bool) -> None:
    table = _table("r+2 r3 r2", hand, None, stacking="any", wild_draw_four="restricted").go("0 r+2")
    assert (table.phase == "stack") == legal


def test_10_1_on_a_last_card_nobody_stacks_the_total_is_drawn() -> None:
    table = _table("r+2", "g+2", "b+2").go("0 r+2")
    assert (table.game.winner, table.sizes) == (0, [0, 3, 1])


def test_10_1_an_answer_can_be_the_last_card() -> None:
    table = _table("r+2 r1", "r3 g+2", "r4 b+2", pile="y1").go("0 r1, 1 r3, 2 r4, 0 r+2")
    assert (table.game.winner, table.sizes) == (0, [0, 3, 1]), "nobody answers a last card"
    table = _table("r1 r+2", "r3 g+2", "r4 b5", "r6 b7").go("0 r+2, 1 g+2")
    assert (table.game.over, table.sizes) == (False, [1, 1, 6, 2])
    table = _table("r1", "g+2", first="r+2", dealer=0).go("1 g+2")
    assert (table.game.winner, table.sizes) == (1, [5, 0])


def test_10_1_a_first_draw_two_can_be_answered() -> None:
    table = _table("g+2 r1 r2", "y1 y2 y3", "b1 b2 b3", first="r+2")
    assert (table.phase, table.to_move, table.legal) == ("stack", 0, {"accept", "g+2"})
    table.go("0 g+2")
    assert (table.sizes, table.to_move) == ([2, 7, 3], 2)


def test_10_1_the_stack_is_over_once_it_is_drawn() -> None:
    table = _table("r+2 r1 r2", "g+2 y1 y2", "b+2 r3 r4").go("0 r+2, 1 accept, 2 b+2")
    assert table.sizes == [4, 5, 2]


@pytest.mark.parametrize(("go_out_on", "sizes"), [("any", [1, 1]), ("not_action", [1, 3])])
def test_10_1_not_action_a_draw_two_as_the_last_card_is_no_answer(go_out_on: str, sizes: list[int]) -> None:
    table = _table("r1", "g+2", first="r+2", dealer=0, go_out_on=go_out_on)
    assert (table.phase == "stack", table.sizes) == (go_out_on == "any", sizes)


@pytest.mark.parametrize(("go_out_on", "sizes"), [("any", [1, 1]), ("not_action", [1, 1]), ("number", [1, 3])])
def test_10_1_number_a_wild_draw_four_as_the_last_card_is_no_answer(go_out_on: str, sizes: list[int]) -> None:
    table = _table("r1", "w+4", first="r+2", dealer=0, go_out_on=go_out_on, stacking="any")
    assert (table.phase == "stack", table.sizes) == (go_out_on != "number", sizes)


@pytest.mark.parametrize(("cards", "may"), [("g+2 y1", True), ("g+2 y1 y2", False)])
def test_10_1_with_two_cards_one_calls_before_the_answer(cards: str, may: bool) -> None:
    size = len(cards.split())
    table = _table("r+2 r1 r2" if size == 3 else "r+2 r1", cards, None, uno_call="declared")
    table.go("0 call, 0 r+2" if size == 2 else "0 r+2")
    assert (table.phase, "call" in table.legal) == ("stack", may)
    if may:
        table.go("1 call, 1 g+2")
        assert (1 in table.called, table.phase) == (True, "play")


class TestChallenge:
    """With ``bluff`` the one who must draw may challenge the last Wild Draw Four."""

    def _asked(self, hand: str, stacking: str = "same") -> Table:
        """Seat 1 has answered a Wild Draw Four on a blue 9 with its own; seat 2 is asked about eight cards."""
        table = _table("w+4 g1 g2 g3", hand, "w+4 y3 y4 y5", first="b9", wild_draw_four="bluff", stacking=stacking)
        return table.go("0 w+4:r, 1 w+4:y")

    def test_10_1_the_one_who_must_draw_may_accept_challenge_or_stack(self) -> None:
        table = self._asked("w+4 r1 y1 y2")
        assert (table.phase, table.to_move, table.legal) == ("challenge", 2, {"accept", "challenge", "w+4"})
        assert table.sees(2, "penalty") == 8

    def test_10_1_guilty_its_player_draws_the_whole_pile_of_penalties(self) -> None:
        table = self._asked("w+4 r1 y1 y2").go("2 challenge")
        assert (table.sizes, table.to_move, table.phase) == ([3, 11, 4], 2, "play")

    def test_10_1_innocent_the_challenger_draws_it_plus_two(self) -> None:
        table = self._asked("w+4 b1 y1 y2").go("2 challenge")
        assert (table.sizes, table.to_move, table.phase) == ([3, 3, 14], 0, "play")

    def test_10_1_only_the_last_one_can_be_challenged(self) -> None:
        """Seat 0 bluffed, seat 1 did not: who challenges now pays."""
        table = _table("w+4 b1 g2 g3", "w+4 g4 y1 y2", "y3 y4 y5 y6", first="b9", wild_draw_four="bluff")
        table.go("0 w+4:r, 1 w+4:y, 2 challenge")
        assert table.sizes == [3, 3, 14]
        assert table.knows(2, 1) == "y1 y2 g4"
        assert table.knows(2, 0) == ""

    def test_10_1_a_draw_two_on_top_of_a_stack_cannot_be_challenged(self) -> None:
        table = _table("r+2 g1 g2", "b+2 y1 y2", "y+2 y3 y4", wild_draw_four="bluff").go("0 r+2, 1 b+2")
        assert (table.phase, table.refuses("challenge")) == ("stack", True)

    def test_10_1_accept_draws_the_whole_stack(self) -> None:
        table = self._asked("w+4 r1 y1 y2").go("2 accept")
        assert (table.sizes, table.to_move) == ([3, 3, 12], 0)
