"""The faces of cards, which the tables of a rules record hold: no rule computes anything from the number of a kind.

Where cards have two sides, the face that counts is the one on the side in force (GUIDE.md 14). The tables then have the
kinds of the first side, and after them those of the other.
"""

from uno_env.core.edition import sizes_of, tables_of
from uno_env.core.jit.njit import njit
from uno_env.core.record import effect
from uno_env.editions.edition import NO_COLOUR, NO_NUMBER

NONE = effect("none")


@njit
def face_of(game, rules, kind):
    """The place in the tables of the face of a kind that counts now."""
    if sizes_of(rules).sides > 1:
        return kind + sizes_of(rules).kinds * game.side[0]
    return kind


@njit
def back_of(game, rules, kind):
    """Number of the face on the side of a kind that is not in force; only where cards have two sides."""
    return tables_of(rules).kind_design[kind + sizes_of(rules).kinds * (1 - game.side[0])]


@njit
def front_of(game, rules, kind):
    """Number of the face that is in force; only where cards have two sides."""
    return tables_of(rules).kind_design[face_of(game, rules, kind)]


@njit
def colour_of(game, rules, kind):
    """The colour of a kind, NO_COLOUR of a wild."""
    return tables_of(rules).kind_colour[face_of(game, rules, kind)]


@njit
def symbol_of(game, rules, kind):
    """The symbol of a kind: a number, an action, or a wild's own."""
    return tables_of(rules).kind_symbol[face_of(game, rules, kind)]


@njit
def number_of(game, rules, kind):
    """The number of a number card, NO_NUMBER of any other."""
    return tables_of(rules).kind_number[face_of(game, rules, kind)]


@njit
def effect_of(game, rules, kind):
    """The effect of a kind, one of ``record.EFFECTS``."""
    return tables_of(rules).kind_effect[face_of(game, rules, kind)]


@njit
def points_of(game, rules, kind):
    """Points of a kind in a hand; below 0 if a switch of the rules says how many."""
    return tables_of(rules).kind_points[face_of(game, rules, kind)]


@njit
def cards_demanded(game, rules, kind):
    """The number of cards that the kind makes the next player draw."""
    return tables_of(rules).kind_demands[face_of(game, rules, kind)]


@njit
def is_wild(game, rules, kind):
    """Return whether the player of the kind declares a colour with it."""
    return tables_of(rules).kind_colour[face_of(game, rules, kind)] == NO_COLOUR


@njit
def wild_from_first_on(game, rules, kind):
    """Return whether a kind that is not below ``first_wild`` is a wild: with one side, each is."""
    if sizes_of(rules).sides > 1:
        return is_wild(game, rules, kind)
    return True


@njit
def coloured_below(game, rules, kind):
    """Return whether a kind below ``coloured`` has a colour: with one side, each has."""
    if sizes_of(rules).sides > 1:
        return not is_wild(game, rules, kind)
    return True


@njit
def is_number(game, rules, kind):
    """Return whether the kind is a number card."""
    return tables_of(rules).kind_number[face_of(game, rules, kind)] != NO_NUMBER


@njit
def is_plain_wild(game, rules, kind):
    """Return whether the kind is a wild that does nothing else than declare a colour."""
    return (tables_of(rules).kind_colour[face_of(game, rules, kind)] == NO_COLOUR) & (
        tables_of(rules).kind_effect[face_of(game, rules, kind)] == NONE
    )


@njit
def is_wild_draw(game, rules, kind):
    """Return whether the kind is a wild that makes the next player draw, such as the Wild Draw Four."""
    return (tables_of(rules).kind_colour[face_of(game, rules, kind)] == NO_COLOUR) & (
        tables_of(rules).kind_demands[face_of(game, rules, kind)] > 0
    )
