"""Cross tables: how often each agent wins against each other, with intervals, and what duplicate deals are worth.

A seat's *share* of a game is 1 over the number of seats of the winner's agent if its agent won, 0 if another did, and
1 / players if nobody won. Two kinds of cells compare agent i with agent j:

- at two seats, and at mixed tables, of the wins of i and j where both sat, those of i, counted by the seat: par is one
  half, and cell (j, i) is what is left to one. (The others at the table do not matter for it by Luce's choice axiom.)
- where one sits at a table of others, the wins of i at a table of j: par is 1 / players.

A cell is a ratio R = ΣX / ΣY over deals, Y being 1 where it is no share. Its standard error is that of the deals'
residuals X − R·Y; its interval is that of :meth:`train.evaluation.estimate.Estimate.of_share` for ΣY measurements.

With residuals e of single games, the mean over n independent deals, seats drawn at random, has the variance
var(e) / n, and that over as many games of duplicate deals has var(e of a deal's mean) × players / n. Their ratio is the
*variance reduction*. Where luck is known, the shares are those without it, and may lie outside 0 to 1.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from train.evaluation.estimate import Estimate
from train.evaluation.lineups import Lineup, against
from train.evaluation.luck.adjusted import best_parts
from uno_env.core.arrays import Floats


@dataclass(frozen=True)
class LineupGames:
    """The games of a line-up."""

    lineup: Lineup
    deal: npt.NDArray[np.int64]
    """int64 [D]: numbers of the deals, each once."""
    winner: npt.NDArray[np.int16]
    """int16 [D, players]: the agent that won each rotation, −1 if nobody did."""
    luck: Floats | None = None
    """float64 [D, players, different agents]: luck of a seat of each agent, by their index; None: it stays in."""

    def shares(self, agent: int) -> Floats:
        """The share of each of an agent's seats, float64 [D, players]."""
        seats, players = self.lineup.count(agent), len(self.lineup)
        return np.where(self.winner < 0, 1 / players, (self.winner == agent) / seats)

    def results(self, agent: int) -> Floats:
        """The shares, float64 [D, players], without luck where that is known (:mod:`train.evaluation.luck`)."""
        shares = self.shares(agent)
        if self.luck is None:
            return shares
        luck = self.luck[:, :, sorted(set(self.lineup)).index(agent)]
        return shares - best_parts(shares.mean(axis=1), luck.mean(axis=1))[:, None] * luck


@dataclass(frozen=True)
class Cell(Estimate):
    """A ratio over deals, between 0 and 1, with its interval."""

    variance_reduction: float | None = None
    """None where the deals do not vary."""


def is_shared(tables: str, players: int) -> bool:
    """True if the cells of such a tournament are shares of two agents' wins, with par one half."""
    return players == 2 or tables == "mixed"


def compare(games: Iterable[LineupGames], agent: int, other: int, shared: bool) -> Cell | None:
    """The cell of two agents, or None if they did not meet on 2 deals or more, or neither won where wins are shared."""
    if shared:
        met = [each for each in games if agent in each.lineup and other in each.lineup]
    else:
        met = [each for each in games if each.lineup == against(agent, other, len(each.lineup))]
    return _ratio([_part(each, agent, other if shared else None) for each in met])


def win_rate(games: Iterable[LineupGames], agent: int) -> Cell | None:
    """An agent's mean share over all its seats, or None if it played fewer than 2 deals."""
    return _ratio([_part(each, agent, None) for each in games if agent in each.lineup])


def cross_table(games: Sequence[LineupGames], agents: int, shared: bool) -> list[list[Cell | None]]:
    """The cells of every two agents. Those on the diagonal are None."""
    return [
        [compare(games, agent, other, shared) if agent != other else None for other in range(agents)]
        for agent in range(agents)
    ]


class _Part(NamedTuple):
    """X and Y of a line-up's games, each [D, players], without luck and with it."""

    deal: npt.NDArray[np.int64]
    x: Floats
    y: Floats
    lucky_x: Floats
    lucky_y: Floats


def _part(games: LineupGames, agent: int, other: int | None) -> _Part:
    x, lucky = games.results(agent), games.shares(agent)
    if other is None:
        return _Part(games.deal, x, np.ones_like(x), lucky, np.ones_like(x))
    return _Part(games.deal, x, x + games.results(other), lucky, lucky + games.shares(other))


def _ratio(parts: Sequence[_Part]) -> Cell | None:
    """ΣX / ΣY of the deals' means of X and Y."""
    if not parts:
        return None
    numbers, index = np.unique(np.concatenate([part.deal for part in parts]), return_inverse=True)
    x = np.bincount(index, np.concatenate([part.x.mean(axis=1) for part in parts]))
    y = np.bincount(index, np.concatenate([part.y.mean(axis=1) for part in parts]))
    deals, whole = len(numbers), float(y.sum())
    if deals < 2 or whole == 0:
        return None
    value = float(x.sum() / whole)
    error = math.sqrt(float(((x - value * y) ** 2).sum()) * deals / (deals - 1)) / whole
    several = [part for part in parts if len(part.x) > 1]
    lucky = [part.lucky_x - value * part.lucky_y for part in several]
    reduction = variance_reduction(lucky, [part.x - value * part.y for part in several])
    return replace(Cell.of_share(value, error, whole, deals), variance_reduction=reduction)


def variance_reduction(residuals: Sequence[Floats], without_luck: Sequence[Floats] | None = None) -> float | None:
    """The games that independent deals need for each game of duplicate deals, from the residuals of each line-up,
    float64 [D, players].

    Independent deals are taken to have luck; ``without_luck`` are those of the duplicate deals if it is taken out.
    """
    single = sum(float(each.var(ddof=1)) for each in residuals)
    duplicates = residuals if without_luck is None else without_luck
    duplicate = sum(float(each.mean(axis=1).var(ddof=1)) * each.shape[1] for each in duplicates)
    return single / duplicate if duplicate > 1e-12 * max(single, 1e-300) else None
