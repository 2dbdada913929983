"""train/evaluation/crosstable.py: cells and intervals by hand, and what duplicate deals are worth."""

import math
from dataclasses import replace

import numpy as np
import pytest

from agents import load
from train.evaluation.crosstable import LineupGames, compare, variance_reduction, win_rate
from train.evaluation.duplicate import agent_scores, duplicate_deals, play_deals
from train.evaluation.estimate import Estimate
from train.evaluation.luck.adjusted import LuckAdjusted
from uno_env import Rules


def games(lineup, winners, first=0):
    winner = np.array(winners, np.int16)
    return LineupGames(lineup, first + np.arange(len(winner)), winner)


def test_shares_are_counted_by_the_seat():
    four = games((0, 0, 1, 2), [[0, 0, 1, -1]])
    assert four.shares(0).tolist() == [[0.5, 0.5, 0, 0.25]]
    assert four.shares(1).tolist() == [[0, 0, 1, 0.25]]
    assert (2 * four.shares(0) + four.shares(1) + four.shares(2)).tolist() == [[1, 1, 1, 1]]


def test_at_two_seats_a_cell_is_the_mean_over_deals():
    rng = np.random.default_rng(0)
    pair = games((0, 1), rng.integers(-1, 2, (50, 2)))
    cell = compare([pair], 0, 1, shared=True)
    expected = Estimate.of(pair.shares(0).mean(axis=1))
    assert (cell.mean, cell.error, cell.n) == pytest.approx((expected.mean, expected.error, 50))
    back = compare([pair], 1, 0, shared=True)
    assert (back.mean, back.error) == pytest.approx((1 - expected.mean, expected.error))
    assert (cell.low, cell.high) == pytest.approx((expected.share().low, expected.share().high))


def test_at_a_mixed_table_a_cell_is_the_share_of_both_agents_wins():
    table = games((0, 1, 2), [[0, 0, 1], [0, 2, 2], [1, 2, 2], [0, 1, -1]])
    cell = compare([table], 0, 1, shared=True)
    assert cell.mean == pytest.approx((4 + 1 / 3) / (4 + 3 + 2 / 3))
    x, y = np.array([2, 1, 0, 1 + 1 / 3]) / 3, np.array([3, 1, 1, 2 + 2 / 3]) / 3
    residual = x - cell.mean * y
    assert cell.error == pytest.approx(math.sqrt((residual**2).sum() * 4 / 3) / y.sum())
    assert compare([table], 0, 3, shared=True) is None


def test_the_same_deals_at_two_tables_are_one_measurement_each():
    rng = np.random.default_rng(1)
    wins = rng.integers(0, 2, (40, 2))
    once, twice = ([games((0, 1), wins)] * number for number in (1, 2))
    alone, double = (compare(tables, 0, 1, shared=True) for tables in (once, twice))
    assert (double.mean, double.error, double.n) == pytest.approx((alone.mean, alone.error, 40))


def test_one_at_a_table_of_another():
    tables = [games((0, 1, 1), [[0, 1, 1], [0, 0, 1]]), games((1, 0, 0), [[1, 1, 0], [0, 0, 0]])]
    assert compare(tables, 0, 1, shared=False).mean == pytest.approx(1 / 2)
    assert compare(tables, 1, 0, shared=False).mean == pytest.approx(1 / 3)
    assert win_rate(tables, 0).mean == pytest.approx((1 / 2 + (1 - 1 / 3) / 2) / 2)


def test_luck_is_taken_out_of_cells_and_win_rates():
    rng = np.random.default_rng(4)
    chance = rng.random((400, 2))
    plain = games((0, 1), chance < 0.45)
    luck = (chance - 0.5) * 0.9
    calm = replace(plain, luck=np.stack([-luck, luck], axis=2))
    for agent in (0, 1):
        before, after = (compare([each], agent, 1 - agent, shared=True) for each in (plain, calm))
        expected = LuckAdjusted.of("", plain.shares(agent), calm.luck[:, :, agent])
        assert (after.mean, after.low, after.high) == pytest.approx((expected.win_rate, expected.low, expected.high))
        assert abs(after.mean - before.mean) < before.half
        assert after.error < 0.75 * before.error
        assert after.variance_reduction > 1.5 * before.variance_reduction
        assert win_rate([calm], agent).error == pytest.approx(after.error)


def test_intervals_of_mixed_tables_hold_what_they_promise():
    rng = np.random.default_rng(2)
    strength = np.array([0.5, 0.3, 0.2])
    inside = 0
    for _ in range(300):
        luck = rng.dirichlet(8 * strength, 100)  # games of a deal are alike
        winner = np.array([rng.choice(3, 3, p=chances) for chances in luck])
        cell = compare([games((0, 1, 2), winner)], 0, 1, shared=True)
        inside += cell.low <= 0.625 <= cell.high
    assert 0.91 <= inside / 300 <= 0.985


@pytest.mark.parametrize("together", [-0.5, 0.0, 0.4])
def test_variance_reduction_of_known_games(together):
    """Two games of a deal with correlation c: independent ones need 1 / (1 + c) times as many."""
    rng = np.random.default_rng(3)
    first = rng.random(200_000) < 0.5
    same = rng.random(200_000) < (1 + together) / 2
    scores = np.stack([first, np.where(same, first, ~first)], axis=1).astype(float)
    assert variance_reduction([scores]) == pytest.approx(1 / (1 + together), rel=0.02)


def test_deals_that_do_not_vary_have_no_variance_reduction():
    assert variance_reduction([np.tile([0.0, 1.0], (10, 1))]) is None
    assert compare([games((0, 1), [[0, 1]] * 10)], 0, 1, shared=True).variance_reduction is None


def test_variance_reduction_is_that_of_the_means_of_played_games():
    """Many samples of each kind: as many games on duplicate deals, and on independent ones with seats by chance."""
    duel, samples, deals = Rules.preset("duel"), 1_000, 10
    pair = [load("greedy", seed=1), load("random", seed=2)]
    starts, seating = duplicate_deals(samples * deals, 2, seed=3)
    played = play_deals(seating, pair, starts, duel)
    scores = agent_scores(played, seating).reshape(-1, 2)
    single_starts, _ = duplicate_deals(samples * deals * 2, 2, seed=4)
    seats = np.random.default_rng(5).integers(0, 2, len(seating))
    alone = np.stack([seats, 1 - seats], axis=1)
    singles = agent_scores(play_deals(alone, pair, single_starts[::2], duel), alone)
    means = [each.reshape(samples, -1).mean(axis=1).var(ddof=1) for each in (singles, scores)]
    assert variance_reduction([scores]) == pytest.approx(means[0] / means[1], rel=0.2)
