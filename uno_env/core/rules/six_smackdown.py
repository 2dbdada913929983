"""Six Smackdown (GUIDE.md 10.4). Switches: ``six_smackdown``, ``reflexes``.

On a 6 everyone slaps the pile, and the last one draws two. Reflexes are chance here. The last one is drawn uniformly
from all players, or by ``reflexes``, a weight for each seat.

Decided here: the player of the 6 slaps, too. If it was their last card, the hand is over, and nobody slaps. Among
players whose weights are all 0 (the others are out of the match), the last one is drawn uniformly.

Actions: none; chance decides.
Observation: `hand_sizes`, `reflexes`.
"""

from uno_env.core.faces import number_of
from uno_env.core.jit.njit import njit
from uno_env.core.rng import below
from uno_env.core.rules.deck import take_cards
from uno_env.core.rules.going_out import finish_turn, has_gone_out
from uno_env.core.rules.turn import is_in, players_in

CARDS = 2


@njit
def is_slapped(game, rules):
    """Return whether everyone slaps the number just played."""
    return rules.six_smackdown and number_of(game, rules, game.top) == 6 and not has_gone_out(game)


@njit
def resolve_smackdown(game, rules):
    """The last to slap draws two, and the turn ends."""
    take_cards(game, rules, last_to_slap(game, rules), CARDS)
    finish_turn(game, rules, 0)


@njit
def slowness(rules, seat):
    """The seat's weight in being last."""
    return rules.reflexes[seat]


@njit
def last_to_slap(game, rules):
    """Draw the seat that is last."""
    total = 0
    for seat in range(rules.players):
        total += is_in(game, seat) * slowness(rules, seat)
    left = below(game, total if total > 0 else players_in(game, rules))
    for seat in range(rules.players):
        left -= is_in(game, seat) * (slowness(rules, seat) if total > 0 else 1)
        if left < 0:
            return seat
    return 0
