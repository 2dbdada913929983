"""Illegal actions (RULES.md 7). Switch: ``illegal_action``.

``raise``: refused with an error, the state unchanged. ``terminate``: PettingZoo's convention, the hand ends, −1 for who
acted, 0 for the others. ``penalty``: the card is taken back, two cards are drawn, the turn passes.
"""

from uno_env.core.compiled import compiled
from uno_env.core.going_out import end_illegal
from uno_env.core.record import switch_value

RAISE = switch_value("illegal_action", "raise")


@compiled
def is_refused(rules):
    """Whether an illegal action must be refused by whoever asked for it."""
    return rules.illegal_action == RAISE


@compiled
def resolve_illegal(game):
    """The player to move has acted illegally, under rules that do not refuse it."""
    end_illegal(game)
