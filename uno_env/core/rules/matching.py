"""Matching the top card (GUIDE.md 4.1). Switch: ``action_match``.

A card matches the top card if it has the same colour, number or symbol. With ``action_match="colour"``, Skip, Reverse
and Draw Two match only by colour. After a wild only the declared colour matches. A Wild always matches. The Wild Draw
Four has its own condition (5.1).

Actions: `r0` to `b+2` (plays of coloured cards).
Observation: `colour`, `symbol`.
"""

from uno_env.core.edition import actions_of, sizes_of, tables_of
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
    if rules.action_match == COLOUR_ONLY and not is_number(game, rules, game.top):
        return NO_SYMBOL
    return symbol_of(game, rules, game.top)


@njit
def can_follow(game, rules, kind):
    """Return whether a coloured kind matches the top card."""
    return colour_of(game, rules, kind) == game.colour or symbol_of(game, rules, kind) == symbol_to_follow(game, rules)


@njit
def legal_card(game, rules, mask, kind):
    """Mark playing the kind, a wild with each colour."""
    if is_wild(game, rules, kind):
        for index in range(ways_to_play(game, rules, kind)):
            mask[first_play(game, rules, kind) + index] = 1
    else:
        mask[kind] = 1


@njit
def first_play(game, rules, kind):
    """Return the action that plays the wild with the first of the colours. Those with the others follow it."""
    if sizes_of(rules).sides > 1:
        return tables_of(rules).wild_play[kind]
    undeclared = kind - (sizes_of(rules).kinds - sizes_of(rules).undeclared)
    if undeclared >= 0:
        return actions_of(rules).play_pair - sizes_of(rules).undeclared + undeclared
    return actions_of(rules).play_wild + (kind - sizes_of(rules).coloured) * sizes_of(rules).colours


@njit
def ways_to_play(game, rules, kind):
    """The number of actions that play the wild: one for each colour, or one if no colour is declared with it."""
    return sizes_of(rules).colours if kind < sizes_of(rules).kinds - sizes_of(rules).undeclared else 1
