"""A result with the luck in it taken out: :class:`LuckAdjusted`.

If values are good, all of the luck is subtracted. If they do not know the players well, as where one wins nearly all
hands, a part of it is better: the part that makes the variance least. Each half of the deals tells that part for the
other half. Luck is independent from one deal to the other, so the mean stays.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from train.evaluation.estimate import Estimate
from uno_env.core.arrays import Array

AS_GOOD_AS = 5
"""All of the luck is subtracted, unless the deals say otherwise: this counts as so many deals."""


@dataclass(frozen=True)
class LuckAdjusted:
    """A win rate over duplicate deals without the luck of drawn cards."""

    values: str
    """Name of the value function, which was fixed before the deals were played."""
    win_rate: float
    """The mean over deals; of few deals, it can lie outside 0 to 1."""
    standard_error: float
    low: float
    high: float
    """The 95 % interval over deals."""
    subtracted: float
    """Part of the luck that was subtracted, the mean of both halves of the deals."""
    gain: float
    """The factor by which more duplicate deals are needed for the same interval if luck stays in."""
    fewer_hands: float
    """The factor by which more hands are needed for the same interval if luck stays in, and each hand has its own
    deal."""

    @property
    def estimate(self) -> Estimate:
        """The win rate with its interval."""
        return Estimate(self.win_rate, self.standard_error, 0, self.low, self.high)

    @classmethod
    def of(cls, values: str, scores: Array, luck: Array) -> "LuckAdjusted":
        """The result of games, from the agent's scores [deals, players] and its luck [deals × players]."""
        raw, mine = scores.mean(axis=1), luck.reshape(scores.shape).mean(axis=1)
        parts = best_parts(raw, mine)
        left = raw - parts * mine
        rate, spread = Estimate.of(left).share(), max(float(left.var(ddof=1)), 1e-12)
        gain = float(raw.var(ddof=1)) / spread
        fewer = float(scores.var(ddof=1)) / scores.shape[1] / spread
        return cls(values, rate.mean, rate.error, rate.low, rate.high, float(parts.mean()), gain, fewer)


def best_parts(scores: Array, luck: Array) -> npt.NDArray[np.float64]:
    """The part of the luck that is subtracted in each deal, float64 [D], from the means over its games, each [D]."""
    half = np.arange(len(scores)) % 2
    return np.array([_best_part(scores[half != each], luck[half != each]) for each in (0, 1)])[half]


def _best_part(scores: Array, luck: Array) -> float:
    """The part of the luck [n] that leaves the least variance of scores [n]."""
    off = luck - luck.mean()
    squares = float(off @ off)
    prior = AS_GOOD_AS * squares / max(len(luck) - 1, 1)
    return (float(off @ scores) + prior) / (squares + prior) if squares else 1.0
