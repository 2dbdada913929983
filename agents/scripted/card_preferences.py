"""Five strategies that differ only in which card they prefer, each one piece of advice to be measured on its own.

``save-wilds``: a wild can be laid on anything, so it is worth most when few cards are left; laying the most points
first "fails to account for the utility of holding wilds and draw fours near the end of the game" (a guide to the game).
Coloured cards are laid as long as possible, all alike, then a Wild, and a Wild Draw Four last of all.

``dump-wilds``: the opposite, wilds as soon as possible. A wild left in the hand costs 50 points (GUIDE.md 9.1), and
laid early it sets the colour early.

``keep-zero``: there is one 0 of a colour and two of every other rank, so a 0 is the least likely to be answered in
another colour (advice of guides to the game). A 0 is laid first where it holds a colour of which the hand has HELD or
more other cards; otherwise it is saved until nothing but wilds is left. Wilds come last, all other cards alike.

``colour-major``: each card leaves the colour with the most of the player's own cards to follow: a card of the same
symbol is laid to get there, and not to leave it. Wilds come last.

``aggressive``: what hurts the others most comes first: Wild Draw Four, other wilds that make others draw, Draw Two,
Skip, Reverse; then numbers, all alike, and plain wilds last.

The rest is as :mod:`agents.scripted.common_play` says.
"""

from agents.scripted.common_play import score_usual
from agents.scripted.faces import REVERSE, SKIP, Faces, colour_left, is_wild, is_wild_draw, kind_of
from agents.scripted.observation_reader import Counts, count_colours, count_players, held_with
from agents.scripted.strategy import Scratch, best_of, list_legal
from agents.scripted.turn_effects import cards_laid, is_roulette, makes_all_draw, stops_everyone
from uno_env.core.arrays import Bytes
from uno_env.core.edition import actions_of
from uno_env.core.jit.njit import njit

SAVE_WILDS, DUMP_WILDS, KEEP_ZERO, COLOUR_MAJOR, AGGRESSIVE = range(5)

STEP = 100
"""Between a card that is preferred and one that is not."""
HELD = 2
"""Other cards of its colour that make a colour worth holding with a 0."""
PER_HELD = 10
"""Score of each card in the hand that has the colour left active, in ``colour-major``."""
WILD_LAST = 1000
"""Taken off a wild in ``colour-major``."""


@njit
def decide_preferred(preference: int, faces: Faces, row: Bytes, mask: Bytes, scratch: Scratch) -> int:
    """The action of the strategy with one of the preferences above; see :mod:`agents.scripted.strategy`."""
    number = list_legal(mask, scratch.legal)
    if number == 1:
        return int(scratch.legal[0])
    counts, players = count_colours(faces, row), count_players(faces, row)
    for action in scratch.legal[:number]:
        scratch.scores[action] = score_usual(faces, row, counts, players, action)
        if action < actions_of(faces).draw:
            scratch.scores[action] += score_preference(preference, faces, row, counts, action)
    return best_of(scratch, number)


@njit
def score_preference(preference: int, faces: Faces, row: Bytes, counts: Counts, action: int) -> int:
    """Score of laying a card, by one of the preferences above."""
    kind = kind_of(faces, action)
    if preference == SAVE_WILDS:
        return -2 * STEP if is_wild_draw(faces, kind) else -STEP if is_wild(faces, kind) else 0
    if preference == DUMP_WILDS:
        return STEP if is_wild(faces, kind) else 0
    if preference == KEEP_ZERO:
        return score_holding(faces, counts, kind)
    if preference == COLOUR_MAJOR:
        return score_majority(faces, row, counts, action)
    return STEP * harm_of(faces, row, kind)


@njit
def score_holding(faces: Faces, counts: Counts, kind: int) -> int:
    """Score of laying a kind now, in ``keep-zero``."""
    if is_wild(faces, kind):
        return -2 * STEP
    if faces.kind_number[kind] != 0:
        return 0
    return STEP if counts[faces.kind_colour[kind]] > HELD else -STEP


@njit
def score_majority(faces: Faces, row: Bytes, counts: Counts, action: int) -> int:
    """Score of a card in ``colour-major``: the other cards in the hand that have the colour it leaves active."""
    kind, left = kind_of(faces, action), held_with(counts, colour_left(faces, action))
    if is_wild(faces, kind):
        return PER_HELD * left - WILD_LAST
    return PER_HELD * (left - cards_laid(faces, row, action, kind))


@njit
def harm_of(faces: Faces, row: Bytes, kind: int) -> int:
    """The harm that a kind does to the others: its rank in the order of ``aggressive``."""
    if faces.kind_demands[kind] > 0:
        return int(faces.kind_demands[kind]) + 1
    if is_wild(faces, kind):
        return 4 if is_roulette(faces, kind) or makes_all_draw(faces, row, kind) else -1
    if faces.kind_effect[kind] == SKIP or stops_everyone(faces, kind):
        return 2
    return 1 if faces.kind_effect[kind] == REVERSE else 0
