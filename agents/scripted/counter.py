"""``counter`` and ``mixed``: the colour that the next player is least likely to follow.

``counter`` counts what is out and remembers which colours each player had to draw on: of its coloured cards it lays the
one that the next player to decide is least likely to follow (:mod:`agents.scripted.follow_probability`), and declares
the colour by the same; a card after which it is itself to move again counts as one that everybody can follow. Of equal
ones it prefers the colour it holds most of. Wilds are kept, a Wild Draw Four longest, unless the next player is down to
FEW_CARDS: then they are laid like any other card.

``mixed`` scores as ``counter`` does and draws the card at random, the likelier the better its score (a softmax of
TEMPERATURE): "attempts to reduce point count in the player's hands can be 'read' by other players if too transparent …
it follows that a mixed strategy may be more appropriate" (a guide to the game).

The rest is as :mod:`agents.scripted.common_play` say.
"""

import math

from agents.scripted.common_play import score_usual
from agents.scripted.follow_probability import chance_to_follow, count_hidden, unseen_twins, unseen_wilds
from agents.scripted.observation_reader import HAND_SIZES, Counts, count_colours, count_players, count_unseen
from agents.scripted.strategy import COLOUR_OF, KIND_OF, Bytes, Ints, Mind, best_of, draw_below, list_legal
from agents.scripted.turn_effects import is_stop, look_round, next_to_decide
from uno_env.actions import DECLARE, DRAW
from uno_env.cards import FIRST_WILD, WILD_DRAW_FOUR
from uno_env.core.jit.njit import njit

CERTAIN = 1000
"""For a card that nobody can follow, against one that is followed for certain."""
PER_HELD = 10
"""For each card in the hand of the colour that is then active."""
WILD_KEPT = 2000
"""Against a wild, twice against a Wild Draw Four."""
FEW_CARDS = 2
TEMPERATURE = 60.0
"""Difference of scores that makes ``mixed`` e times as likely to lay one card as another."""
_STEPS = 1 << 32


@njit
def choose_counter(rows: Bytes, masks: Bytes, mind: Mind, actions: Ints) -> None:
    """``counter`` for each row."""
    for index in range(rows.shape[0]):
        actions[index] = decide_counter(rows[index], masks[index], mind)


@njit
def choose_mixed(rows: Bytes, masks: Bytes, mind: Mind, actions: Ints) -> None:
    """``mixed`` for each row."""
    for index in range(rows.shape[0]):
        actions[index] = decide_mixed(rows[index], masks[index], mind)


@njit
def decide_counter(row: Bytes, mask: Bytes, mind: Mind) -> int:
    """The action of ``counter``; see :mod:`agents.scripted.strategy`."""
    number = list_legal(mask, mind.legal)
    if number > 1:
        score_counter(row, mind, number)
    return best_of(mind, number)


@njit
def decide_mixed(row: Bytes, mask: Bytes, mind: Mind) -> int:
    """The action of ``mixed``: noise of Gumbel's distribution on the scores makes the best one a softmax draw."""
    number = list_legal(mask, mind.legal)
    if number > 1:
        score_counter(row, mind, number)
        for action in mind.legal[:number]:
            if action < DRAW:
                chance = (draw_below(mind.random, _STEPS) + 0.5) / _STEPS
                mind.scores[action] -= TEMPERATURE * math.log(-math.log(chance))
    return best_of(mind, number)


@njit
def score_counter(row: Bytes, mind: Mind, number: int) -> None:
    """Write the scores of the first ``number`` legal actions."""
    counts, players = count_colours(row), count_players(row)
    hidden, wilds = count_hidden(row, players), unseen_wilds(row)
    turns = look_round(row, players)
    keeps = row[HAND_SIZES + turns.following] > FEW_CARDS
    for action in mind.legal[:number]:
        score = float(score_usual(row, counts, players, action))
        if action < DRAW:
            kind = KIND_OF[action]
            place = next_to_decide(row, turns, kind, is_stop(turns, kind))
            score += score_colour(row, counts, hidden, wilds, place, action)
            if keeps and kind >= FIRST_WILD:
                score -= 2 * WILD_KEPT if kind == WILD_DRAW_FOUR else WILD_KEPT
        elif action >= DECLARE:
            score += score_colour(row, counts, hidden, wilds, 0, action)
        mind.scores[action] = score


@njit
def score_colour(row: Bytes, counts: Counts, hidden: int, wilds: int, place: int, action: int) -> float:
    """What speaks for the colour that an action leads to, if the player at ``place`` has to follow it."""
    kind, colour = KIND_OF[action], COLOUR_OF[action]
    follows = 1.0
    if place > 0:
        twins = unseen_twins(row, kind) if 0 <= kind < FIRST_WILD else 0
        follows = chance_to_follow(row, hidden, count_unseen(row, colour), twins, wilds, place, colour)
    return CERTAIN * (1.0 - follows) + PER_HELD * counts[colour]
