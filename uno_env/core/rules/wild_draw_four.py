"""Wild Draw Four and its challenge (GUIDE.md 5.1). Switches: ``wild_draw_four``,
``wild_is_match``.

- ``restricted``: legal only if the hand has no card of the active colour. A card of the same symbol, or a Wild, does
  not matter.
- ``colour_or_symbol``: legal only if the hand has no card of the active colour, and none that matches by symbol.
- ``free``: always legal.
- ``bluff``: always legal, and the player who would draw decides: accept, or challenge.

With ``wild_is_match``, a Wild or a special wild in the hand counts as a card of the active colour. It then decides what
is legal, and who is guilty. Another Wild Draw Four does not count. Some boxes print this rule, and players argue about
it.

In a challenge the hand is shown to the challenger alone, who knows those cards from then on. The player is guilty if
the hand held a card of the colour that was active before the play.

- Guilty: the player draws the penalty, which is four cards or the whole stack. Play goes on with the challenger.
- Innocent: the challenger draws the penalty and two cards more, and misses the turn.

The declared colour stays.

Decided here:

- Going out on a Wild Draw Four can be challenged, too. A player who goes out held nothing else, so is never guilty. The
  challenge only costs two cards more.
- Guilt is settled when the card is played. A penalty drawn before the challenge does not change it, but is seen with
  the rest of the hand.
- Only the last Wild Draw Four of a stack can be challenged.

Actions: `w+4:r` to `w+4:b`, `challenge`, `accept`.
Observation: `phase` (challenge), `previous_colour`, `penalty`, `known`.
"""

import numpy as np

from uno_env.core.edition import actions_of, sizes_of
from uno_env.core.faces import colour_of, coloured_below, is_wild_draw, symbol_of, wild_from_first_on
from uno_env.core.jit.njit import njit
from uno_env.core.record import NO_CARD, switch_value
from uno_env.core.rules.deck import take_cards
from uno_env.core.rules.draw_colour import take_penalty
from uno_env.core.rules.going_out import finish_turn
from uno_env.core.rules.knowledge import see_hand
from uno_env.core.rules.matching import symbol_to_follow
from uno_env.core.rules.rlcard import wild_comes_first
from uno_env.core.rules.turn import is_in, lapse_call

RESTRICTED = switch_value("wild_draw_four", "restricted")
COLOUR_OR_SYMBOL = switch_value("wild_draw_four", "colour_or_symbol")
BLUFF = switch_value("wild_draw_four", "bluff")

MORE_FOR_WRONG_CHALLENGE = 2


@njit
def can_play_wild_draw_four(game, rules, seat):
    """Return whether the seat, holding a Wild Draw Four, may play it."""
    if rules.wild_draw_four == RESTRICTED:
        return not holds_match(game, rules, seat, game.colour)
    if rules.wild_draw_four == COLOUR_OR_SYMBOL:
        held = holds_match(game, rules, seat, game.colour) or holds_symbol(game, rules, seat)
        return not (held or wild_comes_first(game, rules, seat))
    return True


@njit
def holds_match(game, rules, seat, colour):
    """Return whether the seat holds a card to play instead of a Wild Draw Four: of the colour, or a wild."""
    if rules.wild_is_match and holds_other_wild(game, rules, seat):
        return True
    return holds_colour(game, rules, seat, colour)


@njit
def holds_other_wild(game, rules, seat):
    """Return whether the seat holds a wild that is no Wild Draw Four."""
    for kind in range(sizes_of(rules).first_wild, sizes_of(rules).kinds):
        other = wild_from_first_on(game, rules, kind) and not is_wild_draw(game, rules, kind)
        if game.seats[seat].hand[kind] > 0 and other:
            return True
    return False


@njit
def holds_colour(game, rules, seat, colour):
    """Return whether the seat holds a card of the colour."""
    held, active = np.uint8(0), np.int8(colour)
    for kind in range(sizes_of(rules).coloured):
        held = np.uint8(held | ((game.seats[seat].hand[kind] > 0) & (colour_of(game, rules, kind) == active)))
    return held > 0


@njit
def holds_symbol(game, rules, seat):
    """Return whether the seat holds a card that matches the top card's number or symbol."""
    held, symbol = np.uint8(0), np.int8(symbol_to_follow(game, rules))
    for kind in range(sizes_of(rules).coloured):
        follows = (symbol_of(game, rules, kind) == symbol) & coloured_below(game, rules, kind)
        held = np.uint8(held | ((game.seats[seat].hand[kind] > 0) & follows))
    return held > 0


@njit
def record_bluff(game, rules, seat, kind):
    """Before the card leaves the hand: record whether a challenge would find its player guilty."""
    may_be_guilty = is_wild_draw(game, rules, kind) and may_be_challenged(rules)
    game.bluffed = may_be_guilty and holds_match(game, rules, seat, game.colour)


@njit
def may_be_challenged(rules):
    """Return whether a Wild Draw Four may be challenged at all."""
    return rules.wild_draw_four == BLUFF


@njit
def can_be_challenged(game, rules):
    """Return whether the top card is a Wild Draw Four that may be challenged."""
    return is_wild_draw(game, rules, game.top) and may_be_challenged(rules)


@njit
def legal_challenge(rules, mask):
    """Mark challenging."""
    mask[actions_of(rules).challenge] = 1


@njit
def resolve_challenge(game, rules):
    """The player who would draw has challenged."""
    challenger = game.to_move
    cards = game.penalty
    game.penalty = 0
    game.pending = NO_CARD
    see_hand(game, rules, challenger, game.turn)
    if game.bluffed:
        take_penalty(game, rules, game.turn, cards)
        finish_turn(game, rules, 0)
    else:
        take_penalty(game, rules, challenger, cards)
        take_cards(game, rules, challenger, MORE_FOR_WRONG_CHALLENGE)
        lapse_call(game, challenger)
        finish_turn(game, rules, int(is_in(game, challenger)))
