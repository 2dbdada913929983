"""The first discard (GUIDE.md 3.3). Switches: ``first_card``, ``first_reverse``.

- ``effects``: the card acts as if the dealer had played it.

  - Skip: the player to the dealer's left misses a turn.
  - Reverse: the dealer plays first, counter-clockwise. With ``first_reverse="right_of_dealer"``, the player to the
    dealer's right plays first.
  - Draw Two: the player to the dealer's left draws two and misses the turn.
  - Wild: the player to the dealer's left declares the colour and takes the first turn.
  - Wild Draw Four and the special wilds: the card goes back into the deck, and another one is turned.

- ``effects_all``: as ``effects``, but a Wild Draw Four stays, and acts as a Wild: nobody draws.
- ``effects_no_wild``: as ``effects``, but a Wild goes back as well.
- ``reverse_only``: as ``effects_no_wild``, but a Skip or a Draw Two does nothing. The player to the dealer's left
  begins.
- ``number``: cards are turned until a number comes up.

Decided here:

- With two players, a first Reverse lets the dealer play first, whatever ``first_reverse`` says. This also
  holds if only two players of more are left in a match.
- The cards that went back are shuffled into the deck once the first card lies.
- If no card that may lie first is left in the pile, all cards are dealt again.
- Nobody laid a first Wild Draw Four, so nobody is challenged.

Actions: `colour:r` to `colour:b` (declare the first colour).
Observation: `phase` (first_colour), `symbol`, `colour` (all 0 until declared), `clockwise`.
"""

from uno_env.core.edition import actions_of, sizes_of
from uno_env.core.faces import colour_of, effect_of, is_number, is_plain_wild, is_wild, is_wild_draw
from uno_env.core.jit.njit import njit
from uno_env.core.record import FIRST_COLOUR, NOBODY, effect, switch_value
from uno_env.core.rules.deck import shuffle_pile
from uno_env.core.rules.rlcard import is_rlcard, resolve_first_by_chance
from uno_env.core.rules.skip_everyone import SKIP_EVERYONE
from uno_env.core.rules.stacking import add_penalty, demand_penalty
from uno_env.core.rules.turn import begin_turn, pass_turn, players_in, seat_after
from uno_env.core.rules.turning_over import FLIP, flips, turn_everything

EFFECTS = switch_value("first_card", "effects")
EFFECTS_ALL = switch_value("first_card", "effects_all")
NUMBER = switch_value("first_card", "number")
REVERSE_ONLY = switch_value("first_card", "reverse_only")
DEALER = switch_value("first_reverse", "dealer")
SKIP, REVERSE, DRAW = effect("skip"), effect("reverse"), effect("draw")


@njit
def can_lie_first(game, rules, kind):
    """Return whether a card that is turned over stays as the first discard."""
    if not is_wild(game, rules, kind):
        return rules.first_card != NUMBER or is_number(game, rules, kind)
    if is_wild_draw(game, rules, kind):
        return rules.first_card == EFFECTS_ALL
    return is_plain_wild(game, rules, kind) and rules.first_card in (EFFECTS, EFFECTS_ALL)


@njit
def turn_first_card(game, rules):
    """Turn cards over until one may lie first, and return whether there was one."""
    start = game.pile_next
    index = start
    while index < game.pile_end and not can_lie_first(game, rules, int(game.pile[index])):
        index += 1
    if index == game.pile_end:
        return False
    kind = int(game.pile[index])
    game.pile[index] = game.pile[start]
    game.pile_next = start + 1
    if index > start:
        shuffle_pile(game)
    game.top = kind
    if sizes_of(rules).sides > 1:
        game.lowest[0] = kind
    game.discards[kind] = 1
    game.colour = colour_of(game, rules, kind)
    return True


@njit
def resolve_first_card(game, rules):
    """Let the first card act, and begin the first turn."""
    game.turn = game.dealer
    left = seat_after(game, rules, game.dealer, 1)
    act = effect_of(game, rules, game.top)
    if is_rlcard(rules) and (is_wild(game, rules, game.top) or act == DRAW):
        resolve_first_by_chance(game, rules, left)
        begin_turn(game, left)
    elif is_wild(game, rules, game.top):
        begin_turn(game, left)
        game.phase = FIRST_COLOUR
    elif act in (SKIP, DRAW, SKIP_EVERYONE, FLIP) and rules.first_card == REVERSE_ONLY:
        begin_turn(game, left)
    elif flips(game, rules, game.top):
        turn_everything(game, rules)
        begin_turn(game, left)
        if is_wild(game, rules, game.top):
            game.phase = FIRST_COLOUR
    elif act == SKIP_EVERYONE:
        begin_turn(game, game.dealer)
    elif act == SKIP:
        begin_turn(game, seat_after(game, rules, left, 1))
    elif act == DRAW:
        add_penalty(game, rules, game.top)
        demand_penalty(game, rules)
    elif act == REVERSE:
        game.direction = -1
        if rules.first_reverse == DEALER or players_in(game, rules) == 2:
            begin_turn(game, game.dealer)
        else:
            begin_turn(game, seat_after(game, rules, game.dealer, 1))
    else:
        begin_turn(game, left)


@njit
def legal_first_colours(game, rules, mask):
    """Mark the colours that may be declared."""
    first = actions_of(rules).declare
    if sizes_of(rules).sides > 1:
        first += sizes_of(rules).colours * game.side[0]
    for colour in range(sizes_of(rules).colours):
        mask[first + colour] = 1


@njit
def declare_first_colour(game, rules, colour):
    """The player to the dealer's left declares the colour, and takes the first turn. After a Flip, the turn passes."""
    game.colour = colour
    if game.last_player == NOBODY:
        begin_turn(game, game.turn)
    else:
        pass_turn(game, rules, 0)
