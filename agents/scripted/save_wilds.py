"""``save-wilds``: wilds are kept for the end.

A wild can be laid on anything, so it is worth most when few cards are left; laying the most points first "fails to
account for" that (a guide to the game). It lays coloured cards as long as it can, all alike, then a Wild, and a
Wild Draw Four last of all. The rest is as :mod:`agents.scripted.common_play` say.
"""

from agents.scripted.common_play import score_usual
from agents.scripted.observation_reader import count_colours, count_players
from agents.scripted.strategy import KIND_OF, Bytes, Ints, Mind, best_of, list_legal
from uno_env.actions import DRAW
from uno_env.cards import FIRST_WILD, WILD_DRAW_FOUR
from uno_env.core.jit.njit import njit

KEPT = 100
"""Against a wild; twice against a Wild Draw Four."""


@njit
def choose_save_wilds(rows: Bytes, masks: Bytes, mind: Mind, actions: Ints) -> None:
    """``save-wilds`` for each row."""
    for index in range(rows.shape[0]):
        actions[index] = decide_save_wilds(rows[index], masks[index], mind)


@njit
def decide_save_wilds(row: Bytes, mask: Bytes, mind: Mind) -> int:
    """The action of ``save-wilds``; see :mod:`agents.scripted.strategy`."""
    number = list_legal(mask, mind.legal)
    if number == 1:
        return int(mind.legal[0])
    counts, players = count_colours(row), count_players(row)
    for action in mind.legal[:number]:
        mind.scores[action] = score_usual(row, counts, players, action)
        if action < DRAW:
            mind.scores[action] += price_of(KIND_OF[action])
    return best_of(mind, number)


@njit
def price_of(kind: int) -> int:
    """What speaks for laying a kind: nothing, or less if it is a wild."""
    if kind == WILD_DRAW_FOUR:
        return -2 * KEPT
    return -KEPT if kind >= FIRST_WILD else 0
