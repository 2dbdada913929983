"""Catching a player who forgot to call UNO (GUIDE.md 6.2). Switch: ``uno_penalty``.

After an uncalled play down to one card there is a race. Everyone is asked once, in an order drawn at random. The
culprit is asked to call, if a late call counts (6.1). Each other player is asked to catch or to let go (the action
``pass``). The first to speak ends the window. A player who is caught draws ``uno_penalty`` cards. A question
reveals nothing new, since everyone sees the sizes of the hands.

Decided here: the window comes before a jump-in and before the effect of the card. So it comes before the next player
draws or decides on a challenge. It also closes if the culprit holds more than one card again, after a punishment for an
illegal action in it (7).

Actions: `call`, `catch`, `pass` (let go).
Observation: `phase` (catch), `asked`, `called`.
"""

from uno_env.core import record
from uno_env.core.edition import actions_of
from uno_env.core.jit.njit import njit
from uno_env.core.rng import random_set_bit
from uno_env.core.rules.deck import take_cards
from uno_env.core.rules.jump_in import offer_jump_in
from uno_env.core.rules.turn import lapse_call
from uno_env.core.rules.uno_call import call_uno, can_be_caught, may_call_late


@njit
def resolve_play(game, rules):
    """Go on after a card was laid: an uncalled last card opens the window, then others may jump in, then the card
    acts.
    """
    seat = game.turn
    lapse_call(game, seat)
    if can_be_caught(game, rules, seat):
        game.phase = record.CATCH
        game.asked = 0 if may_call_late(rules) else 1 << seat
        ask_next(game, rules)
    else:
        offer_jump_in(game, rules)


@njit
def ask_next(game, rules):
    """Ask one of those not yet asked, drawn at random. When all were asked, play goes on."""
    waiting = ((1 << rules.players) - 1) & ~(game.asked | game.out)
    if waiting and can_be_caught(game, rules, game.turn):
        game.to_move = random_set_bit(game, waiting)
    else:
        offer_jump_in(game, rules)


@njit
def legal_answers(game, rules, mask):
    """Mark what the player who is asked may say. The culprit may call, the others may catch, and each may let go."""
    at = actions_of(rules)
    mask[at.call if game.to_move == game.turn else at.catch] = 1
    mask[at.keep] = 1


@njit
def resolve_answer(game, rules, action):
    """The player asked has called, caught, or let go."""
    if action == actions_of(rules).keep:
        game.asked |= 1 << game.to_move
        ask_next(game, rules)
        return
    if action == actions_of(rules).call:
        call_uno(game, game.turn)
    else:
        take_cards(game, rules, game.turn, rules.uno_penalty)
    offer_jump_in(game, rules)
