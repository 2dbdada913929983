"""Sweeps over a tree in sequence form, compiled.

A *plan* holds for each sequence the probability that its seat plays all of it: float64 [S], 1 for sequence 0. Given the
plans of the others, what a seat's sequence is worth is a sum over the ends of hands (:func:`add_ends`); a sweep over
the information states from the last to the first turns that into values, best responses or regrets.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from uno_env.core.arrays import Floats
from uno_env.core.jit.njit import njit
from uno_env.extensive_form.game_tree import GameTree


class States(NamedTuple):
    """The information states, as in :class:`uno_env.extensive_form.game_tree.GameTree`."""

    seats: npt.NDArray[np.int8]
    first: npt.NDArray[np.int32]
    parents: npt.NDArray[np.int32]


class Ends(NamedTuple):
    """The ends of hands, as in :class:`uno_env.extensive_form.game_tree.GameTree`."""

    sequences: npt.NDArray[np.int32]
    shares: Floats
    rows: npt.NDArray[np.int32]
    rewards: Floats  # [R, players]


class Tables(NamedTuple):
    """A solver's tables, float64 [C] each, by the sequences of :func:`choices_of`."""

    policy: Floats
    regrets: Floats
    average: Floats  # Weighted sum of the plans so far
    plan: Floats
    worth: Floats
    turns: npt.NDArray[np.int64]  # Turns of a seat that are done, int64 [1]


def states_of(tree: GameTree) -> States:
    """The information states of a tree."""
    return States(tree.seats, tree.first, tree.parents)


def ends_of(tree: GameTree) -> Ends:
    """The ends of hands of a tree."""
    return Ends(tree.end_sequences, tree.end_shares, tree.end_rewards, tree.rewards)


def choices_of(tree: GameTree) -> tuple[States, Ends, npt.NDArray[np.int64]]:
    """The states that have a choice, sorted by seat, the ends of hands, and the sequences that are left, int64 [C].

    A sequence without an alternative is worth as much as the one before it of its seat, and stands for the same plan:
    it is left out, the others are numbered anew, and the ends name the one before it.
    """
    chosen = np.flatnonzero(tree.counts > 1)
    chosen = chosen[np.argsort(tree.seats[chosen], kind="stable")]
    counts = tree.counts[chosen]
    first = np.append(1, 1 + np.cumsum(counts)).astype(np.int32)
    left = np.append(0, np.repeat(tree.first[chosen] - first[:-1], counts) + np.arange(1, first[-1]))
    numbers = np.zeros(len(tree.actions), np.int32)
    numbers[left] = np.arange(len(left))
    number_forced(states_of(tree), numbers)
    states = States(tree.seats[chosen], first, numbers[tree.parents[chosen]])
    return states, ends_of(tree)._replace(sequences=numbers[tree.end_sequences]), left


@njit
def number_forced(states: States, numbers: npt.NDArray[np.int32]) -> None:
    """Give the sequence of each state without a choice the number of the one before it."""
    for state in range(len(states.seats)):
        if states.first[state + 1] - states.first[state] == 1:
            numbers[states.first[state]] = numbers[states.parents[state]]


@njit
def write_plan(states: States, policy: Floats, seat: int, plan: Floats) -> None:
    """Write the plan of a seat, or of all seats for −1, from probabilities of actions [S]."""
    plan[0] = 1.0
    for state in range(len(states.seats)):
        if seat < 0 or states.seats[state] == seat:
            before = plan[states.parents[state]]
            for sequence in range(states.first[state], states.first[state + 1]):
                plan[sequence] = before * policy[sequence]


@njit
def add_ends(ends: Ends, plan: Floats, seat: int, worth: Floats) -> None:
    """Add to each sequence of a seat the rewards of the hands that end with it, weighted by chance and the others."""
    players = ends.sequences.shape[1]
    if players == 2:
        other = 1 - seat
        for end in range(len(ends.shares)):
            reached = ends.shares[end] * plan[ends.sequences[end, other]]
            worth[ends.sequences[end, seat]] += reached * ends.rewards[ends.rows[end], seat]
        return
    for end in range(len(ends.shares)):
        reached = ends.shares[end]
        for other in range(players):
            if other != seat:
                reached *= plan[ends.sequences[end, other]]
        worth[ends.sequences[end, seat]] += reached * ends.rewards[ends.rows[end], seat]


@njit
def best_response(states: States, seat: int, worth: Floats) -> float:
    """The value of a seat's best response. ``worth`` holds what :func:`add_ends` wrote, and gets the worth of whole
    sequences.
    """
    for state in range(len(states.seats) - 1, -1, -1):
        if states.seats[state] == seat:
            best = -np.inf
            for sequence in range(states.first[state], states.first[state + 1]):
                best = max(best, worth[sequence])
            worth[states.parents[state]] += best
    return float(worth[0])


@njit
def update_regrets(states: States, worth: Floats, regrets: Floats, policy: Floats) -> None:
    """One step of predictive regret matching+ at a seat's states. ``worth`` holds what :func:`add_ends` wrote.

    A policy is in proportion to the regrets as they will be if the last ones come again (PCFR+: G. Farina,
    C. Kroer, T. Sandholm, "Faster Game Solving via Predictive Blackwell Approachability", 2021).
    """
    for state in range(len(states.seats) - 1, -1, -1):
        first, last = states.first[state], states.first[state + 1]
        value, total = 0.0, 0.0
        for sequence in range(first, last):
            value += policy[sequence] * worth[sequence]
        worth[states.parents[state]] += value
        for sequence in range(first, last):
            regret = worth[sequence] - value
            regrets[sequence] = max(0.0, regrets[sequence] + regret)
            policy[sequence] = max(0.0, regrets[sequence] + regret)
            total += policy[sequence]
        for sequence in range(first, last):
            policy[sequence] = policy[sequence] / total if total > 0.0 else 1.0 / (last - first)


@njit
def add_plan(states: States, policy: Floats, plan: Floats, weight: float, average: Floats) -> None:
    """Write the plan of a seat, whose states these are, and add it, weighted, to the average."""
    for state in range(len(states.seats)):
        before = plan[states.parents[state]]
        for sequence in range(states.first[state], states.first[state + 1]):
            plan[sequence] = before * policy[sequence]
            average[sequence] += weight * plan[sequence]


@njit
def take_turn(states: States, ends: Ends, tables: Tables) -> None:
    """Let the seat whose turn it is change its policy; the states are those of :func:`choices_of`. One compiled call:
    Ctrl-C comes before it or after it."""
    iteration, seat = divmod(tables.turns[0], ends.sequences.shape[1])
    begin, end = np.searchsorted(states.seats, seat), np.searchsorted(states.seats, seat + 1)
    own = States(states.seats[begin:end], states.first[begin : end + 1], states.parents[begin:end])
    tables.worth[:] = 0.0
    add_ends(ends, tables.plan, seat, tables.worth)
    update_regrets(own, tables.worth, tables.regrets, tables.policy)
    add_plan(own, tables.policy, tables.plan, float(iteration + 1) ** 2, tables.average)
    tables.turns[0] += 1


@njit
def write_policy(states: States, average: Floats, policy: Floats) -> None:
    """Write the probabilities of actions [S] that an average of plans stands for. A state that the average never
    reaches has the same for all.
    """
    for state in range(len(states.seats)):
        first, last = states.first[state], states.first[state + 1]
        total = 0.0
        for sequence in range(first, last):
            total += average[sequence]
        for sequence in range(first, last):
            policy[sequence] = average[sequence] / total if total > 0.0 else 1.0 / (last - first)
