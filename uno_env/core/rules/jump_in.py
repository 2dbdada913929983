"""Jump-in (GUIDE.md 10.3). Switch: ``jump_in``.

A player who holds exactly the card on top (colour and number or symbol; not wilds) may play it out of turn, before the
next player acts. Play goes on from them as if they had just had their turn. Holders are asked in turn order, beginning
with the last player. The effect of the first card is lost, and the second card has its effect. With
stacking on, draw penalties add up.

Decided here:

- The last player is asked first, and may lay an identical card on their own. (Under ``double_play="two_or_more"``,
  numbers can only be laid together with it, see 4.3.)
- The question comes after the window for a missing UNO call and before the card's effect.
- Nobody jumps in on a first discard. Nobody jumps in on a last card either: the hand is over.
- The others do not learn whether somebody was asked and passed, since that would show the card (12).

Actions: `jump_in`, `pass` (let go).
Observation: `phase` (jump_in, shown only to the player who is asked), `last_player`.
"""

from uno_env.core import record
from uno_env.core.edition import actions_of, sizes_of
from uno_env.core.faces import front_of, is_number, is_wild
from uno_env.core.jit.njit import njit
from uno_env.core.record import NO_CARD
from uno_env.core.rules.card_effects import resolve_card
from uno_env.core.rules.discard_all import would_be_last
from uno_env.core.rules.double_play import lays_all_in_one
from uno_env.core.rules.going_out import has_gone_out
from uno_env.core.rules.mercy import is_alone
from uno_env.core.rules.turn import lapse_call, seat_after


@njit
def may_jump_in(rules):
    """Return whether the identical card may be played out of turn."""
    return rules.jump_in


@njit
def offer_jump_in(game, rules):
    """A card was played: ask who may jump in, then let it act."""
    game.asked = 0
    waits = may_jump_in(rules) and not is_wild(game, rules, game.top)
    if waits and not has_gone_out(game) and not is_alone(game, rules):
        ask_next_holder(game, rules)
    else:
        resolve_card(game, rules)


@njit
def ask_next_holder(game, rules):
    """Ask the next player in turn order who holds the twin of the top card. When all have let go, the card acts."""
    for steps in range(rules.players):
        seat = seat_after(game, rules, game.turn, steps)
        if can_jump_in(game, rules, seat):
            game.phase = record.JUMP_IN
            game.to_move = seat
            return
    game.asked = 0
    resolve_card(game, rules)


@njit
def can_jump_in(game, rules, seat):
    """Return whether the seat holds the twin of the top card and has not yet let go."""
    if (game.asked >> seat) & 1 or twin_of_top(game, rules, seat) == NO_CARD:
        return False
    if seat == game.turn and lays_all_in_one(game, rules):
        return False
    return is_number(game, rules, game.top) or not would_be_last(game, rules, seat, game.top)


@njit
def twin_of_top(game, rules, seat):
    """The card of the seat that is identical to the top card, or NO_CARD. With two sides, the face in force counts; of
    several the first in number.
    """
    if game.seats[seat].hand[game.top] > 0:
        return game.top
    if sizes_of(rules).sides > 1:
        for kind in range(sizes_of(rules).kinds):
            same = front_of(game, rules, kind) == front_of(game, rules, game.top)
            if game.seats[seat].hand[kind] > 0 and same:
                return kind
    return NO_CARD


@njit
def legal_jump_in(rules, mask):
    """Mark jumping in and letting go."""
    mask[actions_of(rules).jump_in] = 1
    mask[actions_of(rules).keep] = 1


@njit
def let_jump_go(game, rules):
    """The player asked does not jump in."""
    lapse_call(game, game.to_move)
    game.asked |= 1 << game.to_move
    ask_next_holder(game, rules)
