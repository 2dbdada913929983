"""Wild Colour Roulette (GUIDE.md 13.4).

Its player declares no colour. The next player names one, and turns cards up until one of that colour comes. A wild has
no colour. The player takes all these cards, and misses the turn. The named colour is active. All players have seen the
cards, and know them from now on (12).

If the draw pile runs dry, the player takes what there is (4.4). A roulette answers no penalty, and it cannot be
answered (10.1).

Decided here:

- Until a colour is named, the earlier one stays active.
- As a last card, it asks for no colour: the next player draws for the one that is active.
- If the player who is asked is put out by a punishment for an illegal action (7), the colour is drawn at random.

Actions: `wcr`, `colour:r` to `colour:b` (name the colour).
Observation: `phase` (roulette), `known`.
"""

from uno_env.core.faces import colour_of, effect_of
from uno_env.core.jit.njit import njit
from uno_env.core.record import NO_CARD, ROULETTE, effect
from uno_env.core.rules.deck import take_card
from uno_env.core.rules.going_out import finish_turn, has_gone_out
from uno_env.core.rules.knowledge import record_seen_by_all
from uno_env.core.rules.turn import is_in, seat_after

EFFECT = effect("roulette")


@njit
def is_roulette(game, rules, kind):
    """Return whether the kind has this effect."""
    return effect_of(game, rules, kind) == EFFECT


@njit
def may_turn_up_cards(rules):
    """Return whether the deck has a roulette."""
    for kind in range(len(rules.deck)):
        if rules.deck[kind] > 0 and rules.kind_effect[kind] == EFFECT:
            return True
    return False


@njit
def demand_colour(game, rules):
    """Ask the next player for a colour; after a last card, the active one counts."""
    game.to_move = seat_after(game, rules, game.turn, 1)
    if has_gone_out(game):
        resolve_roulette(game, rules, game.colour)
    else:
        game.phase = ROULETTE


@njit
def resolve_roulette(game, rules, colour):
    """The player asked takes cards until one of the colour comes, and misses the turn."""
    seat = game.to_move
    game.colour = colour
    kind = take_card(game, rules, seat)
    while kind != NO_CARD and is_in(game, seat):
        record_seen_by_all(game, rules, seat, kind)
        if colour_of(game, rules, kind) == colour:
            break
        kind = take_card(game, rules, seat)
    finish_turn(game, rules, int(is_in(game, seat)))
