"""The probability that a hand reaches each information state of a tree: :func:`reach`."""

import numpy as np

from studies.habits import Array
from uno_env.core.jit.njit import njit
from uno_env.extensive_form.game_tree import GameTree


def reach(tree: GameTree, policy: Array) -> Array:
    """The probability that a hand reaches each information state if all seats play a policy [S]: float64 [K]."""
    plan = _plan(tree.first, tree.parents, policy)
    ended = tree.end_shares.copy()
    for seat in range(tree.rules.players):
        ended *= plan[tree.end_sequences[:, seat]]
    played = np.zeros(len(plan))
    for seat in range(tree.rules.players):
        played += np.bincount(tree.end_sequences[:, seat], ended, len(plan))
    return _passed(tree.first, tree.parents, played)


@njit
def _plan(first: Array, parents: Array, policy: Array) -> Array:
    """The probability that its seat plays each sequence and all before it, float64 [S]."""
    plan = np.ones(len(policy))
    for state in range(len(parents)):
        for sequence in range(first[state], first[state + 1]):
            plan[sequence] = plan[parents[state]] * policy[sequence]
    return plan


@njit
def _passed(first: Array, parents: Array, played: Array) -> Array:
    """The probability that a hand passes each state, float64 [K]. ``played`` is the probability that a hand ends with
    each sequence, and is changed to the probability that the sequence is played.
    """
    often = np.zeros(len(parents))
    for state in range(len(parents) - 1, -1, -1):
        for sequence in range(first[state], first[state + 1]):
            often[state] += played[sequence]
        played[parents[state]] += often[state]
    return often
