"""Points of a hand (RULES.md 9). Switches: ``scoring``, ``special_wild_points``.

Number cards: face value; Skip, Reverse, Draw Two: 20; Wild and Wild Draw Four: 50; Shuffle Hands and Customizable: 40
or 50; Downpours: 50. ``hand``: the first out wins, no points. ``winner_takes``: the winner gets the points left in all
other hands.
"""

from uno_env.cards import FIRST_WILD, NUM_KINDS, RANKS_PER_COLOUR, WILD_CUSTOMIZABLE, WILD_SHUFFLE_HANDS
from uno_env.core.compiled import compiled
from uno_env.core.record import switch_value

WINNER_TAKES = switch_value("scoring", "winner_takes")

ACTION_POINTS = 20
WILD_POINTS = 50


@compiled
def card_points(rules, kind):
    """Points of one card."""
    if kind in (WILD_SHUFFLE_HANDS, WILD_CUSTOMIZABLE):
        return rules.special_wild_points
    if kind >= FIRST_WILD:
        return WILD_POINTS
    rank = kind % RANKS_PER_COLOUR
    return rank if rank <= 9 else ACTION_POINTS


@compiled
def hand_points(game, rules, seat):
    """Points of the cards the seat holds."""
    total = 0
    for kind in range(NUM_KINDS):
        total += game.hands[seat, kind] * card_points(rules, kind)
    return total


@compiled
def award_points(game, rules):
    """Count the points of the hand that the winner has just won."""
    if rules.scoring == WINNER_TAKES:
        total = 0
        for seat in range(rules.players):
            total += hand_points(game, rules, seat)
        game.points[game.winner] = total
