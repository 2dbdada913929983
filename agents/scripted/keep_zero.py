"""``keep-zero``: zeros are for holding a colour.

There is one 0 of a colour and two of every other rank, so a 0 is the least likely to be answered in another colour
(advice of guides to the game). A 0 is laid first where it holds a colour of which the hand has HELD or more other
cards; otherwise it is kept until nothing but wilds is left. Wilds come last, all other cards alike. The rest is as
:mod:`agents.scripted.common_play` say.
"""

from agents.scripted.common_play import score_usual
from agents.scripted.observation_reader import Counts, count_colours, count_players
from agents.scripted.strategy import KIND_OF, Bytes, Ints, Mind, best_of, list_legal
from uno_env.actions import DRAW
from uno_env.cards import FIRST_WILD, RANKS_PER_COLOUR
from uno_env.core.jit.njit import njit

HELD = 2
"""Other cards of its colour that make a colour worth holding."""
FOR_HOLDING = 100
"""For a 0 that holds such a colour, against one that does not, and twice against a wild."""


@njit
def choose_keep_zero(rows: Bytes, masks: Bytes, mind: Mind, actions: Ints) -> None:
    """``keep-zero`` for each row."""
    for index in range(rows.shape[0]):
        actions[index] = decide_keep_zero(rows[index], masks[index], mind)


@njit
def decide_keep_zero(row: Bytes, mask: Bytes, mind: Mind) -> int:
    """The action of ``keep-zero``; see :mod:`agents.scripted.strategy`."""
    number = list_legal(mask, mind.legal)
    if number == 1:
        return int(mind.legal[0])
    counts, players = count_colours(row), count_players(row)
    for action in mind.legal[:number]:
        mind.scores[action] = score_usual(row, counts, players, action)
        if action < DRAW:
            mind.scores[action] += score_holding(counts, KIND_OF[action])
    return best_of(mind, number)


@njit
def score_holding(counts: Counts, kind: int) -> int:
    """What speaks for laying a kind now."""
    if kind >= FIRST_WILD:
        return -2 * FOR_HOLDING
    if kind % RANKS_PER_COLOUR != 0:
        return 0
    return FOR_HOLDING if counts[kind // RANKS_PER_COLOUR] > HELD else -FOR_HOLDING
