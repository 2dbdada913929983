"""Skip Everyone (GUIDE.md 13.2).

All others miss a turn, so its player has another one.

Decided here: as a first discard it lets the dealer begin. It turns no penalty away (10.5).

Actions: `rse` to `bse`.
Observation: `turn`.
"""

from uno_env.core.faces import effect_of
from uno_env.core.jit.njit import njit
from uno_env.core.record import effect
from uno_env.core.rules.going_out import finish_turn
from uno_env.core.rules.turn import is_in, players_in

SKIP_EVERYONE = effect("skip_everyone")


@njit
def skips_everyone(game, rules, kind):
    """Return whether the kind has this effect."""
    return effect_of(game, rules, kind) == SKIP_EVERYONE


@njit
def resolve_skip_everyone(game, rules):
    """The player on turn has another turn, unless mercy has put them out (13.5)."""
    finish_turn(game, rules, players_in(game, rules) - 1 if is_in(game, game.turn) else 0)
