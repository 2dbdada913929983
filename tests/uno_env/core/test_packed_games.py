"""Rows of bytes: as long as the rules need, and nothing is ever written beyond them."""

import random

import pytest

from tests.helpers.random_rules import random_rules
from uno_env import BatchedGames, Rules
from uno_env.cards import NUM_KINDS
from uno_env.core.jit.njit import INTERPRETED
from uno_env.core.loops.batch import step_games
from uno_env.core.packed_games import offsets, row_bytes, row_dtype, rows_of, whole
from uno_env.core.record import GAME, SEAT
from uno_env.editions.classic import CLASSIC

OFFSETS = offsets(CLASSIC)
CLOSED = {"wild_draw_four": "free", "seven_zero": False, "customizable_effect": "none"}
"""Rules by which nobody comes to know a card of another."""

pytestmark = pytest.mark.skipif(INTERPRETED, reason="rows are whole records uncompiled")


@pytest.mark.parametrize("players", [2, 3, 10])
def test_a_hand_in_which_nobody_learns_cards_takes_its_seats_alone(players: int) -> None:
    rules = Rules(players=players, **CLOSED)
    assert row_bytes(rules.record_for(False)) == OFFSETS.seats + players * SEAT.itemsize == 256 + 64 * players
    assert row_dtype(rules.record_for(False)).names == GAME.names[: GAME.names.index("seats") + 1]
    assert row_dtype(rules.record_for(False))["seats"].shape == (players,)
    match = row_dtype(rules.record_for(True))
    assert match["scores"].shape == (10,)
    assert match.itemsize == row_bytes(rules.record_for(True)) < OFFSETS.known + 64


@pytest.mark.parametrize(
    "change", [{"wild_draw_four": "bluff"}, {"seven_zero": True}, {"customizable_effect": "swap_hands"}]
)
def test_who_can_know_cards_has_room_for_them(change: dict[str, object]) -> None:
    kept = row_dtype(Rules(**{"players": 3, **CLOSED, **change}).record_for(False))
    assert 9 * NUM_KINDS <= kept["known"].shape[0] < 9 * NUM_KINDS + 64


def test_seats_begin_where_memory_comes_from() -> None:
    assert (OFFSETS.pile % 64, OFFSETS.seats % 64, SEAT.itemsize) == (0, 0, 64)


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(30))
def test_a_game_writes_nothing_into_the_next(seed: int) -> None:
    chance = random.Random(seed)
    batch = BatchedGames(2, random_rules(chance), seed=seed, match=seed % 2 == 0)
    batch.reset()
    rows = rows_of(batch.games)
    for game in (0, 1):
        other = rows[1 - game].copy()
        for _ in range(150):
            outcome = batch._reward, batch._done_bytes, batch._results
            actions = batch.sample_actions()
            step_games(batch._games, batch._record, actions, batch._view, outcome, game, game + 1)
            assert (rows[1 - game] == other).all()


def test_whole_records_say_the_same_and_nothing_else() -> None:
    batch = BatchedGames(3, "duel", seed=1)
    batch.reset()
    full = whole(batch.games)
    for name in batch.games.dtype.names:
        seats = full[name][:, :2] if name == "seats" else full[name]
        assert (seats == batch.games[name]).all()
    assert not rows_of(full)[:, batch.games.itemsize :].any()
