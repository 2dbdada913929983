"""Determinizations that an observation allows, for search agents: :func:`enter`, :func:`determinize`.

Like every agent, a search agent sees an observation. It writes the observation back into a game's record, in
which it sits at seat 0, deals the hidden cards anew for each determinization (see
:mod:`uno_env.core.loops.determinize`), and plays there.
"""

import numpy as np
import numpy.typing as npt

from agents.search.playout import LONGEST_PLAYOUT, SearchScratch, play_out
from uno_env.core.arrays import Bytes, Ints
from uno_env.core.jit.njit import njit
from uno_env.core.loops.determinize import deal_uniformly, sample_determinization
from uno_env.core.loops.invariant_bits import fault_bits
from uno_env.core.observe.decode import OBSERVER, decode
from uno_env.core.observe.layout import columns_of
from uno_env.core.packed_games import copy_game
from uno_env.core.record import edition_of
from uno_env.core.rng import stream
from uno_env.core.step import step
from uno_env.editions import edition_for
from uno_env.observation import rules_of


def enter(scratch: SearchScratch, row: Bytes, goal: str) -> None:
    """Set the scratch to an observation, uint8 [D], of the player to move. Raises ValueError if it is impossible."""
    rules = rules_of(row, LONGEST_PLAYOUT)
    is_possible = edition_for(rules) is edition_of(scratch.rules)  # a row with a column for mercy can say that it is 0
    if is_possible:
        scratch.rules[:] = rules.array_for(False, goal)
    if not (is_possible and enter_seen(row, scratch)):
        raise ValueError("the observation is not that of a player to move in a game that is possible")


@njit
def enter_seen(row: Bytes, scratch: SearchScratch) -> bool:
    """Set the scratch to an observation. Returns whether its determinizations are sound."""
    scratch.row[columns_of(scratch.rules[0]).known :] = 0
    copy_rules(scratch, row, scratch.row)
    if not decode(row, scratch.rules[0], scratch.seen[0]) or scratch.seen[0].to_move != OBSERVER:
        return False
    return is_sound(row, scratch)


@njit
def is_sound(row: Bytes, scratch: SearchScratch) -> bool:
    """Mark the observer's legal actions in the scratch's mask. Returns whether the facts allow a determinization."""
    determinize(scratch, np.uint64(0))
    dealt = scratch.dealt[0]
    return (
        fault_bits(dealt, scratch.rules[0], scratch.mask) == 0
        and dealt.pile_end == row[columns_of(scratch.rules[0]).draw_pile]
    )


@njit
def copy_rules(scratch: SearchScratch, row: Bytes, other: Bytes) -> None:
    """Copy the columns of the rules in force from one observation of the scratch's edition to another."""
    at = columns_of(scratch.rules[0])
    for column in range(at.seats, at.end):
        other[column] = row[column]


@njit
def determinize(scratch: SearchScratch, seed: np.uint64) -> None:
    """Deal a determinization. Its hidden cards and all later random numbers follow from ``seed``, uint64."""
    copy_game(scratch.seen[0], scratch.dealt[0], scratch.rules[0])
    scratch.dealt[0].rng = seed
    if scratch.uniform:
        deal_uniformly(scratch.dealt[0], scratch.rules[0])
    else:
        sample_determinization(scratch.dealt[0], scratch.rules[0])


@njit
def seed_playout(scratch: SearchScratch, seed: np.uint64, index: np.uint64) -> None:
    """Let the strategies begin playout ``index`` with its own random numbers. ``seed`` and ``index`` are uint64."""
    scratch.playing[0].random[0] = stream(seed, index)
    scratch.playing[1].random[0] = ~scratch.playing[0].random[0]


@njit
def try_actions(
    scratch: SearchScratch, actions: Ints, seed: np.uint64, first: int, scores: npt.NDArray[np.float32]
) -> None:
    """Play each of ``actions`` [K] out in determinizations ``first`` …; rewards of seat 0 go to ``scores``, float32 [W,
    K].

    In one determinization all actions meet the same hidden cards and the same random numbers.
    """
    for index in range(scores.shape[0]):
        number = np.uint64(first + index)
        determinize(scratch, stream(seed, number))
        for candidate in range(actions.shape[0]):
            copy_game(scratch.dealt[0], scratch.game[0], scratch.rules[0])
            seed_playout(scratch, ~seed, number)
            step(scratch.game[0], scratch.rules[0], actions[candidate])
            play_out(scratch)
            scores[index, candidate] = scratch.reward[OBSERVER]
