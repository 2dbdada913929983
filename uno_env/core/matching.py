"""Matching the top card (RULES.md 4.1). Switch: ``action_match``.

A card matches the top card in colour, number or symbol; ``action_match="colour"``: Skip, Reverse and Draw Two only on
their own colour. After a wild only the declared colour matches. A Wild matches always; the Wild Draw Four has its own
condition (wild_draw_four.py).

Actions: `r0` to `b+2` (plays of coloured cards).
Observation: `colour`, `symbol`.
"""

from uno_env.actions import PLAY_WILD
from uno_env.cards import FIRST_WILD, NUM_COLOURS, RANKS_PER_COLOUR
from uno_env.core.compiled import compiled
from uno_env.core.record import switch_value

COLOUR_ONLY = switch_value("action_match", "colour")


@compiled
def can_follow(game, rules, kind):
    """Whether a coloured kind matches the top card."""
    if kind // RANKS_PER_COLOUR == game.colour:
        return True
    return can_follow_symbol(game, rules) and kind % RANKS_PER_COLOUR == game.top % RANKS_PER_COLOUR


@compiled
def can_follow_symbol(game, rules):
    """Whether the top card's number or symbol may be matched at all."""
    if game.top >= FIRST_WILD:
        return False
    return rules.action_match != COLOUR_ONLY or game.top % RANKS_PER_COLOUR <= 9


@compiled
def legal_card(mask, kind):
    """Mark playing the kind, a wild with each colour."""
    if kind < FIRST_WILD:
        mask[kind] = 1
    else:
        first = PLAY_WILD + (kind - FIRST_WILD) * NUM_COLOURS
        for colour in range(NUM_COLOURS):
            mask[first + colour] = 1
