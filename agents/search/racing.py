"""Choosing among actions by samples: all are tried in the same determinizations, and those clearly behind are dropped
early.

A sample is the score of an action in one determinization. All actions are tried in the same determinizations, so the
difference of two actions varies far less than their scores. These paired differences are compared.
"""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from uno_env.core.arrays import Array, Ints

Sample = Callable[[Ints, int, int], Array]
"""``sample(indices, first, determinizations)``: scores [determinizations, K] of the actions of some indices [K], from
determinization ``first`` on."""

ROUND = 20
"""Determinizations between two eliminations of weak actions."""
BEHIND = 2.0
"""An action whose mean difference to the leader is this many standard errors below 0 is dropped."""


class Budget:
    """The budget of one decision: ``number`` determinizations or simulations, or milliseconds if ``ms`` is not 0.

    The clock runs from the start of the object's life.
    """

    def __init__(self, number: int, ms: float) -> None:
        self.number, self.ms, self.began = number, ms, time.perf_counter()

    def lasts(self, done: int) -> bool:
        """True if more may be tried after ``done``. The first one always may."""
        if self.ms:
            return done == 0 or time.perf_counter() - self.began < self.ms / 1000
        return done < self.number


def race(sample: Sample, actions: int, budget: Budget, favourite: int = -1, trust: float = 0.0) -> int:
    """Try ``actions`` actions. Returns the index of the best one.

    Args:
        sample: tries some of them.
        actions: how many there are, 2 or more.
        budget: how much may be tried.
        favourite: index of an action that is taken unless another is clearly better; −1 for none.
        trust: standard errors that count as clearly better.
    """
    table = np.zeros((0, actions))
    alive = np.arange(actions)
    while len(alive) > 1 and budget.lasts(len(table)):
        size = ROUND if budget.ms else min(ROUND, budget.number - len(table))
        scores = np.full((size, actions), np.nan)
        scores[:, alive] = sample(alive, len(table), size)
        table = np.concatenate((table, scores))
        alive = not_behind(table, alive, BEHIND)
    best = int(alive[table.mean(axis=0)[alive].argmax()])
    if favourite in alive and favourite != best:
        gain, error = mean_and_error(table[:, best] - table[:, favourite])
        best = favourite if gain <= trust * error else best
    return best


def not_behind(table: npt.NDArray[np.float64], alive: Ints, behind: float) -> Ints:
    """The indices of ``alive`` whose action is not clearly behind the leader.

    Args:
        table: scores of all actions, float64 [determinizations, actions].
        alive: indices of the actions that are compared.
        behind: standard errors by which an action is clearly behind.
    """
    scores = table[:, alive]
    mean, error = mean_and_error(scores - scores[:, [scores.mean(axis=0).argmax()]])
    return alive[mean >= -behind * error]


def mean_and_error(samples: npt.NDArray[np.float64]) -> tuple[Any, Any]:
    """Mean of samples and its standard error, along the first axis."""
    deviation = samples.std(axis=0) / max(len(samples) - 1, 1) ** 0.5
    return samples.mean(axis=0), deviation
