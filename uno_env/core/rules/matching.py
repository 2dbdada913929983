"""Matching the top card (GUIDE.md 4.1). Switch: ``action_match``.

A card matches the top card if it has the same colour, number or symbol. With ``action_match="colour"``, Skip, Reverse
and Draw Two match only by colour. After a wild only the declared colour matches. A Wild always matches. The Wild Draw
Four has its own condition (5.1).

Actions: `r0` to `b+2` (plays of coloured cards).
Observation: `colour`, `symbol`.
"""

from uno_env.core.edition import actions_of, sizes_of
from uno_env.core.faces import colour_of, is_number, is_wild, symbol_of
from uno_env.core.jit.njit import njit
from uno_env.core.record import switch_value

COLOUR_ONLY = switch_value("action_match", "colour")
NO_SYMBOL = -1


@njit
def symbol_to_follow(game, rules):
    """The symbol that a coloured card may have to match the top card by it, or NO_SYMBOL. No coloured card has a
    wild's.
    """
    if rules.action_match == COLOUR_ONLY and not is_number(rules, game.top):
        return NO_SYMBOL
    return symbol_of(rules, game.top)


@njit
def can_follow(game, rules, kind):
    """Return whether a coloured kind matches the top card."""
    return colour_of(rules, kind) == game.colour or symbol_of(rules, kind) == symbol_to_follow(game, rules)


@njit
def legal_card(rules, mask, kind):
    """Mark playing the kind, a wild with each colour."""
    if is_wild(rules, kind):
        for index in range(ways_to_play(rules, kind)):
            mask[first_play(rules, kind) + index] = 1
    else:
        mask[kind] = 1


@njit
def first_play(rules, kind):
    """Return the action that plays the wild with the first of the colours. Those with the others follow it."""
    undeclared = kind - (sizes_of(rules).kinds - sizes_of(rules).undeclared)
    if undeclared >= 0:
        return actions_of(rules).play_pair - sizes_of(rules).undeclared + undeclared
    return actions_of(rules).play_wild + (kind - sizes_of(rules).coloured) * sizes_of(rules).colours


@njit
def ways_to_play(rules, kind):
    """The number of actions that play the wild: one for each colour, or one if no colour is declared with it."""
    return sizes_of(rules).colours if kind < sizes_of(rules).kinds - sizes_of(rules).undeclared else 1
