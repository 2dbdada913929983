"""``random`` and ``random-play``: chance alone, and chance among the cards."""

import numpy as np

from agents.choosing import Bytes, Ints, Random, any_action, best_action
from uno_env.actions import CALL, CATCH, DRAW, JUMP_IN, NUM_ACTIONS
from uno_env.core.compiled import compiled

SPEAK, LAY, REST = 2, 1, 0
PLAY_FIRST = np.array([LAY if action < DRAW else REST for action in range(NUM_ACTIONS)])
"""Scores: speaking comes before laying a card, on turn or not, and that before everything else; int64 [A]."""
PLAY_FIRST[JUMP_IN] = LAY
PLAY_FIRST[[CALL, CATCH]] = SPEAK


@compiled
def choose_any(rows: Bytes, masks: Bytes, random: Random, scores: Ints, actions: Ints) -> None:
    """``random``: each legal action with the same chance."""
    for index in range(rows.shape[0]):
        actions[index] = any_action(masks[index], random)


@compiled
def choose_any_play(rows: Bytes, masks: Bytes, random: Random, scores: Ints, actions: Ints) -> None:
    """``random-play``: calls or catches if it may, else lays a card if it can, else does anything legal."""
    for index in range(rows.shape[0]):
        actions[index] = best_action(PLAY_FIRST, masks[index], random)
