"""Playing games to their end, uniformly at random, in one call."""

import numpy as np

from uno_env.core.jit.njit import njit
from uno_env.core.legal import legal_actions
from uno_env.core.loops.batch import choose_marked
from uno_env.core.packed_games import copy_game
from uno_env.core.record import OVER
from uno_env.core.rng import next_bits_at, stream
from uno_env.core.rules.reward import write_rewards
from uno_env.core.step import step


@njit
def play_randomly(game, rules, scratch):
    """Play a game to its end, with every legal action equally likely, and return how many decisions that took.

    ``scratch`` holds a mask, uint8 [A], and a generator of the actions, uint64 [1]. The cards come from the
    game's own generator.
    """
    mask, random = scratch
    decisions = 0
    while game.phase != OVER:
        legal_actions(game, rules, mask)
        step(game, rules, choose_marked(mask, next_bits_at(random, 0)))
        decisions += 1
    return decisions


@njit
def random_playouts(start, rules, seed, first, rewards, scratch):
    """Play copies of ``start[0]`` to their end at random, each with actions of its own, and return the decisions of all
    together.

    A playout depends on ``seed`` and on its number; they are numbered from ``first`` on.
    ``start`` and ``rules`` are arrays [1]; ``rewards``, float32 [N, players], gets each seat's reward of each playout;
    ``scratch`` holds a game to play on, [1], and what :func:`play_randomly` needs.
    """
    work, inner = scratch
    random = inner[1]
    decisions = 0
    for index in range(rewards.shape[0]):
        copy_game(start[0], work[0], rules[0])
        random[0] = stream(seed, np.uint64(first + index))
        decisions += play_randomly(work[0], rules[0], inner)
        write_rewards(work[0], rules[0], rewards[index])
    return decisions
