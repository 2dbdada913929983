"""A result with the luck in it taken out: :class:`LuckAdjusted`."""

from dataclasses import dataclass

from train.evaluation.estimate import Estimate
from uno_env.core.arrays import Array


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
    gain: float
    """How many times as many duplicate deals it takes for the same interval if luck stays in."""
    fewer_hands: float
    """How many times as many hands it takes for the same interval if luck stays in, and each hand has its own deal."""

    @property
    def estimate(self) -> Estimate:
        """The win rate with its interval."""
        return Estimate(self.win_rate, self.standard_error, 0, self.low, self.high)

    @classmethod
    def of(cls, values: str, scores: Array, luck: Array) -> "LuckAdjusted":
        """The result of games.

        Args:
            values: name of the value function.
            scores: [deals, players], the agent's score of each game.
            luck: [deals × players], its luck.
        """
        raw, left = scores.mean(axis=1), (scores - luck.reshape(scores.shape)).mean(axis=1)
        rate, spread = Estimate.of(left).share(), max(float(left.var(ddof=1)), 1e-12)
        gain = float(raw.var(ddof=1)) / spread
        fewer = float(scores.var(ddof=1)) / scores.shape[1] / spread
        return cls(values, rate.mean, rate.error, rate.low, rate.high, gain, fewer)
