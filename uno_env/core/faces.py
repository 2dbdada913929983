"""The faces of cards, which the tables of a rules record hold: no rule computes anything from the number of a kind."""

from uno_env.core.jit.njit import njit
from uno_env.core.record import effect
from uno_env.editions.edition import NO_COLOUR, NO_NUMBER

NONE = effect("none")


@njit
def colour_of(rules, kind):
    """The colour of a kind, NO_COLOUR of a wild."""
    return rules.kind_colour[kind]


@njit
def symbol_of(rules, kind):
    """The symbol of a kind: a number, an action, or a wild's own."""
    return rules.kind_symbol[kind]


@njit
def number_of(rules, kind):
    """The number of a number card, NO_NUMBER of any other."""
    return rules.kind_number[kind]


@njit
def effect_of(rules, kind):
    """The effect of a kind, one of ``record.EFFECTS``."""
    return rules.kind_effect[kind]


@njit
def points_of(rules, kind):
    """Points of a kind in a hand; below 0 if a switch of the rules says how many."""
    return rules.kind_points[kind]


@njit
def cards_demanded(rules, kind):
    """The number of cards that the kind makes the next player draw."""
    return rules.kind_demands[kind]


@njit
def is_wild(rules, kind):
    """Return whether the player of the kind declares a colour with it."""
    return rules.kind_colour[kind] == NO_COLOUR


@njit
def is_number(rules, kind):
    """Return whether the kind is a number card."""
    return rules.kind_number[kind] != NO_NUMBER


@njit
def is_plain_wild(rules, kind):
    """Return whether the kind is a wild that does nothing else than declare a colour."""
    return (rules.kind_colour[kind] == NO_COLOUR) & (rules.kind_effect[kind] == NONE)


@njit
def is_wild_draw(rules, kind):
    """Return whether the kind is a wild that makes the next player draw, such as the Wild Draw Four."""
    return (rules.kind_colour[kind] == NO_COLOUR) & (rules.kind_demands[kind] > 0)
