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

from uno_env.actions import DECLARE
from uno_env.cards import DRAW_TWO, FIRST_WILD, NUM_COLOURS, RANKS_PER_COLOUR, REVERSE, SKIP, WILD, WILD_DRAW_FOUR
from uno_env.core.jit.njit import njit
from uno_env.core.record import FIRST_COLOUR, NO_COLOUR, switch_value
from uno_env.core.rules.card_effects import cards_demanded
from uno_env.core.rules.deck import shuffle_pile
from uno_env.core.rules.rlcard import is_rlcard, resolve_first_by_chance
from uno_env.core.rules.stacking import add_penalty, demand_penalty
from uno_env.core.rules.turn import begin_turn, players_in, seat_after

EFFECTS = switch_value("first_card", "effects")
EFFECTS_ALL = switch_value("first_card", "effects_all")
NUMBER = switch_value("first_card", "number")
REVERSE_ONLY = switch_value("first_card", "reverse_only")
DEALER = switch_value("first_reverse", "dealer")


@njit
def can_lie_first(rules, kind):
    """Whether a card turned over stays as the first discard."""
    if kind < FIRST_WILD:
        return rules.first_card != NUMBER or kind % RANKS_PER_COLOUR <= 9
    if kind == WILD_DRAW_FOUR:
        return rules.first_card == EFFECTS_ALL
    return kind == WILD and rules.first_card in (EFFECTS, EFFECTS_ALL)


@njit
def turn_first_card(game, rules):
    """Turn cards over until one may lie first, and return whether there was one."""
    start = game.pile_next
    index = start
    while index < game.pile_end and not can_lie_first(rules, int(game.pile[index])):
        index += 1
    if index == game.pile_end:
        return False
    kind = int(game.pile[index])
    game.pile[index] = game.pile[start]
    game.pile_next = start + 1
    if index > start:
        shuffle_pile(game)
    game.top = kind
    game.discards[kind] = 1
    game.colour = kind // RANKS_PER_COLOUR if kind < FIRST_WILD else NO_COLOUR
    return True


@njit
def resolve_first_card(game, rules):
    """Let the first card act, and begin the first turn."""
    game.turn = game.dealer
    left = seat_after(game, rules, game.dealer, 1)
    rank = game.top % RANKS_PER_COLOUR if game.top < FIRST_WILD else 0
    if is_rlcard(rules) and (game.top == WILD or rank == DRAW_TWO):
        resolve_first_by_chance(game, rules, left)
        begin_turn(game, left)
    elif game.top >= FIRST_WILD:
        begin_turn(game, left)
        game.phase = FIRST_COLOUR
    elif rank in (SKIP, DRAW_TWO) and rules.first_card == REVERSE_ONLY:
        begin_turn(game, left)
    elif rank == SKIP:
        begin_turn(game, seat_after(game, rules, left, 1))
    elif rank == DRAW_TWO:
        add_penalty(game, rules, cards_demanded(game.top))
        demand_penalty(game, rules)
    elif rank == REVERSE:
        game.direction = -1
        if rules.first_reverse == DEALER or players_in(game, rules) == 2:
            begin_turn(game, game.dealer)
        else:
            begin_turn(game, seat_after(game, rules, game.dealer, 1))
    else:
        begin_turn(game, left)


@njit
def legal_first_colours(mask):
    """Mark the four colours that may be declared."""
    for colour in range(NUM_COLOURS):
        mask[DECLARE + colour] = 1


@njit
def declare_first_colour(game, colour):
    """The player to the dealer's left declares the colour, and takes the first turn."""
    game.colour = colour
    begin_turn(game, game.turn)
