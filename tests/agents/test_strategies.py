"""Each strategy does what it says, in positions made by hand."""

from typing import Any

import numpy as np
import pytest

import agents
from agents.choosing import rule_column
from tests.agents.positions import MORE_TABLES, TABLES, asked, choices
from tests.chance import looks_uniform
from tests.table import Table
from uno_env import Rules
from uno_env.actions import CALL, CATCH, DRAW, NUM_ACTIONS, PASS
from uno_env.cards import COLOURS
from uno_env.observation import RULES_START, rules_columns

SPEAKERS = ["random-play", "highest-points", "greedy"]
NO_CARD = "g1 g1 y2 y3 b4 b5 b6"
"""On a red 9: nothing that could be laid."""


def _colour(name: str) -> dict[int, int]:
    """One-hot columns of a colour."""
    return {place: int(colour == name) for place, colour in enumerate(COLOURS)}


@pytest.mark.parametrize("name", SPEAKERS)
def test_all_but_random_call_before_they_play_down_to_one_card(name: str) -> None:
    assert choices(name, Table("r1 r2", None)) == {"call"}


@pytest.mark.parametrize("name", SPEAKERS)
def test_all_but_random_call_when_they_forgot_and_catch_who_did(name: str) -> None:
    for seed in range(4):
        table = Table("r1 r2", None, None, seed=seed).go("0 r1")
        assert choices(name, table) == ({"call"} if table.to_move == 0 else {"catch"})


@pytest.mark.parametrize("name", agents.names())
def test_who_can_do_one_thing_only_does_it(name: str) -> None:
    assert choices(name, Table(NO_CARD, None)) == {"draw"}


@pytest.mark.parametrize("name", SPEAKERS)
def test_all_but_random_draw_only_if_they_must(name: str) -> None:
    tables = TABLES if name == "greedy" else (*TABLES, *MORE_TABLES)
    for preset, players in tables:
        observations, masks = asked(preset, players)
        chosen = agents.load(name).act_batch(observations, masks)
        can_play = masks[:, :DRAW].any(axis=1)
        assert not np.isin(chosen[can_play], [DRAW, PASS]).any()
        assert (chosen[masks[:, CALL] == 1] == CALL).all()
        assert (chosen[masks[:, CATCH] == 1] == CATCH).all()


@pytest.mark.parametrize("name", SPEAKERS)
def test_all_but_random_lay_a_card_just_drawn(name: str) -> None:
    assert choices(name, Table(NO_CARD, None, pile="g9").go("0 draw")) == {"g9"}


def test_random_chooses_every_legal_action_equally_often() -> None:
    table = Table("r1 r2 g9 w b1 b2 b3", None)
    row, mask = table.game.observe(0, "uint8"), table.game.action_mask()
    chosen = agents.load("random", seed=2).act_batch(np.repeat(row[None], 16_000, 0), np.repeat(mask[None], 16_000, 0))
    counts = np.bincount(chosen, minlength=NUM_ACTIONS)
    assert set(np.flatnonzero(counts)) == set(table.game.legal_actions())
    assert looks_uniform(counts[counts > 0])


def test_random_play_lays_every_card_and_colour_equally_often() -> None:
    table = Table("r1 r2 g9 w b1 b2 b3", None)
    row, mask = table.game.observe(0, "uint8"), table.game.action_mask()
    agent = agents.load("random-play", seed=2)
    counts = np.bincount(agent.act_batch(np.repeat(row[None], 16_000, 0), np.repeat(mask[None], 16_000, 0)))
    assert choices("random-play", table) == {"r1", "r2", "g9", "w:r", "w:y", "w:g", "w:b"}
    assert looks_uniform(counts[counts > 0])


def test_random_play_leaves_to_chance_what_is_not_about_cards() -> None:
    assert choices("random-play", Table("w+4 r1 g1", None, None).go("0 w+4:y")) == {"accept", "challenge"}
    assert len(choices("random-play", Table(None, "r1", first="w", dealer=0))) == 4


@pytest.mark.parametrize(
    ("hand", "expected"),
    [
        ("r1 r8 g9 b1", {"g9"}),
        ("r8 r7 rs g9", {"rs"}),
        ("rs rr r+2 r9", {"rs", "rr", "r+2"}),
        ("r0 b1 b2 b3", {"r0"}),
        ("rs g1 w g2", {"w:g"}),
        ("r+2 y1 w w+4", {"w:r", "w:y", "w+4:r", "w+4:y"}),
    ],
)
def test_highest_points_lays_the_most_points_ties_by_chance(hand: str, expected: set[str]) -> None:
    assert choices("highest-points", Table(hand, None)) == expected


@pytest.mark.parametrize(
    ("name", "values"),
    [("special_wild_points", (40, 50)), ("two_player_reverse", ("skip", "reverse")), ("late_call", (True, False))],
)
def test_strategies_read_the_rules_where_they_are_written(name: str, values: tuple[Any, Any]) -> None:
    first, second = (rules_columns(Rules(**{name: value})) for value in values)
    place = rule_column(name) - RULES_START
    assert np.flatnonzero(first != second).tolist() == [place]


def test_highest_points_never_challenges_and_declares_what_it_holds_most_of() -> None:
    assert choices("highest-points", Table("w+4 r1 g1", None, None).go("0 w+4:y")) == {"accept"}
    assert choices("highest-points", Table(None, "r1 b1 b2", first="w", dealer=0)) == {"colour:b"}


@pytest.mark.parametrize("players", [2, 4])
@pytest.mark.parametrize("hand", ["w r1 r2 g5", "w+4 w r1 r2", "w+4 w r1 g5"])
def test_greedy_keeps_wilds_back(hand: str, players: int) -> None:
    assert choices("greedy", Table(hand, *[None] * (players - 1))) <= {"r1", "r2"}


@pytest.mark.parametrize("stop", ["rs", "r+2"])
def test_greedy_keeps_stops_for_later_unless_it_plays_again_itself(stop: str) -> None:
    hand = f"{stop} r1 r2 r3 g5"
    assert choices("greedy", Table(hand, None, None, None)) == {"r1", "r2", "r3"}
    assert choices("greedy", Table(hand, None)) == {stop}


def test_greedy_lays_a_wild_if_there_is_nothing_else_in_the_colour_it_holds_most_of() -> None:
    assert choices("greedy", Table("w g1 g3 g5 y2", None)) == {"w:g"}
    assert choices("greedy", Table(None, "g1 g3 g5 y2", first="w", dealer=0)) == {"colour:g"}


def test_greedy_prefers_a_plain_wild_to_a_bluff_and_lays_an_honest_draw_four() -> None:
    table = Table("w+4 r1 g1 g2", None, first="r9")
    assert choices("greedy", table) == {"r1"}
    assert choices("greedy", Table("w+4 g1 g2 g3", None, first="r9")) == {"w+4:g"}


@pytest.mark.parametrize("stop", ["rs", "r+2"])
@pytest.mark.parametrize("players", [2, 4])
def test_greedy_stops_the_next_player_about_to_go_out(stop: str, players: int) -> None:
    table = Table(f"{stop} r1 r2 g5", *[None] * (players - 1))
    assert choices("greedy", table, hand_sizes={1: 2}) == {stop}


def test_greedy_knows_the_direction_of_play() -> None:
    table = Table("rs r1 r2 g5", None, None, None)
    assert choices("greedy", table, hand_sizes={3: 2}) != {"rs"}
    assert choices("greedy", table, hand_sizes={3: 2}, clockwise={0: 0}) == {"rs"}
    assert choices("greedy", table, hand_sizes={1: 2}, clockwise={0: 0}) != {"rs"}


def test_greedy_takes_a_reverse_for_a_stop_with_two_players_only() -> None:
    assert choices("greedy", Table("rr r1 r2 g5", None), hand_sizes={1: 1}) == {"rr"}
    turned = Table("rr r1 r2 g5", None, two_player_reverse="reverse")
    assert choices("greedy", turned, hand_sizes={1: 1}) != {"rr"}


def test_greedy_leaves_a_colour_that_the_next_player_has_drawn_on() -> None:
    table = Table("r5 y9 g1 b1", None, None, first="r9")
    yellow, third = 1 * 4 + 1, 2 * 4 + 1
    assert choices("greedy", table, drew_on={yellow: 1}) == {"y9"}
    assert choices("greedy", table, drew_on={1 * 4: 1}) == {"r5"}
    assert choices("greedy", table, drew_on={third: 1, 1 * 4: 1}) == {"r5"}


def test_greedy_stays_with_the_colour_it_holds_most_of() -> None:
    assert choices("greedy", Table("r9 y4 r1 r2 r3 g5 g6", None, first="y9")) == {"r9"}
    assert choices("greedy", Table("r9 y4 y1 y2 y3 g5 g6", None, first="y9")) == {"y1", "y2", "y3", "y4"}


def test_greedy_challenges_by_the_odds() -> None:
    table = Table("w+4 r1 r2 g1 g2 y1 y2", None, None).go("0 w+4:y")
    offender_and_red = 2 * 4
    assert choices("greedy", table) == {"challenge"}
    assert choices("greedy", table, hand_sizes={2: 1}) == {"accept"}
    assert choices("greedy", table, drew_on={offender_and_red: 1}) == {"accept"}
    assert choices("greedy", table, drew_on={offender_and_red: 6}) == {"challenge"}


def test_greedy_challenges_when_it_knows_of_the_card() -> None:
    table = Table("w+4 r1 r2 g1 g2 y1 y2", None, None).go("0 w+4:y")
    second_player_red_1 = 1 * 58 + 1
    assert choices("greedy", table, hand_sizes={2: 1}, known={second_player_red_1: 1}) == {"challenge"}


def test_greedy_goes_out_when_it_can() -> None:
    for last in ("r5", "rs", "w", "w+4"):
        assert choices("greedy", Table(last, None)) <= {last, *(f"{last}:{letter}" for letter in "rygb")}


@pytest.mark.parametrize("name", SPEAKERS)
def test_all_but_random_answer_a_penalty_with_a_card(name: str) -> None:
    table = Table("r+2 r1 r2 r3", "g+2 g1 g2 g3", None, preset="house").go("0 r+2")
    assert choices(name, table) == {"g+2"}
    table = Table("w+4 r1 r2 r3", "w+4 g1 g2 g3", None, preset="house").go("0 w+4:y")
    assert choices(name, table) <= {f"w+4:{letter}" for letter in "rygb"}


@pytest.mark.parametrize("name", SPEAKERS)
def test_all_but_random_jump_in(name: str) -> None:
    table = Table("r5 g1 g2", "b1 b2 b3", "r5 y1 y2", preset="house").go("0 r5")
    assert table.legal == {"jump_in", "pass"}
    assert choices(name, table) == {"jump_in"}


@pytest.mark.parametrize("name", SPEAKERS)
def test_all_but_random_call_before_they_jump_in_stack_or_lay_a_pair(name: str) -> None:
    jump = Table("r5 g1", "b1 b2", "r5 y1", preset="house").go("0 call, 0 r5")
    assert choices(name, jump) == {"call"}
    assert choices(name, jump.go("2 call")) == {"jump_in"}
    stack = Table("r+2 g1", "b+2 b2", None, preset="house").go("0 call, 0 r+2")
    assert choices(name, stack) == {"call"}
    assert choices(name, stack.go("1 call")) == {"b+2"}
    assert choices(name, Table("r5 r5 g1", None, preset="guide_003")) == {"call"}


@pytest.mark.parametrize("name", ["highest-points", "greedy"])
def test_a_pair_comes_before_a_card(name: str) -> None:
    assert choices(name, Table("r5 r5 r6 g1", None, preset="guide_003")) == {"r5x2"}


def test_random_play_swaps_by_chance_the_others_with_the_smallest_hand() -> None:
    table = Table("r7 g1 g2", None, None, None, preset="house").go("0 r7")
    assert choices("random-play", table, hand_sizes={3: 1}) == {"swap1", "swap2", "swap3"}
    for name in ("highest-points", "greedy"):
        assert choices(name, table, hand_sizes={3: 1}) == {"swap3"}
        assert choices(name, table, hand_sizes={1: 2, 3: 2}) == {"swap1", "swap3"}


@pytest.mark.parametrize("card", ["r7", "r0"])
def test_greedy_lays_what_moves_hands_if_it_is_rid_of_cards(card: str) -> None:
    table = Table(f"{card} r1 r2 g5 g6", None, None, preset="house")
    previous = 2
    assert choices("greedy", table, hand_sizes={previous: 1}) == {card}
    assert choices("greedy", table) <= {"r1", "r2"}


@pytest.mark.parametrize("card", ["r7", "r0"])
def test_greedy_draws_rather_than_get_cards(card: str) -> None:
    table = Table(f"{card} g1 g2 g5", None, None, preset="house")
    assert choices("greedy", table) == {"draw"}
    assert choices("greedy", table, hand_sizes={2: 3}) == {card}
    assert choices("greedy", Table(card, None, None, preset="house")) == {card}


def test_greedy_passes_hands_on_in_the_direction_of_play() -> None:
    table = Table("r0 g1 g2 g5", None, None, preset="house")
    assert choices("greedy", table, hand_sizes={1: 1}) == {"draw"}
    assert choices("greedy", table, hand_sizes={1: 1}, clockwise={0: 0}) == {"r0"}


def test_greedy_jumps_in_unless_it_would_get_cards() -> None:
    table = Table("r7 g1 g2", "b1 b2 b3", "r7 y1 y2", preset="house").go("0 r7")
    assert choices("greedy", table) == {"jump_in"}
    assert choices("greedy", table, hand_sizes={0: 2}) == {"pass"}
    assert choices("greedy", table, hand_sizes={0: 1}) == {"jump_in"}


@pytest.mark.parametrize(("wild", "effect"), [("wsh", "none"), ("wcu", "swap_hands")])
def test_greedy_changes_a_large_hand_for_a_small_one(wild: str, effect: str) -> None:
    table = Table(f"{wild} r1 r2 r3", None, None, preset="edition_2018", customizable_effect=effect)
    assert choices("greedy", table, hand_sizes={0: 12, 1: 2, 2: 2}) == {f"{wild}:r"}
    assert choices("greedy", table) <= {"r1", "r2", "r3"}


def test_greedy_knows_the_effects_of_special_wilds() -> None:
    again = Table("w wcu g1 g2 g3", None, None, preset="edition_2018", customizable_effect="skip_all")
    assert choices("greedy", again) == {"wcu:g"}
    for preset, wild in (("h2o", "wd1"), ("h2o", "wd2"), ("edition_2018", "wcu")):
        rain = Table(f"w {wild} g1 g2 g3", None, None, preset=preset, customizable_effect="everyone_draws")
        assert choices("greedy", rain, hand_sizes={2: 2}) == {f"{wild}:g"}
        assert choices("greedy", rain) == {"w:g", f"{wild}:g"}


def test_greedy_challenges_the_sooner_the_more_there_is_to_draw() -> None:
    table = Table("w+4 r1 r2 g1 g2 y1 y2", None, None, stacking="same").go("0 w+4:y")
    assert choices("greedy", table, hand_sizes={2: 1}) == {"accept"}
    assert choices("greedy", table, hand_sizes={2: 1}, penalty={0: 12}) == {"challenge"}


def test_greedy_passes_over_who_is_out_of_the_match() -> None:
    table = Table("rs r1 r2 g5", None, None, None)
    assert choices("greedy", table, out={1: 1}, hand_sizes={1: 0}) != {"rs"}
    assert choices("greedy", table, out={1: 1}, hand_sizes={1: 0, 2: 2}) == {"rs"}
    two_left = {"out": {1: 1, 2: 1}, "hand_sizes": {1: 0, 2: 0, 3: 1}}
    assert choices("greedy", Table("rr r1 r2 g5", None, None, None), **two_left) == {"rr"}
    swap = Table("r7 r1 r2 r5", None, None, None, preset="house")
    assert choices("greedy", swap, out={1: 1}, hand_sizes={1: 0}) <= {"r1", "r2", "r5"}
