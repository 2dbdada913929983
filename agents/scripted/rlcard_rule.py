"""``rlcard-rule``: what the agent ``uno-rule-v1`` of the RLCard library, version 1.2.0, does.

1. It draws if nothing can be played.
2. If a Wild Draw Four may be played (in RLCard: if nothing else can be), it plays it and declares the colour of which
   it holds the most cards.
3. Otherwise it plays any of the cards that fit but wilds, each with the same probability, whatever its docstring says
   of colours: a kind held twice is twice as likely.
4. With nothing but Wilds that fit, it plays one in any colour.

Equal numbers of cards are decided at random, in RLCard by the order in which the hand was dealt and drawn. With no
coloured card in the hand, the colour is any. Under other rules it does as ``random-play`` what RLCard's game knows
nothing of; a pair is to it one more card that fits.
"""

from agents.scripted.faces import is_coloured, is_wild_draw
from agents.scripted.observation_reader import HAND, Counts, column, count_colours
from agents.scripted.strategy import COLOUR_OF, KIND_OF, Scratch, best_of, draw_below, list_legal
from agents.scripted.uniform import PLAY_FIRST, SPEAK
from uno_env.actions import DRAW
from uno_env.core.arrays import Bytes
from uno_env.core.jit.njit import njit

STEP = 1000
COLOURED, DRAW_FOUR = 2, 3
"""Steps above other wilds."""


@njit
def decide_rlcard_rule(row: Bytes, mask: Bytes, scratch: Scratch) -> int:
    """The action of ``rlcard-rule``; see :mod:`agents.scripted.strategy`."""
    number = list_legal(mask, scratch.legal)
    if number == 1:
        return int(scratch.legal[0])
    counts = count_colours(row)
    cards = 0
    for action in scratch.legal[:number]:
        scratch.scores[action] = score_rule(counts, action)
        if is_coloured(KIND_OF[action]):
            cards += copies_of(row, action)
    best = best_of(scratch, number)
    if not is_coloured(KIND_OF[best]) or cards == 0:  # a row can lack the cards of its mask
        return best
    return any_card(row, scratch, number, cards)


@njit
def score_rule(counts: Counts, action: int) -> int:
    """Score of an action: first speaking, then Wild Draw Four in the colour held most, coloured cards, other wilds."""
    if action >= DRAW:
        return 10 * STEP if PLAY_FIRST[action] == SPEAK else STEP * PLAY_FIRST[action]
    if is_wild_draw(KIND_OF[action]):
        return DRAW_FOUR * STEP + counts[COLOUR_OF[action]]
    return COLOURED * STEP if is_coloured(KIND_OF[action]) else STEP


@njit
def any_card(row: Bytes, scratch: Scratch, number: int, cards: int) -> int:
    """An action of laying one of the ``cards`` coloured cards that fit, each with the same probability."""
    left = draw_below(scratch.random, cards)
    for action in scratch.legal[:number]:
        if is_coloured(KIND_OF[action]):
            left -= copies_of(row, action)
            if left < 0:
                return int(action)
    return -1


@njit
def copies_of(row: Bytes, action: int) -> int:
    """Cards in the hand of the kind that an action plays."""
    return column(row, HAND + KIND_OF[action])
