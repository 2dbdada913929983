"""Rewards of a finished hand.

The winner gets +1 and the others share −1 equally, so rewards add up to nothing and are ±1 with two players. A
truncated hand gives 0 to all; an illegal action that ends the hand −1 to who acted and 0 to the others. In a match the
same goes for the match, and hands give nothing.
"""

from uno_env.core.compiled import compiled
from uno_env.core.record import ILLEGAL, WENT_OUT


@compiled
def write_rewards(game, rules, reward):
    """Write each seat's reward into ``reward``, float32 [players]."""
    for seat in range(rules.players):
        reward[seat] = 0.0
    if game.end == WENT_OUT:
        winner = game.match_winner if rules.match else game.winner
        for seat in range(rules.players):
            reward[seat] = 1.0 if seat == winner else -1.0 / (rules.players - 1)
    elif game.end == ILLEGAL:
        reward[game.offender] = -1.0
