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
from agents.scripted.faces import COLOUR, EFFECT, NUMBER, REVERSE, SKIP, is_draw, is_wild, is_wild_draw
from agents.scripted.observation_reader import Counts, count_colours, count_players
from agents.scripted.strategy import CARDS_OF, COLOUR_OF, KIND_OF, Scratch, best_of, list_legal
from agents.scripted.turn_effects import makes_all_draw
from uno_env.actions import DRAW
from uno_env.core.arrays import Bytes
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
def decide_preferred(preference: int, row: Bytes, mask: Bytes, scratch: Scratch) -> int:
    """The action of the strategy with one of the preferences above; see :mod:`agents.scripted.strategy`."""
    number = list_legal(mask, scratch.legal)
    if number == 1:
        return int(scratch.legal[0])
    counts, players = count_colours(row), count_players(row)
    for action in scratch.legal[:number]:
        scratch.scores[action] = score_usual(row, counts, players, action)
        if action < DRAW:
            scratch.scores[action] += score_preference(preference, row, counts, action)
    return best_of(scratch, number)


@njit
def score_preference(preference: int, row: Bytes, counts: Counts, action: int) -> int:
    """Score of laying a card, by one of the preferences above."""
    kind = KIND_OF[action]
    if preference == SAVE_WILDS:
        return -2 * STEP if is_wild_draw(kind) else -STEP if is_wild(kind) else 0
    if preference == DUMP_WILDS:
        return STEP if is_wild(kind) else 0
    if preference == KEEP_ZERO:
        return score_holding(counts, kind)
    if preference == COLOUR_MAJOR:
        return score_majority(counts, action)
    return STEP * harm_of(row, kind)


@njit
def score_holding(counts: Counts, kind: int) -> int:
    """Score of laying a kind now, in ``keep-zero``."""
    if is_wild(kind):
        return -2 * STEP
    if NUMBER[kind] != 0:
        return 0
    return STEP if counts[COLOUR[kind]] > HELD else -STEP


@njit
def score_majority(counts: Counts, action: int) -> int:
    """Score of a card in ``colour-major``: the other cards in the hand that have the colour it leaves active."""
    left = counts[COLOUR_OF[action]]
    if is_wild(KIND_OF[action]):
        return PER_HELD * left - WILD_LAST
    return PER_HELD * (left - CARDS_OF[action])


@njit
def harm_of(row: Bytes, kind: int) -> int:
    """How hard a kind hits the others: its rank in the order of ``aggressive``."""
    if is_wild_draw(kind):
        return 5
    if is_wild(kind):
        return 4 if makes_all_draw(row, kind) else -1
    if is_draw(kind):
        return 3
    if EFFECT[kind] == SKIP:
        return 2
    return 1 if EFFECT[kind] == REVERSE else 0
