"""Rewards (GUIDE.md 9.3).

*Outcome*: the winner gets +1, and the others share −1 equally. So the rewards add up to 0, and are ±1 with two players.
A truncated hand gives 0 to all. An illegal action that ends the hand gives −1 to the player who acted and 0
to the others. In a match, only the end of the match is rewarded in this way, and its hands give nothing.

*Points* (an option of a match): at the end of each hand, its points are paid as a share of the target. With
``winner_takes`` the winner gets them, and the others pay equally. With ``lowest`` and ``elimination`` each player pays
for their own hand.
"""

from uno_env.core.jit.njit import njit
from uno_env.core.record import ILLEGAL, OVER, WENT_OUT
from uno_env.core.rules.match import share_of_target
from uno_env.core.rules.points import winner_collects


@njit
def write_rewards(game, rules, reward):
    """Write each seat's reward for a hand that has just ended into ``reward``, float32 [players]."""
    for seat in range(rules.players):
        reward[seat] = 0.0
    if game.end == ILLEGAL:
        reward[game.offender] = -1.0
    elif rules.reward_points:
        write_points(game, rules, reward)
    elif game.phase == OVER and game.end == WENT_OUT:
        write_outcome(rules, game.match_winner if rules.match else game.winner, reward)


@njit
def write_outcome(rules, winner, reward):
    """The winner gets +1 from the others."""
    for seat in range(rules.players):
        reward[seat] = 1.0 if seat == winner else -1.0 / (rules.players - 1)


@njit
def write_points(game, rules, reward):
    """Each seat gets or pays the points of the hand, as a share of the target."""
    for seat in range(rules.players):
        share = share_of_target(rules, game.points[seat])
        if winner_collects(rules):
            reward[seat] += share
            for other in range(rules.players):
                if other != seat:
                    reward[other] -= share / (rules.players - 1)
        else:
            reward[seat] = -share
