"""``highest-points``: the basic strategy that guides to the game name, the legal card with the most points.

"A basic strategy involves playing the legal card with the highest point value. This is a simple way to minimize points
held in the hand at the end of the round, but fails to account for the utility of holding wilds and draw fours near the
end of the game." (a guide to the game)
"""

from agents.scripted.common_play import score_named
from agents.scripted.faces import Faces, colour_left, effects_of, kind_of, rules_at
from agents.scripted.observation_reader import Counts, column, count_colours, hand_size, held, held_with
from agents.scripted.strategy import Scratch, best_of, list_legal
from agents.scripted.turn_effects import DISCARD_ALL
from uno_env.core.arrays import Bytes
from uno_env.core.edition import actions_of, sizes_of
from uno_env.core.jit.njit import njit

SPEAK = 1_000_000
PER_POINT = 1_000
"""Worth of a point; the cards of a colour in the hand only decide between colours."""


@njit
def decide_highest_points(faces: Faces, row: Bytes, mask: Bytes, scratch: Scratch) -> int:
    """The action of ``highest-points``; see :mod:`agents.scripted.strategy`."""
    number = list_legal(mask, scratch.legal)
    if number == 1:
        return int(scratch.legal[0])
    counts = count_colours(faces, row)
    for action in scratch.legal[:number]:
        scratch.scores[action] = score_points(faces, row, counts, action)
    return best_of(scratch, number)


@njit
def score_points(faces: Faces, row: Bytes, counts: Counts, action: int) -> int:
    """The score of an action: calls and catches first, then cards by their points. A colour scores by the cards held of
    it, a swap by how few cards the other player has.
    """
    does = actions_of(faces)
    score = 0
    if action in (does.call, does.catch):
        score = SPEAK
    elif action < does.draw:
        score = PER_POINT * (1 + points_laid(faces, row, action))
    if does.play_wild <= action < does.play_pair:
        score += held_with(counts, colour_left(faces, action))
    elif action >= does.declare:
        score += counts[colour_left(faces, action)] + score_named(faces, row, action)
    elif action in (does.accept, does.jump_in):
        score = 1
    elif action >= does.swap:
        score = -hand_size(faces, row, action - does.swap + 1)
    return score


@njit
def points_laid(faces: Faces, row: Bytes, action: int) -> int:
    """Points of the cards that an action lays, those that go with a Discard All included."""
    kind = kind_of(faces, action)
    if not effects_of(faces).discard_all or faces.kind_effect[kind] != DISCARD_ALL:
        return int(faces.action_cards[action]) * points_of(faces, row, kind)
    points = 0
    for other in range(sizes_of(faces).coloured):
        if faces.kind_colour[other] == faces.kind_colour[kind]:
            points += held(faces, row, other) * points_of(faces, row, other)
    return points


@njit
def points_of(faces: Faces, row: Bytes, kind: int) -> int:
    """Points of a kind (GUIDE.md 9.1)."""
    points = int(faces.kind_points[kind])
    return points if points >= 0 else column(row, rules_at(faces).special_wild_points)
