"""``counter`` and ``mixed``: the colour that the next player is least likely to follow.

``counter`` counts what is out and remembers which colours each player had to draw on: of its coloured cards it lays the
one that the next player to decide is least likely to follow (:mod:`agents.scripted.follow_probability`), and declares
the colour by the same; a card after which it is itself to move again counts as one that everybody can follow. Of equal
ones it prefers the colour it holds most of. Wilds are kept, a Wild Draw Four longest, unless the next player is down to
FEW_CARDS: then they are laid like any other card.

``mixed`` scores as ``counter`` does and draws the card at random, the likelier the better its score (a softmax of
TEMPERATURE): "attempts to reduce point count in the player's hands can be 'read' by other players if too transparent …
it follows that a mixed strategy may be more appropriate" (a guide to the game).

The rest is as :mod:`agents.scripted.common_play` says.
"""

import math

from agents.scripted.common_play import score_usual
from agents.scripted.faces import Faces, colour_left, is_coloured, is_wild, is_wild_draw, kind_of
from agents.scripted.follow_probability import count_hidden, follow_probability, unseen_twins, unseen_wilds
from agents.scripted.observation_reader import Counts, count_colours, count_players, count_unseen, hand_size, held_with
from agents.scripted.strategy import Scratch, best_of, draw_below, list_legal
from agents.scripted.turn_effects import is_stop, look_round, next_to_decide
from uno_env.core.arrays import Bytes
from uno_env.core.edition import actions_of
from uno_env.core.jit.njit import njit

CERTAIN = 1000
"""Score of a card that nobody can follow; one that is followed for certain has 0."""
PER_HELD = 10
"""Score of each card in the hand that has the colour left active."""
WILD_KEPT = 2000
"""Taken off a wild, and twice off a Wild Draw Four."""
FEW_CARDS = 2
TEMPERATURE = 60.0
"""Difference of scores that makes ``mixed`` e times as likely to lay one card as another."""
_STEPS = 1 << 32


@njit
def decide_counter(temperature: float, faces: Faces, row: Bytes, mask: Bytes, scratch: Scratch) -> int:
    """The action of ``counter``, or of ``mixed`` if the temperature is not 0; see :mod:`agents.scripted.strategy`.

    Noise of Gumbel's distribution on the scores makes the best one a softmax draw.
    """
    number = list_legal(mask, scratch.legal)
    if number > 1:
        score_counter(faces, row, scratch, number)
        for action in scratch.legal[:number]:
            if action < actions_of(faces).draw and temperature > 0.0:
                uniform = (draw_below(scratch.random, _STEPS) + 0.5) / _STEPS
                scratch.scores[action] -= temperature * math.log(-math.log(uniform))
    return best_of(scratch, number)


@njit
def score_counter(faces: Faces, row: Bytes, scratch: Scratch, number: int) -> None:
    """Write the scores of the first ``number`` legal actions."""
    counts, players = count_colours(faces, row), count_players(faces, row)
    hidden, wilds = count_hidden(faces, row, players), unseen_wilds(faces, row)
    turns = look_round(faces, row, players)
    keeps = hand_size(faces, row, turns.following) > FEW_CARDS
    for action in scratch.legal[:number]:
        score = float(score_usual(faces, row, counts, players, action))
        if action < actions_of(faces).draw:
            kind = kind_of(faces, action)
            seat = next_to_decide(faces, row, turns, kind, is_stop(faces, turns, kind))
            score += score_colour(faces, row, counts, hidden, wilds, seat, action)
            if keeps and is_wild(faces, kind):
                score -= 2 * WILD_KEPT if is_wild_draw(faces, kind) else WILD_KEPT
        elif action >= actions_of(faces).declare:
            score += score_colour(faces, row, counts, hidden, wilds, 0, action)
        scratch.scores[action] = score


@njit
def score_colour(faces: Faces, row: Bytes, counts: Counts, hidden: int, wilds: int, seat: int, action: int) -> float:
    """Score of the colour that an action leads to, if the player at ``seat`` has to follow it."""
    kind, colour = kind_of(faces, action), colour_left(faces, action)
    follows = 1.0
    if seat > 0 and colour >= 0:
        twins = unseen_twins(faces, row, kind) if is_coloured(faces, kind) else 0
        of_colour = count_unseen(faces, row, colour)
        follows = follow_probability(faces, row, hidden, of_colour, twins, wilds, seat, colour)
    return CERTAIN * (1.0 - follows) + PER_HELD * held_with(counts, colour)
