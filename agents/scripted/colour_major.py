"""``colour-major``: it stays with, or goes to, the colour that it holds most of.

Each card that it lays leaves the colour with the most of its own cards to follow: a card of the same symbol is laid to
get there, and not to leave it. Wilds come last. A common piece of advice between players, measured here on its own. The
rest is as :mod:`agents.scripted.common_play` say.
"""

from agents.scripted.common_play import score_usual
from agents.scripted.observation_reader import Counts, count_colours, count_players
from agents.scripted.strategy import CARDS_OF, COLOUR_OF, KIND_OF, Bytes, Ints, Mind, best_of, list_legal
from uno_env.actions import DRAW
from uno_env.cards import FIRST_WILD
from uno_env.core.jit.njit import njit

PER_HELD = 10
"""For each card in the hand of the colour that is then active."""
WILD_KEPT = 1000
"""Against a wild."""


@njit
def choose_colour_major(rows: Bytes, masks: Bytes, mind: Mind, actions: Ints) -> None:
    """``colour-major`` for each row."""
    for index in range(rows.shape[0]):
        actions[index] = decide_colour_major(rows[index], masks[index], mind)


@njit
def decide_colour_major(row: Bytes, mask: Bytes, mind: Mind) -> int:
    """The action of ``colour-major``; see :mod:`agents.scripted.strategy`."""
    number = list_legal(mask, mind.legal)
    if number == 1:
        return int(mind.legal[0])
    counts, players = count_colours(row), count_players(row)
    for action in mind.legal[:number]:
        mind.scores[action] = score_usual(row, counts, players, action)
        if action < DRAW:
            mind.scores[action] += score_majority(counts, action)
    return best_of(mind, number)


@njit
def score_majority(counts: Counts, action: int) -> int:
    """What speaks for a card: the others in the hand of the colour that it leads to."""
    left = counts[COLOUR_OF[action]]
    if KIND_OF[action] >= FIRST_WILD:
        return PER_HELD * left - WILD_KEPT
    return PER_HELD * (left - CARDS_OF[action])
