"""``random`` and ``random-play``: any legal action, and any of the cards that fit."""

import numpy as np

from agents.scripted.strategy import Scratch, best_of, draw_below, list_legal
from uno_env.actions import CALL, CATCH, DRAW, JUMP_IN, NUM_ACTIONS
from uno_env.core.arrays import Bytes
from uno_env.core.jit.njit import njit

SPEAK, LAY, REST = 2, 1, 0
PLAY_FIRST = np.array([LAY if action < DRAW else REST for action in range(NUM_ACTIONS)])
"""Scores: speaking comes before laying a card, on turn or not, and that before everything else; int64 [A]."""
PLAY_FIRST[JUMP_IN] = LAY
PLAY_FIRST[[CALL, CATCH]] = SPEAK


@njit
def decide_any(row: Bytes, mask: Bytes, scratch: Scratch) -> int:
    """``random``: each legal action with the same probability."""
    return int(scratch.legal[draw_below(scratch.random, list_legal(mask, scratch.legal))])


@njit
def decide_any_play(row: Bytes, mask: Bytes, scratch: Scratch) -> int:
    """``random-play``: calls or catches if it may, else lays a card if it can, else does anything legal."""
    number = list_legal(mask, scratch.legal)
    for action in scratch.legal[:number]:
        scratch.scores[action] = PLAY_FIRST[action]
    return best_of(scratch, number)
