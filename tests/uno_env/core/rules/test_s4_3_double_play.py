"""GUIDE.md 4.3: cards of the same number and colour laid together. Switch: ``double_play``."""

import random
from typing import Any

import numpy as np
import pytest

from tests.helpers.table import Table
from uno_env import Game, Rules


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


# Two or more


THREES = "r1 r1 r1 r1 r9 r9 g0 g0 g0 g2 g3 b1 b2 b3 b4 y1 y2 y3 y4"


def _many(*hands: str | None, **changes: Any) -> Table:
    return _table(*hands, **{"double_play": "two_or_more", "deck": THREES, **changes})


def test_4_4_two_or_more_lays_as_many_as_are_held_one_after_another() -> None:
    table = _many("r1 r1 r1 r1 g2", "b1 b2 b3 b4 y1").go("0 r1x2")
    assert (table.phase, table.to_move, table.legal) == ("jump_in", 0, {"jump_in", "pass"})
    table.go("0 jump_in")
    assert (table.phase, table.to_move, table.hand(0)) == ("jump_in", 0, "r1 g2")
    table.go("0 jump_in")
    assert (table.phase, table.to_move, table.hand(0), table.discards) == ("play", 1, "g2", "r1 r1 r1 r1 r9")


def test_4_4_two_or_more_one_may_stop_after_two() -> None:
    table = _many("r1 r1 r1 g2", "b1 b2 b3 y1").go("0 r1x2, 0 pass")
    assert (table.phase, table.to_move, table.hand(0)) == ("play", 1, "r1 g2")


def test_4_4_two_or_more_nobody_is_asked_without_another_or_after_one_card() -> None:
    assert _many("r1 r1 g2", "b1 b2 b3").go("0 r1x2").to_move == 1
    assert _many("r1 r1 g2", "b1 b2 b3").go("0 r1").to_move == 1
    assert _many("g2 g3 b1", "b2 b3 b4", pile="r1").go("0 draw, 0 r1").to_move == 1


def test_4_4_two_or_more_zeros_are_laid_together_one_by_one() -> None:
    table = _many("r0 r0 g2", "b1 b2 b3", seven_zero=True, deck=THREES + " r0 r0").go("0 r0")
    assert (table.phase, table.to_move, table.sizes) == ("jump_in", 0, [2, 3])
    table.go("0 jump_in")
    assert (table.to_move, table.hand(0), table.hand(1)) == (1, "b1 b2 b3", "g2"), "hands are passed on once"


def test_4_4_two_or_more_a_drawn_zero_is_laid_alone() -> None:
    table = _many("r0 g2 b1", "b2 b3 b4", pile="r0", deck=THREES + " r0 r0").go("0 draw, 0 r0")
    assert (table.to_move, table.hand(0)) == (1, "r0 g2 b1")


def test_4_4_with_pairs_alone_zeros_are_laid_one_at_a_time() -> None:
    assert _table("r0 r0 g2", "b1 b2 b3", deck=THREES + " r0 r0").go("0 r0").to_move == 1


def test_4_4_two_or_more_all_are_one_play_that_acts_once() -> None:
    deck = THREES + " r6 r6 r6"
    table = _many("r6 r6 r6 g2", "b1 b2 b3 b4", deck=deck, six_smackdown=True, reflexes=(0, 1)).go("0 r6x2")
    assert table.sizes == [2, 4]
    assert table.go("0 jump_in").sizes == [1, 6]


def test_4_4_two_or_more_can_be_the_last_cards() -> None:
    table = _many("r1 r1 r1", "b1 b2 b3").go("0 r1x2, 0 jump_in")
    assert (table.game.end, table.game.winner, table.sizes) == ("went_out", 0, [0, 3])


def test_4_4_two_or_more_uno_is_called_for_what_is_left_in_the_end() -> None:
    """Four cards, of which three go: called with two in hand. Three of which all go: nobody has to call."""
    table = _many("r1 r1 r1 g2", "b1 b2 b3 b4", uno_call="declared").go("0 r1x2")
    assert table.legal == {"jump_in", "pass", "call"}
    called = _many("r1 r1 r1 g2", "b1 b2 b3 b4", uno_call="declared").go("0 r1x2, 0 call, 0 jump_in")
    assert (called.phase, called.to_move, called.called) == ("play", 1, {0})
    lapsed = _many("r1 r1 r1 g2", "b1 b2 b3 b4", uno_call="declared").go("0 r1x2, 0 call, 0 pass")
    assert (lapsed.phase, lapsed.to_move, lapsed.called) == ("play", 1, set())
    assert table.go("0 jump_in").phase == "catch"
    assert _many("r1 r1 r1", "b1 b2 b3", uno_call="declared").go("0 r1x2, 0 jump_in").game.winner == 0
    assert _many("r1 r1 r1", "b1 b2 b3", uno_call="declared").go("0 r1x2, 0 pass").phase == "catch"


def test_4_4_two_or_more_others_jump_in_on_the_last_of_them_and_nobody_on_their_own() -> None:
    table = _many("r1 r1 g2 g3", "r1 r1 b3 b4", "y1 y2 y3 y4", jump_in=True).go("0 r1x2")
    assert (table.phase, table.to_move) == ("jump_in", 1)
    table.go("1 jump_in")
    assert (table.phase, table.to_move) == ("jump_in", 1), "who jumped in may lay more"
    assert table.go("1 pass").to_move == 2
    alone = _many("r1 r1 g2 g3", "b1 b2 b3 b4", jump_in=True).go("0 r1")
    assert (alone.phase, alone.to_move) == ("play", 1)


def test_4_4_two_or_more_an_illegal_answer_costs_two_cards_and_stops() -> None:
    table = _many("r1 r1 r1 g2", "b1 b2 b3 b4", pile="y1 y2", illegal_action="penalty").go("0 r1x2, 0 draw")
    assert (table.to_move, table.hand(0)) == (1, "r1 y1 y2 g2")


def test_4_4_with_an_official_deck_two_or_more_is_the_same_as_two() -> None:
    games = [Game(Rules.preset("guide_003", players=3, double_play=value), seed=5) for value in (True, "two_or_more")]
    chance = random.Random(1)
    while not games[0].over:
        action = chance.choice(games[0].legal_actions())
        for game in games:
            game.step(action)
        assert games[0].legal_actions() == games[1].legal_actions()
        assert (games[0].record == games[1].record).all()


@pytest.mark.parametrize("rank", ["5", "6", "0"])
def test_12_whether_another_could_be_laid_shows_to_nobody_else(rank: str) -> None:
    """The last card, for which nobody called, is a third one or any other: the others see the race for the call."""
    card, deck = f"r{rank}", THREES + f" r{rank}" * 3
    changes = {"deck": deck, "uno_call": "declared", "late_call": False, "six_smackdown": True, "seven_zero": True}
    lay, cards = (card, [card]) if rank == "0" else (f"{card}x2", [card, card])
    theirs = " ".join(["b1", "b2", "b3"][: len(cards) + 1])
    tables = [_many(" ".join([*cards, last]), theirs, **changes).go(f"0 {lay}") for last in (card, "g2")]
    rows = [table.game.observe(1, "uint8") for table in tables]
    np.testing.assert_array_equal(*rows)
