"""studies/luck.py and oracle.py: how many games it takes to tell, and that knowing more wins."""

import numpy as np
import pytest

from studies import oracle
from studies.luck import OPEN_HANDS, needed
from studies.tables import STRONG, play_duplicate
from train.evaluation.estimate import Estimate
from uno_env import BatchedGames, Rules

pytestmark = pytest.mark.adapters


def test_the_games_that_it_takes_to_tell() -> None:
    scores = np.zeros((500, 2))
    scores[:300] = 1  # the deal decides: whoever is better wins it from both seats
    edge = Estimate.of(scores.mean(axis=1)) - 0.5
    games = needed(scores, edge)
    textbook = (1.959964 + 0.841621) ** 2 * 0.6 * 0.4 / 0.1**2
    assert games["to tell"].mean == pytest.approx(textbook, rel=0.01)
    assert games["to tell, duplicate"].mean == pytest.approx(2 * textbook, rel=0.01), "both games of a deal are alike"
    assert games["to lead"].mean == pytest.approx(0.67449**2 * 0.24 / 0.1**2, abs=1)
    assert all(each.low <= each.mean <= each.high for each in games.values())


def test_duplicate_deals_need_fewer_games_where_the_seat_decides() -> None:
    chance = np.random.default_rng(0)
    by_seat = chance.permuted(np.tile([0.0, 1.0], (400, 1)), axis=1)
    by_seat[:60] = 1
    games = needed(by_seat, Estimate.of(by_seat.mean(axis=1)) - 0.5)
    assert games["to tell, duplicate"].mean < games["to tell"].mean / 2


def test_who_is_not_told_apart_needs_no_number() -> None:
    scores = np.tile([0.0, 1.0], (50, 1))
    assert needed(scores, Estimate.of(scores.mean(axis=1)) - 0.5) == {}


@pytest.mark.parametrize("players", [2, 3])
def test_knowing_more_wins(players: int) -> None:
    rules = Rules.preset("classic", players=players)
    opened = play_duplicate(OPEN_HANDS.replace("30", "8"), STRONG, rules, 20, seed=5)
    known = play_duplicate(oracle.SPEC, STRONG, rules, 100, seed=5)
    assert Estimate.of(opened.mean(axis=1)).low > 1 / players
    assert Estimate.of(known.mean(axis=1)).low > 0.7


def test_who_knows_the_deck_wins_what_can_be_won_by_its_last_choice() -> None:
    """With the true course of the game in view, a winning action is taken where its model sees one."""
    rules = Rules.preset("duel")
    again = [play_duplicate(oracle.SPEC, STRONG, rules, 30, seed=8) for _ in range(2)]
    assert (again[0] == again[1]).all()
    assert again[0].mean() > 0.85


def test_no_more_of_a_game_is_read_than_there_is() -> None:
    """What lies behind a game's bytes in memory was copied, up to 6,000 of them."""
    batch = BatchedGames(1, "duel", obs_dtype="uint8")
    obs, mask, _ = batch.reset()
    size = batch.games.dtype.itemsize
    memory = np.full(size + 10_000, 0xA5, np.uint8)
    memory[:size] = batch.games.view(np.uint8)
    player = oracle.KnowsTheDeck()
    action = player.act_on_games(obs, mask, memory[:size].view(batch.games.dtype))[0]
    assert mask[0, action]
    assert not (player._scratch.game.view(np.uint8) == 0xA5).any()
    with pytest.raises(ValueError, match="0 games are not one for each of 1"):
        player.act_on_games(obs, mask, batch.games[:0])
    with pytest.raises(ValueError, match="game 0 of the state is impossible"):
        player.act_on_games(obs, mask, np.full(size, 77, np.uint8).view(batch.games.dtype))
