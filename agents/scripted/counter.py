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
from agents.scripted.faces import is_coloured, is_wild, is_wild_draw
from agents.scripted.follow_probability import count_hidden, follow_probability, unseen_twins, unseen_wilds
from agents.scripted.observation_reader import HAND_SIZES, Counts, count_colours, count_players, count_unseen
from agents.scripted.strategy import COLOUR_OF, KIND_OF, Scratch, best_of, draw_below, list_legal
from agents.scripted.turn_effects import is_stop, look_round, next_to_decide
from uno_env.actions import DECLARE, DRAW
from uno_env.core.arrays import Bytes
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
def decide_counter(temperature: float, row: Bytes, mask: Bytes, scratch: Scratch) -> int:
    """The action of ``counter``, or of ``mixed`` if the temperature is not 0; see :mod:`agents.scripted.strategy`.

    Noise of Gumbel's distribution on the scores makes the best one a softmax draw.
    """
    number = list_legal(mask, scratch.legal)
    if number > 1:
        score_counter(row, scratch, number)
        for action in scratch.legal[:number]:
            if action < DRAW and temperature > 0.0:
                uniform = (draw_below(scratch.random, _STEPS) + 0.5) / _STEPS
                scratch.scores[action] -= temperature * math.log(-math.log(uniform))
    return best_of(scratch, number)


@njit
def score_counter(row: Bytes, scratch: Scratch, number: int) -> None:
    """Write the scores of the first ``number`` legal actions."""
    counts, players = count_colours(row), count_players(row)
    hidden, wilds = count_hidden(row, players), unseen_wilds(row)
    turns = look_round(row, players)
    keeps = row[HAND_SIZES + turns.following] > FEW_CARDS
    for action in scratch.legal[:number]:
        score = float(score_usual(row, counts, players, action))
        if action < DRAW:
            kind = KIND_OF[action]
            seat = next_to_decide(row, turns, kind, is_stop(turns, kind))
            score += score_colour(row, counts, hidden, wilds, seat, action)
            if keeps and is_wild(kind):
                score -= 2 * WILD_KEPT if is_wild_draw(kind) else WILD_KEPT
        elif action >= DECLARE:
            score += score_colour(row, counts, hidden, wilds, 0, action)
        scratch.scores[action] = score


@njit
def score_colour(row: Bytes, counts: Counts, hidden: int, wilds: int, seat: int, action: int) -> float:
    """Score of the colour that an action leads to, if the player at ``seat`` has to follow it."""
    kind, colour = KIND_OF[action], COLOUR_OF[action]
    follows = 1.0
    if seat > 0:
        twins = unseen_twins(row, kind) if is_coloured(kind) else 0
        follows = follow_probability(row, hidden, count_unseen(row, colour), twins, wilds, seat, colour)
    return CERTAIN * (1.0 - follows) + PER_HELD * counts[colour]
