"""The turn of a player hit by a Draw Two (GUIDE.md 5.4). Switch: ``draw_two_turn``.

- ``lost``: the player draws and misses the turn.
- ``kept``: the player draws, and then has a turn as usual. One published text names no lost turn for a Draw Two, but
  one for the Wild Draw Four.
- ``kept_first``: the turn is kept after a first discard alone. One official sheet says of a first Draw Two only that
  two cards are drawn.

Decided here: whoever takes a pile of penalties (10.1) keeps the turn if the pile ends in a Draw Two, also in one that
was turned away (10.5). A first discard counts as one until a card lies on it.

Actions: none of its own.
Observation: `turn`, `hand_sizes`.
"""

from uno_env.core.faces import is_wild
from uno_env.core.jit.njit import njit
from uno_env.core.record import NOBODY, switch_value

KEPT = switch_value("draw_two_turn", "kept")
KEPT_FIRST = switch_value("draw_two_turn", "kept_first")


@njit
def keeps_turn(game, rules):
    """Return whether the player who has drawn a penalty keeps the turn."""
    if is_wild(game, rules, game.top):
        return False
    return rules.draw_two_turn == KEPT or (rules.draw_two_turn == KEPT_FIRST and game.last_player == NOBODY)
