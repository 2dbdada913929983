"""Shared parts of the compiled strategies: scratch memory, and the choice by score.

A strategy is a compiled function ``decide(faces, row, mask, scratch)``: the tables of the edition that is played
(:mod:`agents.scripted.faces`), an observation in integer form, uint8 [D], the legal actions, uint8 [A] (both
C-contiguous), and a :class:`Scratch`; it returns a legal action. It allocates nothing, so that it can be called for
every decision of a playout in other compiled code::

    faces, scratch = faces_of(edition), new_scratch("greedy", random, edition=edition)  # once for each thread
    action = decide_greedy(faces[0], row, mask, scratch)  # in compiled code, as often as you like

Most write a score for every legal action, and the best one is chosen, ties uniformly.
"""

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from uno_env.core.arrays import Bytes, Floats, Ints
from uno_env.core.jit.njit import njit
from uno_env.core.rng import bounded, next_bits_at

Random: TypeAlias = npt.NDArray[np.uint64]
"""An agent's generator: one number."""


class Scratch(NamedTuple):
    """The memory that a strategy works in. Threads must not share it."""

    random: Random
    """Its random generator, uint64 [1]."""
    legal: Ints
    """The legal actions, int64 [A]."""
    scores: Floats
    """Their scores, by action, float64 [A]."""
    weights: Floats
    """Weights of a strategy that has them, float64 [sets, weights]; other strategies do not read it."""
    row: Bytes
    """With two sides, the observation as of the side in force, uint8 [columns + 1]; otherwise not read."""
    mask: Bytes
    """With two sides, the legal actions as of the side in force, uint8 [A]; otherwise not read."""


@njit
def list_legal(mask: Bytes, legal: Ints) -> int:
    """Write the marked actions, ascending, to the beginning of ``legal``, and return how many there are."""
    number = 0
    for action in range(mask.shape[0]):
        legal[number] = action  # without a branch, which would be mispredicted
        number += mask[action] != 0
    return number


@njit
def best_of(scratch: Scratch, number: int) -> int:
    """Return the action with the highest score among the first ``number`` legal ones. Equal scores have the same
    probability.
    """
    best, ties = scratch.legal[0], 1
    for action in scratch.legal[1:number]:
        if scratch.scores[action] > scratch.scores[best]:
            best, ties = action, 1
        elif scratch.scores[action] == scratch.scores[best]:
            ties += 1
            if draw_below(scratch.random, ties) == 0:
                best = action
    return best


@njit
def draw_below(random: Random, bound: int) -> int:
    """Uniform integer from 0 to ``bound`` − 1 by the agent's generator, uint64 [1]."""
    return bounded(next_bits_at(random, 0), bound)


@njit
def to_integers(rows: npt.NDArray[np.float32], inverse_scales: npt.NDArray[np.float32], out: Bytes) -> None:
    """Write the integer form of observations float32 [N, D] into uint8 [N, D]."""
    half = np.float32(0.5)
    for index in range(rows.shape[0]):
        row, whole = rows[index], out[index]
        for column in range(rows.shape[1]):
            whole[column] = np.int32(row[column] * inverse_scales[column] + half)
