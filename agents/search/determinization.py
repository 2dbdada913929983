"""Determinizations that an observation allows, for search agents: :class:`SearchScratch`, :func:`enter`.

A search agent sees what every agent sees, an observation. It writes the observation back into a game's record, in
which it sits at seat 0, deals the hidden cards anew for each determinization (see
:mod:`uno_env.core.loops.determinize`), and plays there.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from agents.scripted.strategy import Bytes, Ints, Scratch
from agents.search.rollouts import play_hand
from uno_env.actions import NUM_ACTIONS
from uno_env.core.jit.njit import njit
from uno_env.core.loops.determinize import deal_world
from uno_env.core.loops.invariant_bits import fault_bits
from uno_env.core.observe.decode import OBSERVER, decode
from uno_env.core.observe.layout import KNOWN_START, OBSERVATION_SIZE, RULES_START, START
from uno_env.core.packed_games import copy_game
from uno_env.core.record import GAME, MAX_SEATS, RULES
from uno_env.core.rng import stream
from uno_env.core.rules.reward import write_rewards
from uno_env.core.step import step
from uno_env.observation import rules_of

Array = npt.NDArray[Any]

LONGEST = 600
"""Decisions after which a playout is truncated; scripted hands take some 40."""


class SearchScratch(NamedTuple):
    """What a search works in; not to be shared by threads."""

    rules: Array
    """RULES [1]."""
    seen: Array
    """GAME [1], what the observation tells."""
    dealt: Array
    """GAME [1], it with the hidden cards dealt."""
    game: Array
    """GAME [1], a copy to play on."""
    row: Bytes
    """uint8 [D], what the player to move sees; the columns of known cards are 0 between uses."""
    mask: Bytes
    """uint8 [A], what the player to move may do."""
    reward: npt.NDArray[np.float32]
    """float32 [MAX_SEATS], rewards by seat."""
    seating: Ints
    """int64 [MAX_SEATS], which of the two strategies of playouts sits at each seat."""
    playing: tuple[Scratch, Scratch]
    """What the strategy at seat 0 and the one at the other seats work in."""


def new_search_scratch(mine: Scratch, others: Scratch) -> SearchScratch:
    """SearchScratch for a search, for any rules."""
    return SearchScratch(
        rules=np.zeros(1, RULES),
        seen=np.zeros(1, GAME),
        dealt=np.zeros(1, GAME),
        game=np.zeros(1, GAME),
        row=np.zeros(OBSERVATION_SIZE, np.uint8),
        mask=np.zeros(NUM_ACTIONS, np.uint8),
        reward=np.zeros(MAX_SEATS, np.float32),
        seating=np.minimum(np.arange(MAX_SEATS), 1),
        playing=(mine, others),
    )


def enter(scratch: SearchScratch, row: Bytes, goal: str) -> None:
    """Set the scratch to what an observation in integer form, uint8 [D], tells its player to move.

    Raises:
        ValueError: it is no observation of a player to move in a game that is possible.
    """
    scratch.rules[:] = rules_of(row, LONGEST).array_for(False, goal)
    if not enter_seen(row, scratch):
        raise ValueError("the observation is not that of a player to move in a game that is possible")


@njit
def enter_seen(row: Bytes, scratch: SearchScratch) -> bool:
    """Set the scratch to an observation; whether its determinizations are sound."""
    scratch.row[KNOWN_START:] = 0
    copy_rules(row, scratch.row)
    if not decode(row, scratch.rules[0], scratch.seen[0]) or scratch.seen[0].to_move != OBSERVER:
        return False
    return is_sound(row, scratch)


@njit
def is_sound(row: Bytes, scratch: SearchScratch) -> bool:
    """Whether what is seen can be dealt; the scratch's mask then marks what the observer may do."""
    determinize(scratch, np.uint64(0))
    dealt = scratch.dealt[0]
    return fault_bits(dealt, scratch.rules[0], scratch.mask) == 0 and dealt.pile_end == row[START.draw_pile]


@njit
def copy_rules(row: Bytes, other: Bytes) -> None:
    """Copy the columns of the rules in force from one observation to another."""
    for column in range(RULES_START, OBSERVATION_SIZE):
        other[column] = row[column]


@njit
def determinize(scratch: SearchScratch, seed: np.uint64) -> None:
    """Deal a determinization; ``seed``, uint64, decides its hidden cards and all later random numbers."""
    copy_game(scratch.seen[0], scratch.dealt[0], scratch.rules[0])
    scratch.dealt[0].rng = seed
    deal_world(scratch.dealt[0], scratch.rules[0])


@njit
def play_out(scratch: SearchScratch, strategies: Ints) -> None:
    """Play the scratch's game to its end; its rewards. ``strategies``, int64 [2]: at seat 0 and at the other seats."""
    play_hand(
        scratch.game[0], scratch.rules[0], scratch.seating, strategies, scratch.playing, scratch.row, scratch.mask
    )
    write_rewards(scratch.game[0], scratch.rules[0], scratch.reward)


@njit
def seed_playout(scratch: SearchScratch, seed: np.uint64, index: np.uint64) -> None:
    """Let the strategies begin playout ``index`` with its own random numbers; ``seed`` and ``index`` are uint64."""
    scratch.playing[0].random[0] = stream(seed, index)
    scratch.playing[1].random[0] = ~scratch.playing[0].random[0]


@njit
def try_actions(
    scratch: SearchScratch,
    strategies: Ints,
    actions: Ints,
    seed: np.uint64,
    first: int,
    scores: npt.NDArray[np.float32],
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
            play_out(scratch, strategies)
            scores[index, candidate] = scratch.reward[OBSERVER]
