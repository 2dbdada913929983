"""``dump-wilds``: wilds go as soon as they may.

The opposite of ``save-wilds``, to measure what that is worth: a wild left in the hand costs 50 points (GUIDE.md 9.1),
and laid early it sets the colour early. The rest is as :mod:`agents.scripted.common_play` say.
"""

from agents.scripted.common_play import score_usual
from agents.scripted.observation_reader import count_colours, count_players
from agents.scripted.strategy import KIND_OF, Bytes, Ints, Mind, best_of, list_legal
from uno_env.actions import DRAW
from uno_env.cards import FIRST_WILD
from uno_env.core.jit.njit import njit

SOON = 100
"""For a wild."""


@njit
def choose_dump_wilds(rows: Bytes, masks: Bytes, mind: Mind, actions: Ints) -> None:
    """``dump-wilds`` for each row."""
    for index in range(rows.shape[0]):
        actions[index] = decide_dump_wilds(rows[index], masks[index], mind)


@njit
def decide_dump_wilds(row: Bytes, mask: Bytes, mind: Mind) -> int:
    """The action of ``dump-wilds``; see :mod:`agents.scripted.strategy`."""
    number = list_legal(mask, mind.legal)
    if number == 1:
        return int(mind.legal[0])
    counts, players = count_colours(row), count_players(row)
    for action in mind.legal[:number]:
        mind.scores[action] = score_usual(row, counts, players, action)
        if action < DRAW:
            mind.scores[action] += SOON if KIND_OF[action] >= FIRST_WILD else 0
    return best_of(mind, number)
