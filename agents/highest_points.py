"""``highest-points``: the basic strategy that the seed documents name, the legal card with the most points.

"A basic strategy involves playing the legal card with the highest point value. This is a simple way to minimize points
held in the hand at the end of the round, but fails to account for the utility of holding wilds and draw fours near the
end of the game." (seed documents 000 and 003)
"""

import numpy as np

from agents.choosing import (
    CARDS_OF,
    COLOUR_OF,
    HAND_SIZES,
    KIND_OF,
    Bytes,
    Ints,
    Random,
    best_action,
    count_colours,
    rule_column,
)
from uno_env.actions import (
    ACCEPT,
    CALL,
    CATCH,
    DECLARE,
    DRAW,
    JUMP_IN,
    NUM_ACTIONS,
    PLAY_PAIR,
    PLAY_WILD,
    SWAP,
)
from uno_env.cards import FIRST_WILD, NUM_COLOURS, RANKS_PER_COLOUR, WILD_CUSTOMIZABLE, WILD_SHUFFLE_HANDS
from uno_env.core.compiled import compiled
from uno_env.core.points import ACTION_POINTS, WILD_POINTS

SPEAK = 1_000_000
PER_POINT = 1_000
"""Worth of a point; the cards of a colour in the hand only decide between colours."""
SPECIAL_POINTS = rule_column("special_wild_points")


@compiled
def choose_highest_points(rows: Bytes, masks: Bytes, random: Random, scores: Ints, actions: Ints) -> None:
    """``highest-points`` for each row."""
    counts = np.zeros(NUM_COLOURS, np.int64)
    for index in range(rows.shape[0]):
        count_colours(rows[index], counts)
        score_points(rows[index], masks[index], counts, scores)
        actions[index] = best_action(scores, masks[index], random)


@compiled
def score_points(row: Bytes, mask: Bytes, counts: Ints, scores: Ints) -> None:
    """Speaking first, then the cards by their points; a wild's colour, or the first, by the cards held of it.

    Hands are swapped with whoever has the fewest cards.
    """
    for action in range(NUM_ACTIONS):
        if mask[action] == 0:
            continue
        score = 0
        if action in (CALL, CATCH):
            score = SPEAK
        elif action < DRAW:
            score = PER_POINT * (1 + CARDS_OF[action] * points_of(row, KIND_OF[action]))
        if PLAY_WILD <= action < PLAY_PAIR or action >= DECLARE:
            score += counts[COLOUR_OF[action]]
        elif action in (ACCEPT, JUMP_IN):
            score = 1
        elif action >= SWAP:
            score = -int(row[HAND_SIZES + action - SWAP + 1])
        scores[action] = score


@compiled
def points_of(row: Bytes, kind: int) -> int:
    """Points of a kind (RULES.md 9)."""
    if kind in (WILD_SHUFFLE_HANDS, WILD_CUSTOMIZABLE):
        return int(row[SPECIAL_POINTS])
    if kind >= FIRST_WILD:
        return WILD_POINTS
    rank = kind % RANKS_PER_COLOUR
    return rank if rank <= 9 else ACTION_POINTS
