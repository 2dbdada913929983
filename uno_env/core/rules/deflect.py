"""Turning a Draw Two away (GUIDE.md 10.5). Switch: ``deflect``.

The makers of the game have published these house rules. A player who would draw for a Draw Two may answer with a Skip
or a Reverse of its colour.

- Skip: the whole penalty passes on to the next player.
- Reverse: the direction turns round, and the player before gets the whole penalty.

With two players, both hand the penalty back. A Wild Draw Four on top cannot be turned away.

Decided here:

- It works with and without stacking (10.1). A penalty that was turned away is still that of the Draw Two. The next
  player may turn it away again, or stack on it as on the Draw Two itself.
- A first discard acts as if the dealer had played it. So a Reverse on a first Draw Two gives the penalty to the dealer.
- With two players, the direction stays as it is wherever a Reverse acts as a Skip (5).
- A player who goes out on the Skip or the Reverse has won. The player whom the penalty then hits draws it before the
  count (8).
- Whoever jumps in on that card with its twin turns the penalty away instead (10.3).
- As with stacking, the others cannot tell whether somebody was asked and accepted (12).

Actions: Skips and Reverses as answers, `accept`.
Observation: `phase` (stack, shown only to the player who is asked), `penalty`.
"""

from uno_env.core.edition import sizes_of
from uno_env.core.faces import colour_of, effect_of, is_wild
from uno_env.core.jit.njit import njit
from uno_env.core.record import effect
from uno_env.core.rules.going_out import has_gone_out, must_be_number
from uno_env.core.rules.matching import legal_card

SKIP, REVERSE = effect("skip"), effect("reverse")


@njit
def may_deflect(game, rules, seat):
    """Return whether the seat, asked for a penalty, may turn it away if it holds a card to do so."""
    return rules.deflect and not (
        is_wild(game, rules, game.top) or has_gone_out(game) or must_be_number(game, rules, seat)
    )


@njit
def deflects(game, rules, kind):
    """Return whether the kind is a Skip or a Reverse of the active colour."""
    return colour_of(game, rules, kind) == game.colour and effect_of(game, rules, kind) in (SKIP, REVERSE)


@njit
def can_deflect_any(game, rules, seat):
    """Return whether the seat holds a card to turn the penalty away with."""
    if may_deflect(game, rules, seat):
        for kind in range(sizes_of(rules).coloured):
            if game.seats[seat].hand[kind] and deflects(game, rules, kind):
                return True
    return False


@njit
def legal_deflections(game, rules, mask):
    """Mark the cards that turn the penalty away, and return whether there is one."""
    found = False
    if may_deflect(game, rules, game.to_move):
        for kind in range(sizes_of(rules).coloured):
            if game.seats[game.to_move].hand[kind] and deflects(game, rules, kind):
                legal_card(game, rules, mask, kind)
                found = True
    return found
