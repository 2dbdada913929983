"""Flip (GUIDE.md 14.1).

Everything is turned over: first the discard pile as a whole, so its lowest card lies on top with its other face; then
the draw pile as a whole, so its last card comes next; then all hands. The other side is in force.

The new top card has no effect. Its colour is active, and its symbol may be matched. If it is a wild, the player who
flipped declares a colour. Then the turn passes to the next player.

As a first discard, a Flip turns everything over, too. The player to the dealer's left begins on the dark side, and
declares a colour if a wild comes up. As a last card it turns everything before the points are counted (9.1).

Decided here:

- After a renewal of the draw pile (4.4), the top card is the lowest one as well.
- The colours of the two sides are different ones. What was seen of who drew on a colour (12) is forgotten.
- If mercy (13.5) put out the player who flipped, the colour of a wild is drawn at random.

Actions: `r5/…f` and the like, `colour:r` to `colour:u`.
Observation: `side`, `lowest_card`, `phase` (first_colour).
"""

from uno_env.core.edition import sizes_of, tables_of
from uno_env.core.faces import colour_of, effect_of, is_wild
from uno_env.core.jit.njit import njit
from uno_env.core.record import FIRST_COLOUR, NO_COLOUR, effect
from uno_env.core.rng import below
from uno_env.core.rules.going_out import finish_turn, has_gone_out
from uno_env.core.rules.turn import is_in

FLIP = effect("flip")


@njit
def flips(game, rules, kind):
    """Return whether the kind has this effect."""
    return sizes_of(rules).sides > 1 and effect_of(game, rules, kind) == FLIP


@njit
def was_turned_up(game, rules):
    """Return whether a Flip may have brought the top card up: it is the lowest card now."""
    if sizes_of(rules).sides == 1:
        return False
    return tables_of(rules).kind_effect[game.lowest[0] + sizes_of(rules).kinds * (1 - game.side[0])] == FLIP


@njit
def turn_everything(game, rules):
    """Turn the discard pile, the draw pile and all hands over."""
    game.side[0] = 1 - game.side[0]
    game.top, game.lowest[0] = game.lowest[0], game.top
    first, last = int(game.pile_next), game.pile_end - 1
    game.last_seen[0] = first <= last
    while first < last:
        game.pile[first], game.pile[last] = game.pile[last], game.pile[first]
        first += 1
        last -= 1
    for seat in range(rules.players):
        for colour in range(sizes_of(rules).colours):
            game.seats[seat].drew_on[colour] = 0
    game.colour = colour_of(game, rules, game.top)
    game.previous_colour = NO_COLOUR


@njit
def resolve_flip(game, rules):
    """Everything is turned over. If a wild comes up, the player on turn declares a colour; then the turn ends."""
    turn_everything(game, rules)
    if not is_wild(game, rules, game.top) or has_gone_out(game):
        finish_turn(game, rules, 0)
    elif is_in(game, game.turn):
        game.phase = FIRST_COLOUR
        game.to_move = game.turn
    else:
        game.colour = below(game, sizes_of(rules).colours)
        finish_turn(game, rules, 0)
