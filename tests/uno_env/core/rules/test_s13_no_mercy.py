"""GUIDE.md 13: the cards of No Mercy. Mercy itself is in test_s13_5_mercy.py."""

from typing import Any

import pytest

from tests.helpers.table import Table
from uno_env import Rules
from uno_env.editions import EDITIONS
from uno_env.invariants import find_faults


def _table(*hands: str | None, **changes: Any) -> Table:
    return Table(*hands, preset="no_mercy", **{"uno_call": "automatic", **changes})


class TestDeckAndDeal:
    def test_13_two_of_each_number_three_or_two_of_each_action_and_24_wilds(self) -> None:
        counts = dict(zip(EDITIONS["no_mercy"].texts, Rules.preset("no_mercy").deck_counts, strict=True))
        each = {**dict.fromkeys("0123456789", 2), "s": 3, "r": 3, "+2": 3, "da": 3, "+4": 2, "se": 2}
        wilds = {"wr+4": 8, "w+6": 4, "w+10": 4, "wcr": 8}
        assert counts == {colour + symbol: count for colour in "rygb" for symbol, count in each.items()} | wilds
        assert sum(counts.values()) == 168

    def test_13_only_a_number_lies_first(self) -> None:
        table = _table("r1 r2", "y1 y2", first="rs w+10 rda bse g+4 wcr r5")
        assert (table.top, table.to_move, table.sizes) == ("r5", 0, [2, 2])

    @pytest.mark.parametrize("first", ["wr+4", "w+6", "w+10"])
    def test_13_a_wild_draw_card_lies_first_where_a_wild_draw_four_may(self, first: str) -> None:
        table = _table("r1 r2", "y1 y2", first=first, first_card="effects_all")
        assert (table.top, table.phase, table.direction, table.sizes) == (first, "first_colour", 1, [2, 2])
        assert table.game.rules.may_lie_first(int(table.game.record.top))


class TestSevenAndZero:
    def test_13_a_seven_must_swap_and_a_zero_must_pass_hands_on(self) -> None:
        table = _table("r7 r1 r2", "r0 y1 y2", "g1 g2 g3").go("0 r7")
        assert (table.phase, table.legal) == ("swap", {"swap1", "swap2"})
        table.go("0 swap2, 1 r0")
        assert table.hands == ["r1 r2", "g1 g2 g3", "y1 y2"]

    def test_13_a_zero_passes_to_the_next_player_who_is_not_out(self) -> None:
        table = _table("r+2 r1 r2", "y1 y2 y3", "r0 g1 g2", "b1 b2 b3", mercy=5).go("0 r+2, 2 r0")
        assert (table.out, table.hands) == ({1}, ["b1 b2 b3", "", "r1 r2", "g1 g2"])

    def test_13_what_is_known_of_a_hand_travels_with_it(self) -> None:
        table = _table("wcr r1 r2", "y1 y2 y3", "b0 g1 g2", pile="w+6 b5").go("0 wcr, 1 colour:b, 2 b0")
        assert [table.knows(seat, 2) for seat in (0, 1)] == ["b5 w+6", "y1 y2 y3 b5 w+6"]

    def test_13_who_played_and_then_holds_one_card_must_call(self) -> None:
        table = _table("rse r1 b5", "r7 y1 y2", None, uno_call="declared").go("0 rse, 0 call, 0 r1, 1 r7, 1 swap1")
        assert table.phase == "play"
        table = _table("rse r1 b5", "r7 y1 y2", uno_call="declared").go("0 rse, 0 call, 0 r1, 1 r7, 1 swap1")
        assert (table.hand(1), table.phase, table.called) == ("b5", "catch", set())

    def test_13_a_call_for_a_discard_all_waits_until_the_hands_have_moved(self) -> None:
        """A batch in such a state is as possible as any other: it can be saved and go on."""
        table = _table("r7 rda r1 b5", "y1 y2 y3 y4", uno_call="declared").go("0 call, 0 r7")
        assert (table.phase, table.sizes, find_faults(table.game.record, table.game.rules)) == ("swap", [3, 4], [])

    def test_13_the_call_of_who_swaps_stands_if_one_card_is_held_then(self) -> None:
        table = _table("r1 b5", "r7 y1", uno_call="declared").go("0 call, 0 r1, 1 call, 1 r7, 1 swap1")
        assert (table.hands, table.phase, table.called) == (["y1", "b5"], "play", {1})


class TestAnswers:
    @pytest.mark.parametrize(
        ("stacking", "laid", "answers"),
        [
            ("off", "r+2", ""),
            ("off", "w+6", ""),
            ("same", "r+2", "g+2"),
            ("same", "r+4", "y+4"),
            ("same", "wr+4", "wr+4"),
            ("same", "w+6", "w+6"),
            ("any", "r+2", "g+2 wr+4 w+6 w+10"),
            ("any", "r+4", "y+4 wr+4 w+6 w+10"),
            ("any", "w+6", "w+6"),
            ("both", "r+2", "g+2 wr+4 w+6 w+10"),
            ("both", "w+6", "y+4 w+6"),
            ("value", "r+2", "g+2 y+4 wr+4 w+6 w+10"),
            ("value", "r+4", "y+4 wr+4 w+6 w+10"),
            ("value", "wr+4", "y+4 wr+4 w+6 w+10"),
            ("value", "w+6", "w+6 w+10"),
            ("value", "w+10", "w+10"),
        ],
    )
    def test_13_which_cards_answer_a_draw_card(self, stacking: str, laid: str, answers: str) -> None:
        hand = "g+2 y+4 wr+4 w+6 w+10 wcr rs y1"
        table = _table(f"{laid} r1 r2 r3 r4 r5 r6 r8", hand, stacking=stacking)
        table.go(f"0 {laid}" if laid[0] == "r" else f"0 {laid}:y")
        if answers:
            assert (table.phase, table.to_move, table.legal) == ("stack", 1, {"accept", *answers.split()})
        else:
            assert (table.phase, table.to_move, table.sizes[1]) == ("play", 0, 8 + int(laid.partition("+")[2]))

    def test_13_an_answer_adds_up_and_passes_the_penalty_on(self) -> None:
        table = _table("r+2 r1 r2", "g+4 y1 y2", "w+6 b1 b2", "y3 y4 y5").go("0 r+2, 1 g+4")
        assert (table.to_move, table.phase, table.colour, table.sees(2, "penalty").tolist()) == (
            2,
            "stack",
            "green",
            [6, 4],
        )
        table.go("2 w+6:b")
        assert (table.sizes, table.to_move, table.phase, table.colour) == ([2, 2, 2, 15], 0, "play", "blue")

    def test_13_after_a_wild_reverse_draw_four_the_player_before_is_asked(self) -> None:
        table = _table("r+2 r+4 r2", "wr+4 y1 y2", "b1 b2 b3").go("0 r+2, 1 wr+4:g")
        assert (table.phase, table.to_move, table.direction, table.sees(0, "penalty").tolist()) == (
            "stack",
            0,
            -1,
            [6, 4],
        )
        assert table.go("0 accept").sizes == [8, 2, 3]
        assert table.to_move == 2

    def test_13_a_wild_draw_card_may_always_be_played_and_is_not_challenged(self) -> None:
        table = _table("r1 r2 w+6", "y1 y2 y3", "b1 b2 b3")
        assert table.legal == {"r1", "r2", "w+6"}
        assert table.go("0 w+6:g").sizes == [2, 9, 3]
        assert (table.to_move, table.phase) == (2, "play")

    def test_13_the_race_for_a_missing_call_comes_before_the_answers(self) -> None:
        table = _table("r+2 r1", "g+2 y1", uno_call="declared").go("0 r+2")
        assert table.phase == "catch"
        while table.phase == "catch":
            table.go(f"{table.to_move} pass")
        assert (table.phase, table.to_move) == ("stack", 1)

    @pytest.mark.parametrize(
        ("laid", "answers"),
        [("r+2", {"accept", "rs", "rr"}), ("r+4", {"accept", "rs", "rr"}), ("w+6:r", None)],
    )
    def test_13_a_skip_or_reverse_turns_any_coloured_draw_card_away_but_skip_everyone_none(
        self, laid: str, answers: set[str] | None
    ) -> None:
        table = _table(f"{laid.removesuffix(':r')} r1 r2 r3", "rs rr rse gs", None, deflect=True, stacking="off").go(
            f"0 {laid}"
        )
        assert (table.legal if table.phase == "stack" else None) == answers

    def test_13_a_penalty_turned_away_is_answered_as_the_draw_card_that_began_it(self) -> None:
        table = _table("r+4 r1 r2", "rs y1 y2", "b+2 g+4 g1", deflect=True).go("0 r+4, 1 rs")
        assert table.legal == {"accept", "g+4"}

    @pytest.mark.parametrize(("laid", "kept"), [("r+2", True), ("r+4", True), ("w+6", False)])
    def test_13_draw_two_turn_kept_holds_for_any_coloured_draw_card(self, laid: str, kept: bool) -> None:
        table = _table(f"{laid} r1", "r2 r3", None, draw_two_turn="kept", stacking="off")
        table.go(f"0 {laid}" if kept else f"0 {laid}:r")
        assert table.to_move == (1 if kept else 2)


class TestDiscardAll:
    def test_13_all_other_cards_of_its_colour_go_with_it(self) -> None:
        assert _table("rda r+2 rs g5 w+6", None, first="b9").refuses("rda")
        table = _table("rda r+2 rs g5 w+6", None, None).go("0 rda")
        assert (table.hand(0), table.top, table.discards) == ("g5 w+6", "rda", "r9 rs r+2 rda")
        assert (table.to_move, table.phase, table.sizes) == (1, "play", [2, 5, 5])

    def test_13_discard_all_is_matched_by_symbol(self) -> None:
        table = _table("rda r1 g5 g6", "yda y1 y2 b5", None).go("0 rda, 1 yda")
        assert (table.hand(1), table.colour) == ("b5", "yellow")

    def test_13_a_drawn_one_takes_the_others_along(self) -> None:
        table = _table("b1 bs g5", None, first="rda", first_card="effects", pile="y3 bda").go("0 draw")
        assert (table.legal, table.go("0 bda").hand(0)) == ({"bda"}, "y3 g5")

    def test_13_a_hand_that_is_emptied_by_it_is_won(self) -> None:
        table = _table("rda r1 r+2", "y1 y2 y3").go("0 rda")
        assert (table.game.over, table.game.winner, table.sizes) == (True, 0, [0, 3])

    @pytest.mark.parametrize("go_out_on", ["not_action", "number"])
    def test_13_go_out_on_looks_at_the_discard_all(self, go_out_on: str) -> None:
        assert _table("rda r1 r2", None, go_out_on=go_out_on).refuses("rda")
        assert not _table("rda r1 g2", None, go_out_on=go_out_on).refuses("rda")

    def test_13_who_goes_down_to_one_card_by_it_must_call(self) -> None:
        table = _table("rda r1 r2 g5", None, None, uno_call="declared").go("0 rda")
        assert (table.sizes[0], table.phase) == (1, "catch")

    def test_13_one_may_call_before_it_leaves_one_card(self) -> None:
        table = _table("rda r1 r2 g5", None, None, uno_call="declared").go("0 call, 0 rda")
        assert (table.phase, table.to_move, table.called) == ("play", 1, {0})
        assert _table("rda r1 g2 g5", None, None, uno_call="declared").refuses("call")
        assert _table("bda b1 b2 r5", None, None, uno_call="declared").refuses("call")

    def test_13_one_may_call_before_a_drawn_one_that_must_be_played(self) -> None:
        table = _table("b1 b2 g5", None, first="rda", first_card="effects", pile="bda", uno_call="declared")
        table.go("0 draw")
        assert table.legal == {"bda", "call"}
        assert table.go("0 call, 0 bda").called == {0}

    def test_13_who_jumps_in_with_it_lays_the_others_too(self) -> None:
        table = _table("rda y1 y2 y3", "b1 b2 b3 b4", "rda r1 rs g5", jump_in=True).go("0 rda")
        assert (table.phase, table.to_move) == ("jump_in", 2)
        assert table.go("2 jump_in").hand(2) == "g5"


class TestSkipEveryoneAndReverse:
    @pytest.mark.parametrize("players", [2, 3, 5])
    def test_13_skip_everyone_gives_its_player_another_turn(self, players: int) -> None:
        table = _table("rse r1 b2", *[None] * (players - 1)).go("0 rse")
        assert (table.to_move, table.phase, table.legal) == (0, "play", {"r1"})

    def test_13_wild_reverse_draw_four_turns_first_and_the_player_before_draws(self) -> None:
        table = _table("wr+4 r1 r2", None, None, None).go("0 wr+4:b")
        assert (table.direction, table.sizes, table.to_move, table.colour) == (-1, [2, 3, 3, 7], 2, "blue")

    def test_13_with_two_players_left_the_opponent_draws(self) -> None:
        table = _table("wr+4 r1 r2", "y1 y2 y3").go("0 wr+4:r")
        assert (table.sizes, table.to_move) == ([2, 7], 0)

    def test_13_direction_has_turned_before_anyone_jumps_in_and_stays_so(self) -> None:
        table = _table("rr r1 r2", "b1 b2 b3", "rr y1 y2", "y3 y4 y5", jump_in=True).go("0 rr")
        assert (table.phase, table.direction) == ("jump_in", -1)
        assert table.go("2 jump_in").direction == 1
        assert table.to_move == 3


class TestRoulette:
    def test_13_the_next_player_names_a_colour_and_takes_cards_until_one_comes(self) -> None:
        table = _table("wcr r1 r2", "y1 y2 y3", None, pile="r3 wcr y5 b4 b6").go("0 wcr")
        assert (table.phase, table.to_move, table.colour) == ("roulette", 1, "red")
        assert table.legal == {f"colour:{letter}" for letter in "rygb"}
        table.go("1 colour:b")
        assert (table.hand(1), table.colour) == ("r3 y1 y2 y3 y5 b4 wcr", "blue")
        assert (table.to_move, table.phase) == (2, "play")

    def test_13_all_have_seen_the_cards_taken(self) -> None:
        table = _table("wcr r1 r2", "y1 y2 y3", None, pile="r3 wcr b4").go("0 wcr, 1 colour:b")
        assert [table.knows(seat, 1) for seat in (0, 2)] == ["r3 b4 wcr"] * 2

    def test_13_where_the_pile_runs_dry_the_player_takes_what_there_is(self) -> None:
        table = _table("wcr r1", "y1 y2", pile="y5 g3", only=True).go("0 wcr, 1 colour:b")
        assert (table.hand(1), table.pile, table.discards) == ("r9 y1 y2 y5 g3", "", "wcr")

    def test_13_a_roulette_is_not_answered(self) -> None:
        assert _table("wcr r1", "w+10 wcr").go("0 wcr").legal == {f"colour:{letter}" for letter in "rygb"}

    def test_13_as_last_card_nobody_is_asked_and_the_earlier_colour_counts(self) -> None:
        table = _table("wcr", "b1", pile="b2 y3 r4 r5").go("0 wcr")
        assert (table.game.over, table.game.winner, table.hand(1), table.colour) == (True, 0, "r4 y3 b1 b2", "red")


def test_13_a_draw_card_as_last_card_is_drawn_before_the_count() -> None:
    table = _table("w+6", "b1", pile="r1 r2 r3 r4 r5 r6").go("0 w+6:y")
    assert (table.game.winner, table.sizes, table.game.points) == (0, [0, 7], [22, 0])


def test_13_direction_turns_before_the_last_draw_four_is_drawn() -> None:
    table = _table("wr+4", "b1", "y1").go("0 wr+4:b")
    assert (table.game.winner, table.sizes) == (0, [0, 1, 5])


def test_13_numbers_count_their_value_actions_20_wilds_50() -> None:
    table = _table("rda r2 r3 r4 r5 r6", "g7 y0 bda yse wcr b+4", "gr gs y+2 wr+4 w+6 w+10").go("0 rda")
    assert table.game.points == [7 + 20 + 20 + 50 + 20 + 20 + 20 + 20 + 50 * 3, 0, 0]
