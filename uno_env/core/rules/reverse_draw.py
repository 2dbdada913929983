"""Wild Reverse Draw Four (GUIDE.md 13.3).

A colour is declared, and the direction turns round. Then the next player draws four and misses the turn. That is the
player who was before.

Decided here: the direction turns with two players, too. The opponent then draws.

Actions: `wr+4:r` to `wr+4:b`.
Observation: `clockwise`, `penalty`.
"""

from uno_env.core.faces import effect_of
from uno_env.core.jit.njit import njit
from uno_env.core.record import effect

REVERSE_DRAW = effect("reverse_draw")


@njit
def reverses_and_draws(game, rules, kind):
    """Return whether the kind has this effect."""
    return effect_of(game, rules, kind) == REVERSE_DRAW
