"""Random playouts of a game in calls that come up for air, so that interrupts are heard: :func:`play_out`."""

import time
from typing import Any

import numpy as np

from uno_env.core.loops.playout import random_playouts

SECONDS = 0.05
"""Longest time of one call into compiled code: interrupts are heard between calls."""


def play_out(start: Any, rules: Any, seed: int, rewards: Any) -> None:
    """:func:`random_playouts` from the seed on, in calls of at most some :data:`SECONDS` each."""
    mask = np.empty(rules["action_kind"].shape[-1], np.uint8)
    scratch = np.empty_like(start), (mask, np.empty(1, np.uint64))
    first, number = 0, 16
    while first < len(rewards):
        begun = time.perf_counter()
        random_playouts(start, rules, np.uint64(seed), first, rewards[first : first + number], scratch)
        first += number
        lasted = time.perf_counter() - begun
        number = max(1, min(8 * number, int(number * SECONDS / max(lasted, 1e-6))))
