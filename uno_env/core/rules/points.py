"""Points of a hand (GUIDE.md 9.1). Switches: ``scoring``, ``special_wild_points``.

A number card is worth its number. Skip, Reverse and Draw Two are worth 20. Wild, Wild Draw Four and the Downpours are
worth 50. Shuffle Hands and Customizable are worth ``special_wild_points``: 40 or 50.

- ``hand``: the first out wins, and there are no points.
- ``winner_takes``: the winner gets the points left in all other hands.
- ``lowest`` and ``elimination``: each player gets the points in their own hand.

Each player whom mercy has put out (13.5) counts 250: for the winner under ``winner_takes``, else for themselves.

Actions: none of its own.
Observation: `scores`, `rules`.
"""

from uno_env.core.edition import sizes_of
from uno_env.core.faces import points_of
from uno_env.core.jit.njit import njit
from uno_env.core.record import switch_value
from uno_env.core.rules.mercy import POINTS as MERCY_POINTS
from uno_env.core.rules.mercy import is_put_out

HAND = switch_value("scoring", "hand")
WINNER_TAKES = switch_value("scoring", "winner_takes")
LOWEST = switch_value("scoring", "lowest")


@njit
def card_points(game, rules, kind):
    """Points of one card."""
    points = points_of(game, rules, kind)
    return points if points >= 0 else rules.special_wild_points


@njit
def hand_points(game, rules, seat):
    """Points of the cards the seat holds."""
    total = 0
    for kind in range(sizes_of(rules).kinds):
        total += game.seats[seat].hand[kind] * card_points(game, rules, kind)
    return total


@njit
def award_points(game, rules):
    """Count the points of the hand that the winner has just won."""
    if rules.scoring == HAND:
        return
    total = 0
    for seat in range(rules.players):
        points = MERCY_POINTS if is_put_out(game, seat) else hand_points(game, rules, seat)
        total += points if seat != game.winner else 0
        game.points[seat] = 0 if rules.scoring == WINNER_TAKES else points
    if rules.scoring == WINNER_TAKES:
        game.points[game.winner] = total


@njit
def counts_points(rules):
    """Return whether a match is played for points, over several hands."""
    return rules.scoring != HAND


@njit
def winner_collects(rules):
    """Return whether the highest score wins, not the lowest."""
    return rules.scoring == WINNER_TAKES


@njit
def lowest_total_wins(rules):
    """Return whether the match ends as soon as someone reaches the target."""
    return rules.scoring == LOWEST
