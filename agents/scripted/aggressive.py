"""``aggressive``: action cards at once, the hardest first.

It lays what hurts the others most: Wild Draw Four, other wilds that make others draw, Draw Two, Skip, Reverse; then
numbers, all alike, and plain wilds last. Guides to the game tell an aggressive style of play from a subdued
one. The rest is as :mod:`agents.scripted.common_play` say.
"""

from agents.scripted.common_play import score_usual
from agents.scripted.observation_reader import count_colours, count_players
from agents.scripted.strategy import KIND_OF, Bytes, Ints, Mind, best_of, list_legal
from agents.scripted.turn_effects import makes_all_draw
from uno_env.actions import DRAW
from uno_env.cards import DRAW_TWO, FIRST_WILD, RANKS_PER_COLOUR, REVERSE, SKIP, WILD_DRAW_FOUR
from uno_env.core.jit.njit import njit

PER_STEP = 100


@njit
def choose_aggressive(rows: Bytes, masks: Bytes, mind: Mind, actions: Ints) -> None:
    """``aggressive`` for each row."""
    for index in range(rows.shape[0]):
        actions[index] = decide_aggressive(rows[index], masks[index], mind)


@njit
def decide_aggressive(row: Bytes, mask: Bytes, mind: Mind) -> int:
    """The action of ``aggressive``; see :mod:`agents.scripted.strategy`."""
    number = list_legal(mask, mind.legal)
    if number == 1:
        return int(mind.legal[0])
    counts, players = count_colours(row), count_players(row)
    for action in mind.legal[:number]:
        mind.scores[action] = score_usual(row, counts, players, action)
        if action < DRAW:
            mind.scores[action] += PER_STEP * harm_of(row, KIND_OF[action])
    return best_of(mind, number)


@njit
def harm_of(row: Bytes, kind: int) -> int:
    """Place of a kind in the order above, the higher the harder."""
    if kind == WILD_DRAW_FOUR:
        return 5
    if kind >= FIRST_WILD:
        return 4 if makes_all_draw(row, kind) else -1
    rank = kind % RANKS_PER_COLOUR
    if rank == DRAW_TWO:
        return 3
    if rank == SKIP:
        return 2
    return 1 if rank == REVERSE else 0
