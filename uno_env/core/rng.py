"""The generator of random numbers: SplitMix64.

Its state is in the game's record, so that a game's course depends on its seed and its actions alone.

Source: G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number generators", 2014.
"""

import numpy as np

from uno_env.core.jit.njit import njit, njit_wraparound

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_30, _27, _31, _32 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(32)


@njit_wraparound
def mix(z):
    """Scramble 64 bits, one to one."""
    z = (z ^ (z >> _30)) * _MIX_1
    z = (z ^ (z >> _27)) * _MIX_2
    return z ^ (z >> _31)


@njit_wraparound
def next_bits(game):
    """Advance the game's generator and return 64 random bits."""
    game.rng = game.rng + GOLDEN
    return mix(game.rng)


@njit_wraparound
def bounded(bits, bound):
    """Return an integer from 0 to ``bound`` − 1 out of 64 random bits. Its bias is at most bound / 2³²."""
    return np.int64(((bits >> _32) * np.uint64(bound)) >> _32)


@njit_wraparound
def below(game, bound):
    """Uniform integer from 0 to ``bound`` − 1, by the game's generator."""
    return bounded(next_bits(game), bound)


@njit_wraparound
def stream(seed, index):
    """First state of the generator of game ``index`` in a batch seeded with ``seed``; both uint64."""
    return mix(mix(seed + GOLDEN) ^ ((index + np.uint64(1)) * GOLDEN))


@njit_wraparound
def next_bits_at(states, index):
    """Advance generator ``index`` of an array of states outside games, uint64, and return 64 random bits."""
    states[index] = states[index] + GOLDEN
    return mix(states[index])


@njit
def random_set_bit(game, bits):
    """Position of a uniformly chosen set bit among the lowest 10 of ``bits``, which has at least one."""
    count = 0
    for position in range(10):
        count += (bits >> position) & 1
    left = below(game, count)
    for position in range(10):
        if (bits >> position) & 1:
            if left == 0:
                return position
            left -= 1
    return -1
