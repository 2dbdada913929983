"""GUIDE.md 11.1: the preset ``rlcard``, departure by departure as numbered in core/rules/rlcard.py.

Against RLCard itself the game is played in tests/adapters/test_rlcard.py.
"""

import re
from collections import Counter
from typing import Any

import numpy as np
import pytest

from tests.helpers.chance import looks_uniform
from tests.helpers.table import Table
from uno_env import BatchedGames, Game, Rules
from uno_env.cards import COLOURS
from uno_env.core.record import END_NAMES
from uno_env.render.sentences import describe


def _table(first: str, second: str, top: str = "r9", pile: str = "", only: bool = False, seed: int = 0) -> Table:
    """RLCard's game with these hands; seat 0 begins. ``only``: there are no other cards than those named."""
    order = f"{first} {second} {top} {pile}"
    rules = Rules.preset("rlcard", hand_size=len(first.split()), deck=order if only else "classic")
    return Table.of(Game(rules, seed=seed, deck=order))


def test_the_preset_is_a_dialect_of_its_own() -> None:
    assert Rules.preset("rlcard") == Rules.preset("rlcard", dialect="rlcard")
    assert Rules().dialect == "official"


def test_the_same_player_begins_every_hand() -> None:
    batch = BatchedGames(500, "rlcard", seed=1)
    _, _, seats = batch.reset()
    skipping = batch.games["top"] % 13 >= 10
    assert set(seats[~skipping]) == {0}


def test_a_reverse_passes_the_turn_to_the_opponent() -> None:
    table = _table("rr r1", "y2 y3").go("0 rr")
    assert (table.to_move, table.direction) == (1, -1)


def test_one_may_draw_only_if_nothing_can_be_played() -> None:
    assert _table("r1 y2", "y3 y4").legal == {"r1"}
    assert _table("g1 y2", "y3 y4").legal == {"draw"}


def test_going_out_on_a_draw_two_makes_the_opponent_draw() -> None:
    table = _table("r+2", "y3", pile="b1 b2").go("0 r+2")
    assert (table.game.winner, table.game.rewards(), table.sizes) == (0, [1, -1], [0, 3])


def test_1_hands_are_dealt_as_blocks() -> None:
    table = _table("r1 r2 r3", "y1 y2 y3")
    assert [table.hand(0), table.hand(1)] == ["r1 r2 r3", "y1 y2 y3"]


def test_2_a_first_wild_gets_a_random_colour() -> None:
    tables = [_table("r1 r2", "y1 y2", "w", seed=seed) for seed in range(200)]
    assert {(table.phase, table.to_move) for table in tables} == {("play", 0)}
    colours = Counter(table.colour for table in tables)
    assert looks_uniform([colours[colour] for colour in COLOURS])


def test_3_after_a_first_draw_two_its_victim_begins() -> None:
    table = _table("r1 r2", "y1 y2", "r+2", pile="b1 b2")
    assert (table.hand(0), table.to_move) == ("r1 r2 b1 b2", 0)


@pytest.mark.parametrize("top", ["rs", "rr"])
def test_after_a_first_skip_or_reverse_the_other_begins(top: str) -> None:
    table = _table("r1 r2", "y1 y2", top)
    assert (table.to_move, table.direction) == (1, 1 if top == "rs" else -1)


def test_a_first_wild_draw_four_goes_back() -> None:
    assert _table("r1 r2", "y1 y2", "w+4", pile="b1").top != "w+4"


@pytest.mark.parametrize(
    ("held", "legal"),
    [("w+4 r1", {"r1"}), ("w+4 y9", {"y9"}), ("w+4 w", {"w"}), ("w+4 y1", {"w+4"}), ("w+4 w+4", {"w+4"})],
)
def test_4_a_wild_draw_four_only_if_nothing_else_can_be_played(held: str, legal: set[str]) -> None:
    assert _table(held, "g1 g2").legal == legal


def test_4_a_wild_draw_four_cannot_be_challenged() -> None:
    table = _table("w+4 y1", "g1 g2").go("0 w+4:y")
    assert (table.to_move, table.colour, table.sizes) == (0, "yellow", [1, 6])


def test_5_a_drawn_card_of_the_active_colour_is_played_at_once() -> None:
    table = _table("y1 y2", "g1 g2", pile="r5").go("0 draw")
    assert (table.top, table.to_move, table.sizes) == ("r5", 1, [2, 2])
    assert describe(table.game.events[-1]) == "player_0 draws r5, which is played at once"


@pytest.mark.parametrize(("drawn", "to_move", "sizes"), [("rs", 0, [2, 2]), ("rr", 1, [2, 2]), ("r+2", 0, [2, 4])])
def test_5_with_its_effect(drawn: str, to_move: int, sizes: list[int]) -> None:
    table = _table("y1 y2", "g1 g2", pile=f"{drawn} b1 b2").go("0 draw")
    assert (table.top, table.to_move, table.sizes) == (drawn, to_move, sizes)


@pytest.mark.parametrize("drawn", ["b5", "b9"])
def test_5_a_drawn_card_of_another_colour_is_kept_though_its_number_matches(drawn: str) -> None:
    table = _table("y1 y2", "g1 g2", pile=drawn).go("0 draw")
    assert (table.top, table.hand(0), table.to_move) == ("r9", f"y1 y2 {drawn}", 1)
    assert describe(table.game.events[-1]) == "player_0 draws 1 card"


@pytest.mark.parametrize("drawn", ["w", "w+4"])
def test_6_a_drawn_wild_is_played_in_a_random_colour_without_effect(drawn: str) -> None:
    colours: Counter[str | None] = Counter()
    for seed in range(200):
        table = _table("y1 y2", "g1 g2", pile=drawn, seed=seed).go("0 draw")
        assert (table.top, table.to_move, table.sizes) == (drawn, 1, [2, 2])
        assert list(table.sees(1, "colour")) == [table.colour == colour for colour in COLOURS]
        colours[table.colour] += 1
    assert looks_uniform([colours[colour] for colour in COLOURS])


def test_7_the_top_card_is_shuffled_with_the_others_and_still_has_to_be_matched() -> None:
    table = _table("y1 y2", "g1 g2", "r9", "b1", only=True).go("0 draw")
    assert (table.hand(0), table.pile, table.discards) == ("y1 y2 b1", "", "r9")
    table.go("1 draw")
    assert (table.top, table.hand(1), table.pile, table.discards) == ("r9", "g1 g2", "", "r9")
    assert describe(table.game.events[-1]) == "player_1 draws r9, which is played at once"


@pytest.mark.parametrize(("laid", "action", "pile"), [("r+2", "r+2", "b1"), ("w+4", "w+4:r", "b1 b2 b3")])
def test_7_too_few_cards_for_a_penalty_are_shuffled_with_all_that_were_laid(laid: str, action: str, pile: str) -> None:
    demanded = len(pile.split()) + 1
    left = set()
    for seed in range(50):
        table = _table(f"{laid} y2", "g1 g2", "r9", pile, only=True, seed=seed).go(f"0 {action}")
        assert (table.top, table.colour, table.discards) == (laid, "red", "")
        assert table.sizes == [1, 2 + demanded]
        left.add(table.pile)
    assert left == {laid, "r9", *pile.split()}


def test_7_enough_cards_for_a_penalty_are_not_shuffled() -> None:
    table = _table("r+2 y2", "g1 g2", "r9", "b1 b2", only=True).go("0 r+2")
    assert (table.hand(1), table.pile, table.discards) == ("g1 g2 b1 b2", "", "r9 r+2")


def test_where_too_few_are_left_even_so_the_player_draws_what_there_is() -> None:
    table = _table("w+4 y2", "g1 g2", "r9", "b1", only=True).go("0 w+4:r")
    assert (table.sizes, table.pile, table.discards) == ([1, 5], "", "")
    table.go("0 draw")
    assert (table.to_move, table.sizes) == (1, [1, 5])
    assert describe(table.game.events[-1]) == "player_0 finds nothing to draw"


def test_random_games_end_with_a_winner() -> None:
    batch = BatchedGames(64, "rlcard", seed=2)
    batch.reset()
    ends: Counter[str] = Counter()
    for _ in range(300):
        batch.step(batch.sample_actions())
        ends.update(END_NAMES[batch.end[game]] for game in np.flatnonzero(batch.hand_done))
    assert list(ends) == ["went_out"]


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"players": 3}, "dialect='rlcard' needs players=2, not 3: begin with the preset 'rlcard'"),
        ({"stacking": "same"}, "dialect='rlcard' needs stacking='off', not 'same': begin with the preset 'rlcard'"),
        ({"jump_in": True}, "dialect='rlcard' needs jump_in=False, not True: begin with the preset 'rlcard'"),
        ({"illegal_action": "penalty"},
         "dialect='rlcard' does not know illegal_action='penalty': choose 'raise' or 'terminate'"),
        ({"deck": "edition_2018"}, "dialect='rlcard' does not know the special wilds: choose a deck without them"),
    ],
)  # fmt: skip
def test_what_does_not_go_together_is_refused(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(sentence)}$"):
        Rules.preset("rlcard", **changes)


def test_the_dialect_alone_is_refused() -> None:
    with pytest.raises(ValueError, match="dialect='rlcard' needs players=2, not 4"):
        Rules(dialect="rlcard")
