"""Ratings of a tournament's agents, with intervals: Bradley–Terry's.

They are the strengths that make the tournament's results most probable, found by Newton's method. A game of
n players is won by one of them, with a probability in proportion to the strengths of all (Luce); so at every table
where both sat, the wins of i against those of j, by the seat, are games between the two. In Elo points: 400 between two
agents is odds of 10 to 1. The mean of all agents is 0, or a chosen agent is. A hundredth of a made-up win for each in
every pair makes the rating of an agent that never won finite.

Intervals hold 95 % of the ratings of tournaments with deals drawn with replacement, each with all its games. Every
two agents that met also have two made-up deals to be drawn, one won by each: so a few deals that one agent won all of
do not look exact.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from train.evaluation.crosstable import LineupGames
from train.evaluation.estimate import Estimate
from uno_env.core.arrays import Floats

BOOTSTRAPS = 200
ELO = 400 / math.log(10)

_MADE_UP = 0.01
_EXACT = 1e-9
"""Change of a logarithmic strength after which it is found."""
_AT_ONCE = 10


def rate(games: Sequence[LineupGames], agents: int, seed: int, anchor: int | None = None) -> list[Estimate]:
    """The ratings of ``agents`` agents, in Elo points, from all games of a tournament. The bootstrap draws by the seed.

    ``anchor`` is the agent whose rating is 0; None: the mean of all is.
    """
    wins = _Wins(games, agents)
    elo = bradley_terry(wins.count(), anchor)
    drawn = np.array([bradley_terry(table, anchor) for table in wins.bootstrap(np.random.default_rng(seed))])
    exact = [Estimate.bootstrapped(elo[agent], drawn[:, agent]) for agent in range(agents)]
    # Made-up deals draw ratings together: an interval holds the value itself all the same
    return [replace(each, low=min(each.low, each.mean), high=max(each.high, each.mean)) for each in exact]


def bradley_terry(wins: Floats, anchor: int | None = None) -> Floats:
    """Elo points, of mean 0 or with the anchor at 0, from ``wins[i, j]``, the games between i and j that i won."""
    won = wins + _MADE_UP * (1 - np.eye(len(wins)))
    games, strengths, step = won + won.T, np.zeros(len(wins)), np.ones(len(wins))
    while np.abs(step).max() > _EXACT:
        expected = 1 / (1 + np.exp(strengths - strengths[:, None]))  # share of wins of i against j
        slopes = games * expected * (1 - expected)
        # Adding 1 everywhere makes the matrix regular, and keeps the mean of the strengths 0.
        curvature = np.diag(slopes.sum(axis=1)) - slopes + 1
        step = np.linalg.solve(curvature, (won - games * expected).sum(axis=1))
        strengths += step / max(np.abs(step).max(), 1)  # a longer one may go too far
    return ELO * (strengths if anchor is None else strengths - strengths[anchor])


class _Wins:
    """The wins of every two agents where both sat, from deals that may be drawn again."""

    def __init__(self, games: Sequence[LineupGames], agents: int) -> None:
        self._agents = agents
        self._deals = 1 + max(int(each.deal.max()) for each in games)
        columns: list[npt.NDArray[np.float32]] = []
        pairs: list[tuple[int, int, int]] = []
        for each in games:
            distinct = sorted(set(each.lineup))
            for agent in distinct:
                pairs += [(len(columns), agent, other) for other in distinct if other != agent]
                column = np.zeros(self._deals, np.float32)
                column[each.deal] = each.results(agent).sum(axis=1)
                columns.append(column)
        self._shares = np.stack(columns, axis=1)
        self._column, self._winner, self._loser = np.array(pairs).T
        self._games_a_deal = len(games[0].lineup)
        self._met = np.zeros((agents, agents))
        self._met[self._winner, self._loser] = 1

    def count(self) -> Floats:
        """Wins [agents, agents] of the deals as played."""
        return self._tables(self._shares.sum(axis=0, dtype=np.float64)[None])[0]

    def bootstrap(self, rng: np.random.Generator) -> Iterator[Floats]:
        """The same of :data:`BOOTSTRAPS` draws of as many deals."""
        for _ in range(0, BOOTSTRAPS, _AT_ONCE):
            drawn = rng.integers(0, self._deals, (_AT_ONCE, self._deals))
            often = np.stack([np.bincount(row, minlength=self._deals) for row in drawn]).astype(np.float32)
            made_up = self._games_a_deal * self._met * rng.poisson(1, (_AT_ONCE, self._agents, self._agents))
            yield from self._tables((often @ self._shares).astype(np.float64)) + made_up

    def _tables(self, sums: Floats) -> Floats:
        tables = np.zeros((len(sums), self._agents, self._agents))
        index: Any = (slice(None), self._winner, self._loser)
        np.add.at(tables, index, sums[:, self._column])
        return np.maximum(tables, 0)  # without luck, a few deals may add up to less
