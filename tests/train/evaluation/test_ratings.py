"""train/evaluation/ratings.py: known strengths are found again, and intervals are those of deals."""

import numpy as np
import pytest

from train.evaluation import ratings
from train.evaluation.crosstable import LineupGames
from train.evaluation.lineups import make_lineups
from train.evaluation.ratings import ELO, bradley_terry, rate

STRENGTH = np.array([1.0, 2.0, 4.0, 3.0])
TRUE = ELO * (np.log(STRENGTH) - np.log(STRENGTH).mean())


def simulate(players, deals, seed=0, tables="mixed"):
    rng = np.random.default_rng(seed)
    games = []
    for lineup in make_lineups(4, players, tables):
        chances = STRENGTH[list(lineup)] / STRENGTH[list(lineup)].sum()
        seats = rng.choice(players, (deals, players), p=chances)
        games.append(LineupGames(lineup, np.arange(deals), np.array(lineup, np.int16)[seats]))
    return games


@pytest.mark.parametrize(
    ("players", "tables"), [(2, "mixed"), (3, "mixed"), (4, "mixed"), (6, "mixed"), (4, "against")]
)
def test_known_strengths_are_found_again(players, tables):
    rated = rate(simulate(players, 20_000, tables=tables), 4, seed=0)
    elo = np.array([each.mean for each in rated])
    assert elo == pytest.approx(TRUE, abs=5)
    assert sum(elo) == pytest.approx(0, abs=1e-6)
    for each in rated:
        assert each.low < each.mean < each.high


def test_intervals_hold_the_truth_as_often_as_they_say():
    inside = [
        each.low <= true <= each.high
        for seed in range(30)
        for each, true in zip(rate(simulate(2, 300, seed), 4, seed=seed), TRUE, strict=True)
    ]
    assert 0.88 <= np.mean(inside) <= 1


def test_games_of_one_deal_are_drawn_together():
    """If both games of a deal always end alike, they say no more than one: the interval is wider by the root of 2."""
    (games, *_) = simulate(2, 4_000)
    doubled = LineupGames(games.lineup, games.deal, np.repeat(games.winner[:, :1], 2, axis=1))
    widths = [rate([each], 2, seed=0)[0] for each in (games, doubled)]
    assert (widths[1].high - widths[1].low) / (widths[0].high - widths[0].low) == pytest.approx(2**0.5, rel=0.2)


@pytest.mark.parametrize("seed", range(20))
def test_as_many_wins_are_expected_as_there_were(seed):
    """That is when a likelihood is greatest; the tables go from balanced to one group that always beats the other."""
    rng = np.random.default_rng(seed)
    agents = int(rng.integers(2, 30))
    wins = rng.integers(0, 10 ** rng.integers(1, 6), (agents, agents)).astype(float)
    wins[rng.random(wins.shape) < rng.random()] = 0  # among them agents that never met
    if seed % 3 == 0:
        wins[agents // 2 :, : agents // 2] = 0
    np.fill_diagonal(wins, 0)
    strengths = bradley_terry(wins) / ELO
    assert strengths.mean() == pytest.approx(0, abs=1e-9)
    counted = wins + ratings._MADE_UP * (1 - np.eye(agents))
    share = 1 / (1 + np.exp(strengths - strengths[:, None]))
    assert ((counted + counted.T) * share).sum(axis=1) == pytest.approx(counted.sum(axis=1), rel=1e-6, abs=1e-6)


def test_two_agents_are_apart_by_their_odds():
    elo = bradley_terry(np.array([[0.0, 10_000.0], [1_000.0, 0.0]]), anchor=1)
    assert elo == pytest.approx([400, 0], abs=1e-2)


def test_ratings_repeat_from_the_seed():
    games = simulate(3, 100)
    first, again, other = (rate(games, 4, seed) for seed in (1, 1, 2))
    assert first == again
    assert first != other
    assert [each.mean for each in first] == [each.mean for each in other]


def test_a_game_that_nobody_won_is_a_draw():
    nobody = LineupGames((0, 1), np.arange(50), np.full((50, 2), -1, np.int16))
    rated = rate([nobody], 2, seed=0)
    assert [each.mean for each in rated] == pytest.approx([0, 0], abs=1e-6)


@pytest.mark.parametrize(("deals", "low", "high"), [(10, 50, 200), (1_000, 350, 700)])
def test_an_agent_that_won_all_deals_is_rated_with_an_honest_interval(deals, low, high):
    (rating, other) = rate([LineupGames((0, 1), np.arange(deals), np.zeros((deals, 2), np.int16))], 2, seed=0)
    assert low < rating.low < high
    assert high < rating.mean
    assert rating.mean <= rating.high
    assert rating.mean == pytest.approx(-other.mean)
    assert "± 0" not in rating.text(0, "+", scale=1)
