"""The strategies are as strong as they say, by a margin that chance does not explain."""

from typing import Any

import numpy as np
import pytest

import agents
from uno_env import BatchedGames, Rules

GAMES = 1500


def _score(name: str, other: str, rules: Rules, seed: int) -> tuple[float, float]:
    """Mean score and its standard error of ``name`` at one seat, each in turn, against ``other`` at the rest.

    A game's first hand counts: 1 if ``name`` wins it.
    """
    batch = BatchedGames(GAMES, rules, seed=seed, obs_dtype="uint8")
    players: list[Any] = [agents.load(name, seed=1), agents.load(other, seed=2)]
    own_seat = np.arange(GAMES) % rules.players
    won = np.full(GAMES, -1)
    observations, masks, seats = batch.reset()
    while (won < 0).any():
        actions = np.zeros(GAMES, np.int64)
        for mine, player in ((True, players[0]), (False, players[1])):
            rows = np.flatnonzero((seats == own_seat) == mine)
            actions[rows] = player.act_batch(observations[rows], masks[rows])
        observations, masks, seats, _, done = batch.step(actions)
        fresh = (done == 1) & (won < 0)
        won[fresh] = batch.winner[fresh] == own_seat[fresh]
    return float(won.mean()), float(won.std() / GAMES**0.5)


@pytest.mark.parametrize(
    ("name", "other", "above"),
    [
        ("greedy", "random-play", 0.60),
        ("greedy", "highest-points", 0.54),
        ("highest-points", "random-play", 0.50),
        ("highest-points", "random", 0.90),
        ("random-play", "random", 0.90),
    ],
)
def test_a_stronger_agent_wins_its_share_of_duels(name: str, other: str, above: float) -> None:
    mean, error = _score(name, other, Rules.preset("duel"), seed=11)
    assert mean - 3 * error > above


@pytest.mark.parametrize("other", ["random-play", "highest-points"])
def test_greedy_wins_more_than_its_share_on_classic(other: str) -> None:
    mean, error = _score("greedy", other, Rules.preset("classic", players=4), seed=12)
    assert mean - 3 * error > 0.28


@pytest.mark.parametrize("other", ["random-play", "highest-points"])
def test_greedy_wins_more_than_its_share_under_house_rules(other: str) -> None:
    mean, error = _score("greedy", other, Rules.preset("house", players=4), seed=13)
    assert mean - 3 * error > 0.30
