"""Choosing among actions by samples: all are tried in the same determinizations, and those clearly behind are dropped
early.

A sample is what an action scores in one determinization. Since all actions meet the same determinizations, the
difference of two actions in one determinization is far less a matter of luck than what each scores, and it is these
paired differences that are judged.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Sample = Callable[[Ints, int, int], npt.NDArray[Any]]
"""``sample(indices, first, determinizations)``: scores [determinizations, K] of the actions of some indices [K], from
determinization ``first`` on."""

ROUND = 20
"""Determinizations between looks at who is behind."""
BEHIND = 2.0
"""Standard errors that the mean difference to the leader must be below 0."""


@dataclass(frozen=True)
class Budget:
    """How much may be tried: a number of determinizations, or milliseconds if ``ms`` is not 0."""

    determinizations: int
    ms: float = 0.0

    def is_spent(self, determinizations: int, began: float) -> bool:
        """Whether nothing more may be tried, after ``determinizations`` determinizations since ``began`` on the
        clock."""
        if self.ms:
            return time.perf_counter() - began >= self.ms / 1000
        return determinizations >= self.determinizations

    def round_size(self, determinizations: int) -> int:
        """Determinizations to try in the next round, after ``determinizations``."""
        return ROUND if self.ms else min(ROUND, self.determinizations - determinizations)


@dataclass(frozen=True)
class Race:
    """What came of it."""

    means: Floats
    """float64 [K], mean scores; those of a dropped action are of the determinizations that it was tried in."""
    determinizations: Ints
    """int64 [K], determinizations that each action was tried in."""
    chosen: int
    """Index of the chosen action."""


def race(sample: Sample, actions: int, budget: Budget, favourite: int = -1, trust: float = 0.0) -> Race:
    """Try ``actions`` actions and choose one.

    Args:
        sample: tries some of them.
        actions: how many there are, 2 or more.
        budget: how much may be tried.
        favourite: index of an action that is taken unless another is clearly better, −1 for none.
        trust: how many standard errors better is clearly.
    """
    began = time.perf_counter()
    rounds: list[Floats] = []
    alive = np.arange(actions)
    tried = 0
    while len(alive) > 1 and (tried == 0 or not budget.is_spent(tried, began)):
        size = budget.round_size(tried)
        scores = np.full((size, actions), np.nan)
        scores[:, alive] = sample(alive, tried, size)
        rounds.append(scores)
        tried += size
        table = np.concatenate(rounds)
        alive = alive[not_behind(table[:, alive])]
    means, determinizations = np.nanmean(table, axis=0), (~np.isnan(table)).sum(axis=0)
    best = int(alive[means[alive].argmax()])
    if favourite in alive and favourite != best:
        gain, error = mean_and_error(table[:, best] - table[:, favourite])
        best = favourite if gain <= trust * error else best
    return Race(means, determinizations, best)


def not_behind(table: Floats) -> npt.NDArray[np.bool_]:
    """Which of the actions tried in every determinization of ``table``, [W, K], are not clearly behind the best; bool
    [K]."""
    behind = table - table[:, [table.mean(axis=0).argmax()]]
    mean, error = mean_and_error(behind)
    return mean >= -BEHIND * error


def mean_and_error(samples: Floats) -> tuple[Any, Any]:
    """Mean of samples and its standard error, along the first axis."""
    deviation = samples.std(axis=0) / max(len(samples) - 1, 1) ** 0.5
    return samples.mean(axis=0), deviation
