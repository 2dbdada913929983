"""Random playouts: seeded, uniform, of copies."""

import numpy as np
import pytest

from tests.helpers.table import Table
from uno_env import Game
from uno_env.actions import PASS


@pytest.mark.thorough
@pytest.mark.parametrize("rules", ["rlcard", "classic", "edition_2022"])
def test_playouts_end_with_a_winner_and_leave_the_game_alone(rules: str) -> None:
    game = Game(rules, seed=3)
    before = game.to_json()
    rewards = game.playouts(50, seed=1)
    assert rewards.shape == (50, game.players)
    assert (rewards.max(axis=1) == 1).all()
    assert np.abs(rewards.sum(axis=1)).max() < 1e-6
    assert game.to_json() == before
    assert (game.playouts(50, seed=1) == rewards).all()
    assert (game.playouts(50, seed=2) != rewards).any()


def test_a_playout_goes_on_from_where_the_game_is() -> None:
    table = Table("r1 r2", "g3 g4", preset="duel").go("0 r1")
    assert table.game.playouts(200)[:, 0].mean() > 0  # one card against two, and it fits
    table.go("1 draw")
    while table.game.to_move == 1:
        table.game.step(PASS)
    table.go("0 r2")
    assert table.game.over
    assert (table.game.playouts(3) == [1, -1]).all()


def test_a_match_is_played_to_its_end() -> None:
    game = Game("classic", seed=1, players=2, match=True)
    assert (np.sort(game.playouts(3), axis=1) == [-1, 1]).all()


@pytest.mark.parametrize("number", [0, -1, 1.5, True, "3"])
def test_a_number_that_is_not_allowed(number: object) -> None:
    with pytest.raises(ValueError, match=r"number=.* is not allowed: choose a whole number, 1 or more"):
        Game("duel").playouts(number)  # type: ignore[arg-type]
