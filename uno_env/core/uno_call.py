"""Calling UNO, and catching who forgot (RULES.md 6).

Switches: ``uno_call``, ``uno_penalty``, ``late_call``, ``call_before``.

``automatic``: nobody has to call. ``declared``: a player who plays down to one card must call. A call before the play
is an action that keeps the turn, with two cards in hand; it lapses if the player then does not go down to one card.
After an uncalled play down to one card it is a race: everyone is asked once, in an order drawn at random, the culprit
to call (only if ``late_call`` is on, and never with ``call_before``), each other player to catch or to let go (the
action ``pass``). The first to speak ends the window. Who is caught draws ``uno_penalty`` cards.

Decided here: the window comes before the effect of the card played, so before the next player draws or decides
on a challenge. Whoever holds two cards on their turn may call, with a card to play or without.
"""

from uno_env.actions import CALL, CATCH, PASS
from uno_env.core import record
from uno_env.core.card_effects import resolve_card
from uno_env.core.compiled import compiled
from uno_env.core.deck import take_cards
from uno_env.core.record import switch_value
from uno_env.core.rng import random_set_bit

DECLARED = switch_value("uno_call", "declared")


@compiled
def can_call(game, rules, seat):
    """Whether the seat, on its turn, may call UNO before playing."""
    return rules.uno_call == DECLARED and game.hand_sizes[seat] == 2 and not has_called(game, seat)


@compiled
def has_called(game, seat):
    """Whether the seat's call stands."""
    return (game.called >> seat) & 1 == 1


@compiled
def call_uno(game, seat):
    """The seat says UNO."""
    game.called |= 1 << seat


@compiled
def lapse_call(game, seat):
    """The seat's turn ends: a call not followed by one card left lapses."""
    if game.hand_sizes[seat] != 1:
        game.called &= ~(1 << seat)


@compiled
def resolve_play(game, rules, seat):
    """A card was laid: a call not followed by one card left lapses; one card left uncalled opens the window."""
    lapse_call(game, seat)
    if game.hand_sizes[seat] == 1 and rules.uno_call == DECLARED and not has_called(game, seat):
        game.phase = record.CATCH
        game.asked = 0 if rules.late_call and not rules.call_before else 1 << seat
        ask_next(game, rules)
        return
    resolve_card(game, rules)


@compiled
def ask_next(game, rules):
    """Ask one of those not yet asked, drawn at random; when all were asked, play goes on."""
    waiting = ((1 << rules.players) - 1) & ~game.asked
    if waiting:
        game.to_move = random_set_bit(game, waiting)
    else:
        close_window(game, rules)


@compiled
def close_window(game, rules):
    """The race is over; the card that was played acts."""
    game.asked = 0
    resolve_card(game, rules)


@compiled
def legal_answers(game, mask):
    """Mark what the player asked may say: the culprit may call, the others may catch; each may let go."""
    mask[CALL if game.to_move == game.turn else CATCH] = 1
    mask[PASS] = 1


@compiled
def resolve_answer(game, rules, action):
    """The player asked has called, caught, or let go."""
    if action == PASS:
        game.asked |= 1 << game.to_move
        ask_next(game, rules)
        return
    if action == CALL:
        call_uno(game, game.turn)
    else:
        take_cards(game, game.turn, rules.uno_penalty)
    close_window(game, rules)
