"""``search:flat``: flat Monte Carlo over determinizations.

Every legal action is tried in many determinizations that the observation allows, and played on to the end by a fast
strategy for all seats; the action with the best mean result is chosen (:mod:`agents.search.racing`). It is the rollout
strategy improved by one step, and needs no knowledge but the rules.

Source: M. Ginsberg, "GIB: imperfect information in a computationally challenging game", 2001, for the determinizations;
G. Tesauro and G. Galperin, "On-line policy improvement using Monte-Carlo search", 1996, for the rollouts.
"""

import numpy as np
import numpy.typing as npt

from agents.scripted.strategy import Ints
from agents.search.determinization import SearchScratch, determinize, play_out, seed_playout
from uno_env.core.jit.njit import njit
from uno_env.core.observe.decode import OBSERVER
from uno_env.core.packed_games import copy_game
from uno_env.core.rng import stream
from uno_env.core.step import step

Scores = npt.NDArray[np.float32]


@njit
def try_actions(
    scratch: SearchScratch, strategies: Ints, actions: Ints, seed: np.uint64, first: int, scores: Scores
) -> None:
    """Play each of ``actions`` [K] out in determinizations ``first`` …; rewards of seat 0 go to ``scores``, float32 [W,
    K].

    In one determinization all actions meet the same hidden cards and the same later chance.
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
