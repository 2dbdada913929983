"""Each strategy does what it says, in positions made by hand."""

from typing import Any

import numpy as np
import pytest

import agents
from agents.scripted.agent import STRATEGIES
from agents.scripted.faces import rule_columns
from tests.helpers.chance import looks_uniform
from tests.helpers.positions import MORE_TABLES, TABLES, asked, choices
from tests.helpers.table import Table
from uno_env import Rules
from uno_env.actions import CALL, CATCH, DRAW, NUM_ACTIONS, PASS
from uno_env.core.observe.layout import START
from uno_env.editions.classic import CLASSIC
from uno_env.observation import rules_columns

SPEAKERS = [name for name in STRATEGIES if name != "random"]
"""All but ``random``."""
PLAIN = ["random-play", "highest-points", "rlcard-rule"]
"""They do not look at what happens to hands that change owners; all other speakers do."""
HABITUAL = [name for name in SPEAKERS if name not in PLAIN]
WILD_SAVERS = ["save-wilds", "keep-zero", "colour-major", "counter", "mixed", "greedy", "tuned"]
NO_CARD = "g1 g1 y2 y3 b4 b5 b6"
"""On a red 9: nothing that could be laid."""


@pytest.mark.parametrize("name", SPEAKERS)
def test_all_but_random_call_before_they_play_down_to_one_card(name: str) -> None:
    assert choices(name, Table("r1 r2", None)) == {"call"}


@pytest.mark.parametrize("name", SPEAKERS)
def test_all_but_random_call_when_they_forgot_and_catch_who_did(name: str) -> None:
    for seed in range(4):
        table = Table("r1 r2", None, None, seed=seed).go("0 r1")
        assert choices(name, table) == ({"call"} if table.to_move == 0 else {"catch"})


@pytest.mark.parametrize("name", STRATEGIES)
def test_who_can_do_one_thing_only_does_it(name: str) -> None:
    assert choices(name, Table(NO_CARD, None)) == {"draw"}


@pytest.mark.parametrize("name", [name for name in SPEAKERS if name != "tuned"])
def test_all_but_random_and_tuned_draw_only_if_they_must(name: str) -> None:
    tables = (*TABLES, *MORE_TABLES) if name in PLAIN else TABLES
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
    place = getattr(rule_columns(CLASSIC), name) - START.seats
    assert np.flatnonzero(first != second).tolist() == [place]


def test_highest_points_never_challenges_and_declares_what_it_holds_most_of() -> None:
    assert choices("highest-points", Table("w+4 r1 g1", None, None).go("0 w+4:y")) == {"accept"}
    assert choices("highest-points", Table(None, "r1 b1 b2", first="w", dealer=0)) == {"colour:b"}


@pytest.mark.parametrize("players", [2, 4])
@pytest.mark.parametrize("hand", ["w r1 r2 g5", "w+4 w r1 r2", "w+4 w r1 g5"])
@pytest.mark.parametrize("name", WILD_SAVERS)
def test_wilds_are_kept_back(name: str, hand: str, players: int) -> None:
    assert choices(name, Table(hand, *[None] * (players - 1))) <= {"r1", "r2"}


@pytest.mark.parametrize("name", ["save-wilds", "counter"])
def test_of_wilds_a_draw_four_is_kept_longest(name: str) -> None:
    assert choices(name, Table("w w+4 g1 g2", None)) == {"w:g"}


def test_save_wilds_lays_any_coloured_card_and_a_draw_four_if_there_is_nothing_else() -> None:
    assert choices("save-wilds", Table("w r1 rs r+2 g9 b1", None)) == {"r1", "rs", "r+2", "g9"}
    assert choices("save-wilds", Table("w+4 g1 g2 b3", None)) == {"w+4:g"}


def test_dump_wilds_lays_a_wild_as_soon_as_it_may_in_the_colour_it_holds_most_of() -> None:
    assert choices("dump-wilds", Table("w r1 r+2 g1 g2 g3", None)) == {"w:g"}
    assert choices("dump-wilds", Table("w w+4 r1 r2 g3", None)) == {"w:r", "w+4:r"}
    assert choices("dump-wilds", Table("r1 r+2 g9 b3", None)) == {"r1", "r+2", "g9"}


def test_keep_zero_lays_a_zero_where_it_holds_a_colour_worth_holding() -> None:
    assert choices("keep-zero", Table("r0 r1 r2 g9", None)) == {"r0"}
    assert choices("keep-zero", Table("r0 r1 g9 b2", None)) == {"r1", "g9"}
    assert choices("keep-zero", Table("g0 g1 g2 r3", None, first="r0")) == {"g0"}
    assert choices("keep-zero", Table("r0 w g1 b2", None)) == {"r0"}


def test_colour_major_goes_to_the_colour_it_holds_most_of_and_stays_there() -> None:
    assert choices("colour-major", Table("r1 r+2 g9 g1 g2 g3", None)) == {"g9"}
    assert choices("colour-major", Table("r1 r+2 r3 r4 g9 g1", None)) == {"r1", "r+2", "r3", "r4"}
    assert choices("colour-major", Table("w g1 g3 b5 y2", None)) == {"w:g"}


def test_aggressive_lays_the_hardest_card_first() -> None:
    for hand, expected in (
        ("w+4 r+2 rs r1", "w+4:r"),
        ("w r+2 rs rr r1", "r+2"),
        ("w rs rr r1", "rs"),
        ("w rr r1 g1", "rr"),
        ("w r1 g1 g2", "r1"),
    ):
        assert choices("aggressive", Table(hand, None, None)) == {expected}
    assert choices("aggressive", Table("wd2 r+2 r1 g1", None, None, preset="h2o")) == {"wd2:r"}


def test_counter_leaves_the_colour_that_the_next_player_drew_on() -> None:
    table = Table("r5 y9 g1 b1", None, None, first="r9")
    yellow, red = 1 * 4 + 1, 1 * 4
    assert choices("counter", table, drew_on={yellow: 1}) == {"y9"}
    assert choices("counter", table, drew_on={red: 1}) == {"r5"}
    third_and_red = 2 * 4
    assert choices("counter", table, drew_on={third_and_red: 1}, clockwise={0: 0}) == {"r5"}


def test_counter_counts_what_is_out() -> None:
    table = Table("r5 y9 g1 b1", None, None, first="r9")
    out = {1 * 13 + rank: 2 for rank in range(1, 13)}
    assert choices("counter", table, discards=out) == {"y9"}
    assert choices("counter", table, discards={kind - 13: count for kind, count in out.items()}) == {"r5"}


def test_counter_spends_a_wild_on_a_player_about_to_go_out() -> None:
    table = Table("r5 w b1 b2 b3", None, None)
    assert choices("counter", table) == {"r5"}
    assert choices("counter", table, hand_sizes={1: 2}, drew_on={1 * 4 + 3: 1}) == {"w:b"}


def test_mixed_lays_what_counter_would_most_often_and_other_cards_too() -> None:
    table = Table("r5 y9 g9 y1", None, None, first="r9")
    row, mask = table.game.observe(0, "uint8"), table.game.action_mask()
    rows, masks = np.repeat(row[None], 4000, 0), np.repeat(mask[None], 4000, 0)
    counts = np.bincount(agents.load("mixed", seed=2).act_batch(rows, masks), minlength=NUM_ACTIONS)
    (counted,) = np.unique(agents.load("counter").act_batch(rows, masks))
    assert counts.argmax() == counted
    assert (counts > 0).sum() > 1


def test_rlcard_rule_lays_a_draw_four_first_and_then_any_card_that_fits_but_wilds() -> None:
    assert choices("rlcard-rule", Table("w+4 r1 w g1 g2", None)) == {"w+4:g"}
    assert choices("rlcard-rule", Table("w r1 rs r+2 g9 b1", None)) == {"r1", "rs", "r+2", "g9"}
    assert choices("rlcard-rule", Table("w b1 b2 g3", None)) == {"w:r", "w:y", "w:g", "w:b"}


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


@pytest.mark.parametrize("name", SPEAKERS)
def test_all_but_random_go_out_when_they_can(name: str) -> None:
    for last in ("r5", "rs", "w", "w+4"):
        assert choices(name, Table(last, None)) <= {last, *(f"{last}:{letter}" for letter in "rygb")}


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


@pytest.mark.parametrize("name", ["highest-points", *HABITUAL])
def test_a_pair_comes_before_a_card(name: str) -> None:
    assert choices(name, Table("r5 r5 r6 g1", None, preset="guide_003")) == {"r5x2"}


def test_random_play_swaps_by_chance_most_others_with_the_smallest_hand() -> None:
    table = Table("r7 g1 g2", None, None, None, preset="house").go("0 r7")
    assert choices("random-play", table, hand_sizes={3: 1}) == {"swap1", "swap2", "swap3"}
    for name in ("highest-points", *HABITUAL):
        assert choices(name, table, hand_sizes={3: 1}) == {"swap3"}
        assert choices(name, table, hand_sizes={1: 2, 3: 2}) == {"swap1", "swap3"}


@pytest.mark.parametrize("card", ["r7", "r0"])
def test_greedy_lays_what_moves_hands_if_it_is_rid_of_cards(card: str) -> None:
    table = Table(f"{card} r1 r2 g5 g6", None, None, preset="house")
    previous = 2
    assert choices("greedy", table, hand_sizes={previous: 1}) == {card}
    assert choices("greedy", table) <= {"r1", "r2"}


@pytest.mark.parametrize("card", ["r7", "r0"])
@pytest.mark.parametrize("name", HABITUAL)
def test_who_looks_at_the_hands_draws_rather_than_get_cards(name: str, card: str) -> None:
    table = Table(f"{card} g1 g2 g5", None, None, preset="house")
    assert choices(name, table) == {"draw"}
    assert choices(name, table, hand_sizes={2: 3}) == {card}
    assert choices(name, Table(card, None, None, preset="house")) == {card}


@pytest.mark.parametrize("name", HABITUAL)
def test_who_looks_at_the_hands_passes_them_on_in_the_direction_of_play(name: str) -> None:
    table = Table("r0 g1 g2 g5", None, None, preset="house")
    assert choices(name, table, hand_sizes={1: 1}) == {"draw"}
    assert choices(name, table, hand_sizes={1: 1}, clockwise={0: 0}) == {"r0"}


@pytest.mark.parametrize("name", HABITUAL)
def test_who_looks_at_the_hands_jumps_in_unless_they_would_get_cards(name: str) -> None:
    table = Table("r7 g1 g2", "b1 b2 b3", "r7 y1 y2", preset="house").go("0 r7")
    assert choices(name, table) == {"jump_in"}
    assert choices(name, table, hand_sizes={0: 2}) == {"pass"}
    assert choices(name, table, hand_sizes={0: 1}) == {"jump_in"}


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
