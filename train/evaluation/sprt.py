"""Which of two agents is better, with as few deals as it takes: a sequential test with three answers.

The measurement is an agent's score of a deal: its share of the deal's games, over all rotations, 1/2 in the mean if the
two are equal. With two players it is one of 0, 1/4, 1/2, 3/4 and 1: the pentanomial model of chess engine testing,
which takes the games of a deal as what they are, not independent.

Two generalized sequential probability ratio tests (GSPRT) run side by side, each of the hypothesis "the two are equal"
(score 1/2) against one of a difference:

- the first agent is better: its score is 1/2 + margin,
- the second agent is better: its score is 1/2 − margin.

The log-likelihood ratio (LLR) of a test is that of the two most probable distributions over the observed scores that
have the hypotheses' means. A test rejects equality at LLR ≥ ln((1 − β) / (α / 2)), and the difference at LLR ≤ ln(β /
(1 − α / 2)). The answer is ``first`` or ``second`` once a test rejects equality, ``equal`` once both reject their
difference.

Error rates, approximately: equal agents are called different with probability α at most (α / 2 in each direction), and
agents that differ by the margin or more are called equal, or the wrong one better, with probability β at most. In
between, it takes the longest, and either answer is possible.
"""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from train.evaluation.crosstable import LineupGames

MARGIN, ALPHA, BETA = 0.01, 0.05, 0.05

_ROUNDED = 9
_REGULAR = 1e-3
"""Made-up deals at each of 0, 1/2 and 1, so that one kind of score alone has a likelihood, too."""


@dataclass
class Sprt:
    """The test, fed with scores as they come.

    Args:
        margin: what difference from 1/2 in the score is to be distinguished from none.
        alpha: error rate of calling equal agents different.
        beta: error rate of not seeing a difference of the margin.

    Raises:
        ValueError: an argument is not allowed.
    """

    margin: float = MARGIN
    alpha: float = ALPHA
    beta: float = BETA
    counts: dict[float, int] = field(default_factory=dict)
    """Deals by score."""

    def __post_init__(self) -> None:
        for name, high in (("margin", 0.5), ("alpha", 0.5), ("beta", 0.5)):
            value = getattr(self, name)
            if not 0 < value < high:
                raise ValueError(f"{name}={value!r} is not allowed: choose a number between 0 and {high}")

    @property
    def upper(self) -> float:
        """LLR from which on a test rejects equality."""
        return math.log((1 - self.beta) / (self.alpha / 2))

    @property
    def lower(self) -> float:
        """LLR down to which a test rejects its difference."""
        return math.log(self.beta / (1 - self.alpha / 2))

    @property
    def deals(self) -> int:
        """Number of scores so far."""
        return sum(self.counts.values())

    def add(self, scores: npt.ArrayLike) -> None:
        """Take the first agent's scores of more deals."""
        values, numbers = np.unique(np.round(np.asarray(scores, float), _ROUNDED), return_counts=True)
        for value, number in zip(values.tolist(), numbers.tolist(), strict=True):
            self.counts[value] = self.counts.get(value, 0) + number

    def ratios(self) -> tuple[float, float]:
        """LLR of "the first is better" and of "the second is better", each against equality."""
        values, counts = np.array(sorted(self.counts.items())).T if self.counts else (np.zeros(0), np.zeros(0))
        return (
            log_likelihood_ratio(values, counts, 0.5, 0.5 + self.margin),
            log_likelihood_ratio(values, counts, 0.5, 0.5 - self.margin),
        )

    def verdict(self) -> str | None:
        """``first``, ``second`` or ``equal``; None while more deals are needed."""
        first, second = self.ratios()
        if max(first, second) >= self.upper:
            return "first" if first > second else "second"
        return "equal" if max(first, second) <= self.lower else None

    def to_dict(self, agents: Sequence[str]) -> dict[str, Any]:
        """The test for JSON: settings, bounds, both LLRs, deals, counts by score, verdict and the ``better`` agent."""
        verdict, (first, second) = self.verdict(), self.ratios()
        return {
            **{name: value for name, value in asdict(self).items() if name != "counts"},
            "agents": list(agents),
            "lower": self.lower,
            "upper": self.upper,
            "llr_first": first,
            "llr_second": second,
            "deals": self.deals,
            "counts": {f"{score:g}": number for score, number in sorted(self.counts.items())},
            "verdict": verdict,
            "better": {"first": agents[0], "second": agents[1]}.get(verdict or ""),
        }


def log_likelihood_ratio(values: npt.NDArray[Any], counts: npt.NDArray[Any], mean_0: float, mean_1: float) -> float:
    """LLR of mean 1 against mean 0, of ``counts`` [K] deals that scored ``values`` [K]."""
    values = np.concatenate([values, [0.0, 0.5, 1.0]])
    counts = np.concatenate([counts, np.full(3, _REGULAR)])
    share = counts / counts.sum()
    likely_0, likely_1 = (_likeliest(values, share, mean) for mean in (mean_0, mean_1))
    return float(counts @ np.log(likely_1 / likely_0))


def _likeliest(values: npt.NDArray[Any], share: npt.NDArray[Any], mean: float) -> npt.NDArray[Any]:
    """The distribution over ``values`` with that mean under which the observed ``share`` is the most probable."""
    from scipy.optimize import brentq

    off = values - mean
    low, high = -1 / off.max(), -1 / off.min()
    inside = 1e-12 * (high - low)
    tilt = brentq(lambda tilt: float(share @ (off / (1 + tilt * off))), low + inside, high - inside)
    return np.asarray(share / (1 + tilt * off))


def deal_scores(games: Sequence[LineupGames], agent: int = 0) -> npt.NDArray[np.float64]:
    """An agent's score of each deal that all line-ups have played, float64 [D]: its share of all their games."""
    scores = np.stack([each.shares(agent).mean(axis=1) * each.lineup.count(agent) for each in games])
    return np.asarray(scores.mean(axis=0))
