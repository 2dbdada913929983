"""What a card does once it lies (GUIDE.md 5). Switch: ``two_player_reverse``.

- Skip: the next player misses a turn.
- Reverse: the direction turns round. With two players it acts as a Skip, unless ``two_player_reverse`` is ``reverse``.
- Draw Two: the next player draws two and misses the turn.
- Wild: a colour is declared, which may be the one that was active.
- Wild Draw Four: a colour is declared. The next player draws four and misses the turn (5.1).
- The other wilds: see 5.2.

Decided here: a Reverse that acts as a Skip leaves the direction as it is. It also acts as a Skip if only two players
of more are left in a match.

Actions: none of its own.
Observation: `clockwise`, `turn`.
"""

from uno_env.core.faces import effect_of
from uno_env.core.jit.njit import njit
from uno_env.core.record import effect, switch_value
from uno_env.core.rules.going_out import finish_turn
from uno_env.core.rules.seven_zero import moves_hands, resolve_seven_zero
from uno_env.core.rules.six_smackdown import is_slapped, resolve_smackdown
from uno_env.core.rules.special_wilds import is_special_wild, resolve_special_wild
from uno_env.core.rules.stacking import demand_penalty
from uno_env.core.rules.turn import players_in

REVERSE_AS_SKIP = switch_value("two_player_reverse", "skip")
SKIP, REVERSE = effect("skip"), effect("reverse")


@njit
def resolve_card(game, rules):
    """Let the card just played act, and end its player's turn."""
    act = effect_of(rules, game.top)
    if game.penalty > 0:
        if act == REVERSE and not reverse_skips(game, rules):
            game.direction = -game.direction
        demand_penalty(game, rules)
    elif act == SKIP:
        finish_turn(game, rules, 1)
    elif act == REVERSE:
        resolve_reverse(game, rules)
    elif is_special_wild(rules, game.top):
        resolve_special_wild(game, rules, game.top)
    elif moves_hands(game, rules):
        resolve_seven_zero(game, rules)
    elif is_slapped(game, rules):
        resolve_smackdown(game, rules)
    else:
        finish_turn(game, rules, 0)


@njit
def reverse_skips(game, rules):
    """Whether a Reverse acts as a Skip."""
    return rules.two_player_reverse == REVERSE_AS_SKIP and players_in(game, rules) == 2


@njit
def resolve_reverse(game, rules):
    """Turn the direction round, or skip the only opponent."""
    if reverse_skips(game, rules):
        finish_turn(game, rules, 1)
    else:
        game.direction = -game.direction
        finish_turn(game, rules, 0)
