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

from uno_env.cards import DRAW_TWO, FIRST_WILD, RANKS_PER_COLOUR, REVERSE, SKIP, WILD_DRAW_FOUR
from uno_env.core.jit.njit import njit
from uno_env.core.record import switch_value
from uno_env.core.rules.going_out import finish_turn
from uno_env.core.rules.seven_zero import moves_hands, resolve_seven_zero
from uno_env.core.rules.six_smackdown import is_slapped, resolve_smackdown
from uno_env.core.rules.special_wilds import resolve_special_wild
from uno_env.core.rules.stacking import demand_penalty
from uno_env.core.rules.turn import players_in

REVERSE_AS_SKIP = switch_value("two_player_reverse", "skip")


@njit
def cards_demanded(kind):
    """How many cards the kind makes the next player draw."""
    if kind == WILD_DRAW_FOUR:
        return 4
    return 2 if kind < FIRST_WILD and kind % RANKS_PER_COLOUR == DRAW_TWO else 0


@njit
def resolve_card(game, rules):
    """Let the card just played act, and end its player's turn."""
    rank = game.top % RANKS_PER_COLOUR
    if game.penalty > 0:
        if rank == REVERSE and game.top < FIRST_WILD and not reverse_skips(game, rules):
            game.direction = -game.direction
        demand_penalty(game, rules)
    elif game.top >= FIRST_WILD:
        resolve_special_wild(game, rules, game.top)
    elif rank == SKIP:
        finish_turn(game, rules, 1)
    elif rank == REVERSE:
        resolve_reverse(game, rules)
    elif moves_hands(game, rules, rank):
        resolve_seven_zero(game, rules, rank)
    elif is_slapped(game, rules, rank):
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
