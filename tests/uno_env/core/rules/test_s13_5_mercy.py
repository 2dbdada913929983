"""GUIDE.md 13.5: who holds too many cards is out of the hand. Switch: ``mercy``."""

from typing import Any

import pytest

from tests.helpers.table import Table
from uno_env import Game, Rules


def _table(*hands: str | None, **changes: Any) -> Table:
    return Table(*hands, preset="no_mercy", **{"uno_call": "automatic", "mercy": 5, **changes})


@pytest.mark.parametrize(("held", "out"), [(14, set()), (15, {1})])
def test_13_5_who_holds_25_cards_is_out(held: int, out: set[int]) -> None:
    cards = [colour + number for colour in "yb" for number in "12345689"][:held]
    table = _table(" ".join(["w+10", *cards[1:]]), " ".join(cards), None, mercy=Rules.preset("no_mercy").mercy)
    table.go("0 w+10:r")
    assert (table.out, table.to_move, table.sizes[1]) == (out, 2, 0 if out else 24)


def test_13_5_without_mercy_nobody_is_put_out() -> None:
    table = _table("r+2 r1 r2", "y1 y2 y3", mercy=0).go("0 r+2")
    assert (table.out, table.sizes) == (set(), [2, 5])


@pytest.mark.parametrize("mercy", [1, 6, 7])
def test_13_5_mercy_is_more_than_the_hand_size(mercy: int) -> None:
    with pytest.raises(ValueError, match=f"mercy={mercy} is not allowed with hand_size=7"):
        Rules.preset("no_mercy", mercy=mercy)


class TestTheCardThatIsTooMany:
    def test_13_5_of_a_penalty_of_which_no_more_is_drawn(self) -> None:
        table = _table("r+4 r1 r2", "y1 y2 y3", None, pile="b1 b2 b3 b4").go("0 r+4")
        assert (table.out, table.sizes, table.pile[:5]) == ({1}, [2, 0, 3], "b3 b4")

    @pytest.mark.parametrize("last", ["b5", "r5"])
    def test_13_5_of_a_turn_playable_or_not(self, last: str) -> None:
        table = _table("b1 b2 b3", None, None, pile=f"b4 {last} g1").go("0 draw")
        assert (table.out, table.to_move, table.phase, table.pile[:2]) == ({0}, 1, "play", "g1")

    def test_13_5_of_a_roulette(self) -> None:
        table = _table("wcr r1 r2", "y1 y2 y3", None, pile="r3 r4 b5").go("0 wcr, 1 colour:b")
        assert (table.out, table.to_move, table.colour, table.pile[:2]) == ({1}, 2, "blue", "b5")

    def test_13_5_of_an_illegal_action(self) -> None:
        table = _table("r1 b2 b3", "y1 y2 y3", None, illegal_action="penalty").go("0 b2")
        assert (table.out, table.to_move, table.top) == ({0}, 1, "r9")

    @pytest.mark.parametrize(("laid", "turn"), [("r1", 1), ("rs", 2), ("rse", 1)])
    def test_13_5_of_a_missing_call_and_what_was_laid_stands(self, laid: str, turn: int) -> None:
        table = _table(f"{laid} g2", None, None, uno_call="declared", uno_penalty=4).go(f"0 {laid}")
        while table.to_move == 0:
            table.go("0 pass")
        table.go(f"{table.to_move} catch")
        assert (table.out, table.to_move, table.phase) == ({0}, turn, "play")

    @pytest.mark.thorough
    def test_13_5_who_is_put_out_by_a_missing_call_swaps_with_nobody(self) -> None:
        table = Table("r7 g2", None, None, seven_zero=True, mercy=5, uno_penalty=4).go("0 r7")
        while table.to_move == 0:
            table.go("0 pass")
        table.go(f"{table.to_move} catch")
        assert (table.out, table.to_move, table.phase, table.sizes) == ({0}, 1, "play", [0, 2, 2])


class TestWhoIsOut:
    def test_13_5_their_cards_go_under_the_discard_pile_in_the_open(self) -> None:
        table = _table("r+2 r1 r2", "y1 y2 y3", None, pile="b1 b2").go("0 r+2")
        assert (table.top, table.discards) == ("r+2", "r9 r+2 y1 y2 y3 b1 b2")

    def test_13_5_their_turns_pass_on(self) -> None:
        table = _table("r+2 r1 r2", "y1 y2 y3", "r3 r4 r5").go("0 r+2, 2 r3, 0 r1")
        assert (table.to_move, table.phase) == (2, "play")

    def test_13_5_two_players_are_two_who_are_not_out(self) -> None:
        table = _table("r+2 rr r2", "y1 y2 y3", "r3 r4 r5").go("0 r+2, 2 r3, 0 rr")
        assert (table.to_move, table.direction) == (0, 1)

    def test_13_5_nobody_swaps_with_them(self) -> None:
        assert _table("r+2 r1 r2", "y1 y2 y3", "r7 r4 r5").go("0 r+2, 2 r7").legal == {"swap1"}

    def test_13_5_nothing_is_known_of_them(self) -> None:
        table = _table("wcr r+2 r2", "y1 y2 y3", "r5 g1 b3", pile="g3 r4", mercy=6).go("0 wcr, 1 colour:r")
        assert table.knows(0, 1) == "r4 g3"
        table.go("2 r5, 0 r+2")
        assert (table.out, table.knows(0, 1), table.knows(2, 1)) == ({1}, "", "")


class TestTheEnd:
    def test_13_5_the_last_who_is_not_out_wins(self) -> None:
        table = _table("r+2 r1 r2", "y1 y2 y3").go("0 r+2")
        assert (table.game.over, table.game.end, table.game.winner) == (True, "went_out", 0)
        assert (table.game.points, table.sizes) == ([250, 0], [2, 0])

    def test_13_5_the_hand_ends_at_once_in_a_turn_of_ones_own(self) -> None:
        table = _table("b1 b2 b3", "y1 y2 y3", pile="b4 b5").go("0 draw")
        assert (table.game.winner, table.sizes, table.game.points) == (1, [0, 3], [0, 250])

    def test_13_5_it_ends_on_the_turn_of_who_wins(self) -> None:
        table = _table("r1 g2", "y1 y2", uno_call="declared", uno_penalty=4).go("0 r1")
        while table.to_move == 0:
            table.go("0 pass")
        table.go("1 catch")
        assert (table.game.winner, table.sees(1, "turn").tolist()[:2]) == (1, [1, 0])

    @pytest.mark.parametrize("last", ["r+4", "wcr"])
    def test_13_5_the_card_that_ends_the_hand_can_put_the_next_player_out(self, last: str) -> None:
        table = _table(f"rse {last}", "y1 y2", "w+6 g3", pile="g1 g2 g4", mercy=4)
        table.go(f"0 rse, 0 {last}")
        assert (table.game.winner, table.out, table.game.points) == (0, {1}, [250 + 53, 0, 0])

    @pytest.mark.parametrize("scoring", ["lowest", "elimination"])
    def test_13_5_under_lowest_who_is_out_counts_250(self, scoring: str) -> None:
        assert _table("r+2 r1 r2", "y1 y2 y3", scoring=scoring).go("0 r+2").game.points == [3, 250]


@pytest.mark.thorough
def test_13_5_the_classic_cards_take_mercy_too() -> None:
    table = Table("r+2 r1 r2", "y1 y2 y3", None, mercy=5, uno_call="automatic").go("0 r+2")
    assert (table.out, table.to_move, table.discards.split()[:3]) == ({1}, 2, ["r9", "r+2", "y1"])


@pytest.mark.thorough
@pytest.mark.parametrize("jump_in", [False, True])
def test_13_5_what_was_laid_stands_though_the_hand_ends(jump_in: bool) -> None:
    """Nobody is left to be asked whether they jump in."""
    switches = {"mercy": 5, "uno_penalty": 4, "two_player_reverse": "reverse", "jump_in": jump_in}
    table = Table("rr g2", "rr y2", **switches).go("0 rr")
    while table.to_move == 0:
        table.go("0 pass")
    table.go("1 catch")
    assert (table.game.winner, table.sees(1, "clockwise").tolist()) == (1, [0])


def test_13_5_who_was_put_out_and_reaches_the_target_is_out_of_the_match() -> None:
    rules = _table("r1 r2", None, None, mercy=3, scoring="elimination", target=200).game.rules
    game = Game(rules, deck="r+2 y1 r3 r1 y2 r4 r9", dealer=2, match=True)
    for action in ("r+2", "r3", "r1"):
        game.step(action)
    assert (game.hands_played, game.scores, int(game.record.out)) == (1, [0, 250, 4], 0b010)


def test_13_5_if_all_reach_the_target_at_once_the_lowest_total_is_left() -> None:
    rules = _table("r1 r2 r3", None, scoring="elimination", target=3).game.rules
    game = Game(rules, deck="r+2 y1 r1 y2 r2 y3 r9", dealer=1, match=True)
    game.step("r+2")
    assert (game.over, game.scores, game.winner) == (True, [3, 250], 0)
