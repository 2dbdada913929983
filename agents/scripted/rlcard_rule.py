"""``rlcard-rule``: what the agent ``uno-rule-v1`` of the RLCard library, version 1.2.0, does.

1. It draws if nothing can be played.
2. If a Wild Draw Four may be played (in RLCard: if nothing else can be), it plays it and declares the colour of which
   it holds the most cards.
3. Otherwise it plays any of the cards that fit but wilds, each with the same probability, whatever its docstring says
   of colours: a kind held twice is twice as likely.
4. With nothing but Wilds that fit, it plays one in any colour.

In No Mercy a Wild Draw Four fits always. There, as in RLCard, it plays one if nothing else but wilds can be played.

Equal numbers of cards are decided at random, in RLCard by the order in which the hand was dealt and drawn. With no
coloured card in the hand, the colour is any. Under other rules it does as ``random-play`` what RLCard's game knows
nothing of; a pair is to it one more card that fits.
"""

from agents.scripted.faces import Faces, colour_left, is_coloured, is_wild_draw, kind_of
from agents.scripted.observation_reader import Counts, count_colours, held
from agents.scripted.strategy import Scratch, best_of, draw_below, list_legal
from agents.scripted.uniform import SPEAK, play_first
from uno_env.core.arrays import Bytes
from uno_env.core.edition import actions_of, sizes_of
from uno_env.core.jit.njit import njit

STEP = 1000
COLOURED, DRAW_FOUR = 2, 3
"""Steps above other wilds."""


@njit
def decide_rlcard_rule(faces: Faces, row: Bytes, mask: Bytes, scratch: Scratch) -> int:
    """The action of ``rlcard-rule``; see :mod:`agents.scripted.strategy`."""
    number = list_legal(mask, scratch.legal)
    if number == 1:
        return int(scratch.legal[0])
    counts = count_colours(faces, row)
    cards = 0
    for action in scratch.legal[:number]:
        scratch.scores[action] = score_rule(faces, counts, action)
        if is_coloured(faces, kind_of(faces, action)):
            cards += copies_of(faces, row, action)
    best = best_of(scratch, number)
    if not is_coloured(faces, kind_of(faces, best)) or cards == 0:  # a row can lack the cards of its mask
        return best
    return any_card(faces, row, scratch, number, cards)


@njit
def score_rule(faces: Faces, counts: Counts, action: int) -> int:
    """Score of an action: first speaking, then Wild Draw Four in the colour held most, coloured cards, other wilds."""
    if action >= actions_of(faces).draw:
        first = play_first(faces, action)
        return 10 * STEP if first == SPEAK else STEP * first
    kind = kind_of(faces, action)
    if is_wild_draw(faces, kind):
        step = DRAW_FOUR if sizes_of(faces).penalties == 1 else COLOURED - 1
        return step * STEP + counts[colour_left(faces, action)]
    return COLOURED * STEP if is_coloured(faces, kind) else STEP


@njit
def any_card(faces: Faces, row: Bytes, scratch: Scratch, number: int, cards: int) -> int:
    """An action of laying one of the ``cards`` coloured cards that fit, each with the same probability."""
    left = draw_below(scratch.random, cards)
    for action in scratch.legal[:number]:
        if is_coloured(faces, kind_of(faces, action)):
            left -= copies_of(faces, row, action)
            if left < 0:
                return int(action)
    return -1


@njit
def copies_of(faces: Faces, row: Bytes, action: int) -> int:
    """Cards in the hand of the kind that an action plays."""
    return held(faces, row, kind_of(faces, action))
