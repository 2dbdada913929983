"""Calling UNO (GUIDE.md 6.1). Switches: ``uno_call``, ``late_call``, ``call_before``.

- ``automatic``: nobody has to call.
- ``declared``: a player who plays down to one card must call.

A call before the play is an action of its own, and keeps the turn. The player then still holds the second-to-last card.
The call lapses if the player does not go down to one card. After an uncalled play down to one card, others may catch
(6.2). With ``late_call`` the culprit may still call. With ``call_before`` only a call before the play counts.

Decided here: a player who holds two cards when asked to play one (on their turn, to jump in, to stack, or to turn a
penalty away, see 10.5) may call, with or without a card to play. With ``double_play``, so may a player who holds three
cards on their turn, two of which may be laid together.

Actions: `call`.
Observation: `called`.
"""

from uno_env.core.jit.njit import njit
from uno_env.core.record import PLAY, switch_value
from uno_env.core.rules.discard_all import can_discard_down_to_one
from uno_env.core.rules.double_play import can_play_any_pair

DECLARED = switch_value("uno_call", "declared")


@njit
def must_call(rules):
    """Return whether UNO has to be called at all."""
    return rules.uno_call == DECLARED


@njit
def can_call(game, rules, seat):
    """Return whether the seat may call UNO before playing."""
    if not must_call(rules) or has_called(game, seat):
        return False
    cards = game.seats[seat].hand_size
    if cards == 2 or (cards == 3 and game.phase == PLAY and can_play_any_pair(game, rules, seat)):
        return True
    return can_discard_down_to_one(game, rules, seat)


@njit
def has_called(game, seat):
    """Return whether the seat's call stands."""
    return (game.called >> seat) & 1 == 1


@njit
def call_uno(game, seat):
    """The seat says UNO."""
    game.called |= 1 << seat


@njit
def can_be_caught(game, rules, seat):
    """Return whether the seat has played down to one card without a call."""
    return must_call(rules) and game.seats[seat].hand_size == 1 and not has_called(game, seat)


@njit
def may_call_late(rules):
    """Return whether the culprit may still call."""
    return rules.late_call and not rules.call_before
