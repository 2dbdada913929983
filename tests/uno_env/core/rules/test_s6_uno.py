"""GUIDE.md 6: calling UNO and catching who forgot."""

import itertools
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest

from tests.helpers.chance import looks_uniform
from tests.helpers.table import Table


def _window(players: int = 3, card: str = "r1", **changes: object) -> Table:
    """Seat 0 has just laid ``card`` without a call, and holds g2."""
    return Table(f"{card.split(':')[0]} g2", *[None] * (players - 1), **changes).go(f"0 {card}")


def _by_chance(table: Table, number: int) -> Iterator[Table]:
    """The table again and again, seat 0 laying its card with other luck each time."""
    start = table.game.start()
    for seed in range(number):
        game = start.clone()
        game._array[0].rng = np.uint64(seed * 0x9E37_79B9)
        twin = Table.of(game)
        twin.game.step(table.game.history[0])
        yield twin


def _let_go_until(table: Table, seat: int) -> Table:
    """Everyone asked before ``seat`` lets the chance go by."""
    while table.to_move != seat:
        table.go(f"{table.to_move} pass")
    return table


def test_6_1_automatic_nobody_calls_and_nobody_is_caught() -> None:
    table = Table("r1 r2 g2", None, None, uno_call="automatic")
    assert table.refuses("call")
    table = Table("r1 g2", None, None, uno_call="automatic")
    assert table.refuses("call")
    assert table.go("0 r1").phase == "play"


@pytest.mark.parametrize(("hand", "may"), [("r1", False), ("r1 g2", True), ("g1 g2", True), ("r1 g2 g3", False)])
def test_6_1_one_calls_with_two_cards_in_hand_before_playing(hand: str, may: bool) -> None:
    assert ("call" in Table(hand, None, None).legal) == may


def test_6_1_a_call_before_the_play_keeps_the_turn_and_prevents_being_caught() -> None:
    table = Table("r1 g2", None, None).go("0 call")
    assert (table.to_move, table.phase, table.called, table.legal) == (0, "play", {0}, {"r1", "draw"})
    table.go("0 r1")
    assert (table.to_move, table.phase, table.called) == (1, "play", {0})


def test_6_1_a_call_lapses_if_the_player_then_draws_no_penalty() -> None:
    table = Table("r1 g2", None, None, pile="b3").go("0 call, 0 draw")
    assert (table.called, table.sizes, table.to_move) == (set(), [3, 2, 2], 1)


def test_6_1_a_call_lapses_if_the_drawn_card_is_played_and_two_are_left() -> None:
    table = Table("r1 g2", None, None, pile="r3").go("0 call, 0 draw, 0 r3")
    assert (table.called, table.phase, table.to_move) == (set(), "play", 1)


def test_6_1_a_call_lapses_if_there_is_nothing_to_draw() -> None:
    table = Table("g1 g2", "r1 r2", only=True).go("0 call, 0 draw")
    assert (table.called, table.sizes, table.to_move) == (set(), [2, 2], 1)


def test_6_1_one_may_call_after_drawing_a_second_card() -> None:
    table = Table("g2", "b1", pile="r3").go("0 draw")
    assert table.legal == {"r3", "pass", "call"}
    assert table.go("0 call, 0 r3").called == {0}


def test_6_1_a_call_before_keeping_the_drawn_card_lapses() -> None:
    assert Table("g2", "b1", pile="r3").go("0 draw, 0 call, 0 pass").called == set()


def test_6_1_a_call_stands_while_the_player_holds_one_card() -> None:
    table = Table("r1 g2", "r2 b2", None).go("0 call, 0 r1, 1 call, 1 r2")
    assert table.called == {0, 1}
    assert table.sees(2, "called")[:3].tolist() == [0, 1, 1]


@pytest.mark.parametrize("card", ["r+2", "w+4:y"])
def test_6_1_a_standing_call_ends_with_a_penalty(card: str) -> None:
    table = Table("r1 g2", f"{card.split(':')[0]} b2", wild_draw_four="free").go("0 call, 0 r1, 1 call")
    assert table.called == {0, 1}
    assert table.go(f"1 {card}").called == {1}


def test_6_1_a_standing_call_ends_when_its_player_draws() -> None:
    table = Table("r1 g2", "b3 b4", pile="y3 y4").go("0 call, 0 r1, 1 draw")
    assert table.called == {0}
    assert table.go("0 draw").called == set()


def test_6_1_after_an_uncalled_play_down_to_one_card_the_window_opens() -> None:
    table = _window()
    assert (table.phase, table.called) == ("catch", set())
    assert table.legal == ({"call", "pass"} if table.to_move == 0 else {"catch", "pass"})


@pytest.mark.parametrize("hand", ["r1 g2 g3", "r1"])
def test_6_1_no_window_opens_with_more_cards_left_or_none(hand: str) -> None:
    assert Table(hand, None, None).go("0 r1").phase != "catch"


def test_6_1_a_drawn_card_played_down_to_one_opens_the_window() -> None:
    assert Table("g2", None, pile="r3").go("0 draw, 0 r3").phase == "catch"


def test_6_1_the_culprit_may_call_late_and_that_ends_the_window() -> None:
    table = _let_go_until(_window(), 0).go("0 call")
    assert (table.called, table.sizes, table.phase, table.to_move) == ({0}, [1, 2, 2], "play", 1)


@pytest.mark.parametrize("catcher", [1, 2, 3])
def test_6_1_any_other_player_may_catch_and_the_first_to_speak_ends_the_window(catcher: int) -> None:
    table = _let_go_until(_window(players=4, pile="b1 b2"), catcher).go(f"{catcher} catch")
    assert (table.hand(0), table.called, table.phase, table.to_move) == ("g2 b1 b2", set(), "play", 1)


@pytest.mark.parametrize("penalty", [0, 1, 2, 4])
def test_6_1_the_culprit_draws_uno_penalty_cards(penalty: int) -> None:
    table = _let_go_until(_window(uno_penalty=penalty), 2).go("2 catch")
    assert table.sizes == [1 + penalty, 2, 2]


def test_6_1_the_penalty_is_what_there_is_to_draw() -> None:
    table = Table("r1 g2", "g3 g4", pile="", only=True, uno_penalty=4, late_call=False).go("0 r1, 1 catch")
    assert (table.sizes, table.pile) == ([2, 2], "")


@pytest.mark.parametrize("players", [2, 3, 10])
@pytest.mark.parametrize("late_call", [True, False])
def test_6_1_everyone_is_asked_once_and_then_play_goes_on(players: int, late_call: bool) -> None:
    table, asked = _window(players, late_call=late_call), []
    while table.phase == "catch":
        asked.append(table.to_move)
        table.go(f"{table.to_move} pass")
    assert sorted(asked) == list(range(0 if late_call else 1, players))
    assert (table.to_move, table.sizes[0]) == (1, 1)


@pytest.mark.parametrize("players", [2, 3, 10])
def test_6_1_the_first_to_be_asked_is_drawn_at_random_from_all(players: int) -> None:
    table = _window(players)
    first = [twin.to_move for twin in _by_chance(table, 80 * players)]
    assert looks_uniform(np.bincount(first, minlength=players))


def test_6_1_the_order_of_asking_is_drawn_at_random() -> None:
    orders: Counter[tuple[int, ...]] = Counter()
    for twin in _by_chance(_window(), 600):
        order = []
        while twin.phase == "catch":
            order.append(twin.to_move)
            twin.game.step("pass")
        orders[tuple(order)] += 1
    assert looks_uniform([orders[order] for order in itertools.permutations(range(3))])


def test_6_1_who_was_asked_is_seen_by_all() -> None:
    table = _window()
    seat = table.to_move
    table.go(f"{seat} pass")
    for viewer in range(3):
        assert table.sees(viewer, "asked").nonzero()[0].tolist() == [(seat - viewer) % 3]


@pytest.mark.parametrize(("late_call", "call_before"), [(False, False), (True, True), (False, True)])
def test_6_1_without_late_call_the_culprit_is_not_asked(late_call: bool, call_before: bool) -> None:
    for twin in _by_chance(_window(late_call=late_call, call_before=call_before), 40):
        assert twin.to_move in (1, 2)


def test_6_1_the_window_comes_before_the_next_player_draws() -> None:
    table = _window(card="r+2")
    assert (table.phase, table.sizes) == ("catch", [1, 2, 2])
    _let_go_until(table, 2).go("2 catch")
    assert (table.sizes, table.to_move) == ([3, 4, 2], 2)


def test_6_1_the_window_comes_before_the_challenge() -> None:
    table = _let_go_until(_window(card="w+4:y"), 2).go("2 catch")
    assert (table.phase, table.to_move, table.sizes) == ("challenge", 1, [3, 2, 2])


def test_6_1_a_penalty_drawn_before_the_challenge_does_not_change_guilt_but_is_seen() -> None:
    table = _let_go_until(_window(card="w+4:y", pile="r5 r6"), 2).go("2 catch, 1 challenge")
    assert (table.sizes, table.knows(1, 0)) == ([3, 8, 2], "r5 r6 g2")


@pytest.mark.parametrize(("card", "follows"), [("r1", 1), ("rs", 2), ("rr", 2), ("r+2", 2), ("w:b", 1)])
def test_6_1_after_the_window_the_card_acts(card: str, follows: int) -> None:
    table = _let_go_until(_window(card=card), 2).go("2 catch")
    assert (table.phase, table.to_move) == ("play", follows)


def test_6_1_once_the_next_player_has_begun_nobody_is_caught() -> None:
    table = _window(late_call=False)
    while table.phase == "catch":
        table.go(f"{table.to_move} pass")
    assert table.refuses("catch")
    assert table.go("1 draw").refuses("catch")


def test_6_1_who_was_let_go_may_be_caught_the_next_time() -> None:
    table = Table("r1 g2", "b3 b4", pile="y3 r5", late_call=False).go("0 r1, 1 pass, 1 draw, 0 draw, 0 r5")
    assert (table.phase, table.to_move) == ("catch", 1)


def test_6_2_call_before_the_call_counts_only_before_the_card_is_played() -> None:
    table = Table("r1 g2", None, None, call_before=True)
    assert table.go("0 call, 0 r1").phase == "play"
    assert _window(call_before=True).refuses("call")
