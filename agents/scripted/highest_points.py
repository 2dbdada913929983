"""``highest-points``: the basic strategy that guides to the game name, the legal card with the most points.

"A basic strategy involves playing the legal card with the highest point value. This is a simple way to minimize points
held in the hand at the end of the round, but fails to account for the utility of holding wilds and draw fours near the
end of the game." (a guide to the game)
"""

from agents.scripted.faces import POINTS
from agents.scripted.observation_reader import HAND_SIZES, Counts, column, count_colours, rule_column
from agents.scripted.strategy import CARDS_OF, COLOUR_OF, KIND_OF, Scratch, best_of, list_legal
from uno_env import actions
from uno_env.core.arrays import Bytes
from uno_env.core.jit.njit import njit

SPEAK = 1_000_000
PER_POINT = 1_000
"""Worth of a point; the cards of a colour in the hand only decide between colours."""
SPECIAL_POINTS = rule_column("special_wild_points")


@njit
def decide_highest_points(row: Bytes, mask: Bytes, scratch: Scratch) -> int:
    """The action of ``highest-points``; see :mod:`agents.scripted.strategy`."""
    number = list_legal(mask, scratch.legal)
    if number == 1:
        return int(scratch.legal[0])
    counts = count_colours(row)
    for action in scratch.legal[:number]:
        scratch.scores[action] = score_points(row, counts, action)
    return best_of(scratch, number)


@njit
def score_points(row: Bytes, counts: Counts, action: int) -> int:
    """The score of an action: calls and catches first, then cards by their points. A colour scores by the cards held of
    it, a swap by how few cards the other player has.
    """
    score = 0
    if action in (actions.CALL, actions.CATCH):
        score = SPEAK
    elif action < actions.DRAW:
        score = PER_POINT * (1 + CARDS_OF[action] * points_of(row, KIND_OF[action]))
    if actions.PLAY_WILD <= action < actions.PLAY_PAIR or action >= actions.DECLARE:
        score += counts[COLOUR_OF[action]]
    elif action in (actions.ACCEPT, actions.JUMP_IN):
        score = 1
    elif action >= actions.SWAP:
        score = -column(row, HAND_SIZES + action - actions.SWAP + 1)
    return score


@njit
def points_of(row: Bytes, kind: int) -> int:
    """Points of a kind (GUIDE.md 9.1)."""
    points = int(POINTS[kind])
    return points if points >= 0 else column(row, SPECIAL_POINTS)
