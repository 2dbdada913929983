"""Wild Draw Colour (GUIDE.md 14.2).

A colour is declared. The next player draws until a card of that colour comes, keeps all of them, and misses the turn. A
wild has no colour. The others do not see the cards, but they know that only the last one can be of the colour.

It may be played and challenged as the Wild Draw Four (5.1). A guilty player draws until the declared colour comes. The
challenger of an innocent player does so, and then draws two cards more.

If the draw pile runs dry, the player takes what there is (4.4), and the rest falls away. A Wild Draw Colour answers no
penalty, and it cannot be answered (10.1).

Actions: `r1/dwc:p` and the like, `challenge`, `accept`.
Observation: `phase` (challenge), `penalty` (1).
"""

from uno_env.core.edition import sizes_of
from uno_env.core.faces import colour_of, effect_of
from uno_env.core.jit.njit import njit
from uno_env.core.record import NO_CARD, effect
from uno_env.core.rules.deck import take_card, take_cards
from uno_env.core.rules.turn import is_in

DRAW_COLOUR = effect("draw_colour")


@njit
def draws_colour(game, rules, kind):
    """Return whether the kind has this effect."""
    return sizes_of(rules).draws_colour and effect_of(game, rules, kind) == DRAW_COLOUR


@njit
def take_penalty(game, rules, seat, cards):
    """The seat draws the penalty: a number of cards, or until the active colour comes."""
    if not draws_colour(game, rules, game.top):
        take_cards(game, rules, seat, cards)
        return
    kind = take_card(game, rules, seat)
    while kind != NO_CARD and is_in(game, seat) and colour_of(game, rules, kind) != game.colour:
        kind = take_card(game, rules, seat)
