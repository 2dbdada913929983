"""Seven-O (GUIDE.md 10.2). Switch: ``seven_zero``.

A 7 swaps hands with a player of one's choice. A 0 passes all hands on in the direction of play. Players know the cards
they gave away until those are played.

Decided here: no hands move if the card was the player's last one. A player is asked for the choice even with a single
opponent. Two 7s laid together swap once.

Actions: `swap1` to `swap9` (the player so many seats to the left).
Observation: `phase` (swap), `hand`, `hand_sizes`, `known`.
"""

from uno_env.core.edition import sizes_of
from uno_env.core.faces import number_of
from uno_env.core.jit.njit import njit
from uno_env.core.rules.going_out import finish_turn, has_gone_out
from uno_env.core.rules.hands import offer_swap, pass_hands_on


@njit
def may_move_hands(rules):
    """Return whether numbers can move hands at all."""
    return rules.seven_zero != 0


@njit
def moves_hands(game, rules):
    """Return whether the number just played moves hands."""
    return may_move_hands(rules) and number_of(game, rules, game.top) in (0, 7) and not has_gone_out(game)


@njit
def still_moves_hands(game, rules):
    """Return whether the number just played will move hands after the race for a missing call."""
    return not sizes_of(rules).moves_first and moves_hands(game, rules)


@njit
def resolve_seven_zero(game, rules):
    """A 7 asks whom to swap with; a 0 passes all hands on and ends the turn."""
    if number_of(game, rules, game.top) == 7:
        offer_swap(game, rules)
    else:
        pass_hands_on(game, rules)
        finish_turn(game, rules, 0)
