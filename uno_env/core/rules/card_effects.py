"""The effects of cards (GUIDE.md 5). Switch: ``two_player_reverse``.

- Skip: the next player misses a turn.
- Reverse: the direction turns round. With two players it acts as a Skip, unless ``two_player_reverse`` is ``reverse``.
- Draw Two: the next player draws two and misses the turn.
- Wild: a colour is declared, which may be the one that was active.
- Wild Draw Four: a colour is declared. The next player draws four and misses the turn (5.1).
- The other wilds: see 5.2. The cards of No Mercy: see 13. Those of Flip: see 14.

Decided here: a Reverse that acts as a Skip leaves the direction as it is. It also acts as a Skip if only two players
of more are left in a match.

Actions: none of its own.
Observation: `clockwise`, `turn`.
"""

from uno_env.core.edition import sizes_of
from uno_env.core.faces import effect_of
from uno_env.core.jit.njit import njit
from uno_env.core.record import effect, switch_value
from uno_env.core.rules.going_out import finish_turn
from uno_env.core.rules.reverse_draw import reverses_and_draws
from uno_env.core.rules.roulette import demand_colour, is_roulette
from uno_env.core.rules.seven_zero import resolve_seven_zero, still_moves_hands
from uno_env.core.rules.six_smackdown import is_slapped, resolve_smackdown
from uno_env.core.rules.skip_everyone import resolve_skip_everyone, skips_everyone
from uno_env.core.rules.special_wilds import is_special_wild, resolve_special_wild
from uno_env.core.rules.stacking import demand_penalty
from uno_env.core.rules.turn import players_in
from uno_env.core.rules.turning_over import flips, resolve_flip

REVERSE_AS_SKIP = switch_value("two_player_reverse", "skip")
SKIP, REVERSE = effect("skip"), effect("reverse")


@njit
def resolve_card(game, rules):
    """Let the card just played act, and end its player's turn."""
    act = effect_of(game, rules, game.top)
    if not sizes_of(rules).moves_first:
        turn_direction(game, rules)
    if game.penalty > 0:
        demand_penalty(game, rules)
    elif flips(game, rules, game.top):
        resolve_flip(game, rules)
    elif act == SKIP:
        finish_turn(game, rules, 1)
    elif act == REVERSE:
        finish_turn(game, rules, int(reverse_skips(game, rules)))
    elif is_special_wild(game, rules, game.top):
        resolve_special_wild(game, rules, game.top)
    elif skips_everyone(game, rules, game.top):
        resolve_skip_everyone(game, rules)
    elif is_roulette(game, rules, game.top):
        demand_colour(game, rules)
    elif still_moves_hands(game, rules):
        resolve_seven_zero(game, rules)
    elif is_slapped(game, rules):
        resolve_smackdown(game, rules)
    else:
        finish_turn(game, rules, 0)


@njit
def reverse_skips(game, rules):
    """Return whether a Reverse acts as a Skip."""
    return rules.two_player_reverse == REVERSE_AS_SKIP and players_in(game, rules) == 2


@njit
def turn_direction(game, rules):
    """Turn the direction round if the card just played does so."""
    reverses = effect_of(game, rules, game.top) == REVERSE and not reverse_skips(game, rules)
    if reverses or reverses_and_draws(game, rules, game.top):
        game.direction = -game.direction
