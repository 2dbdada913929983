"""Discard All (GUIDE.md 13.1).

A Discard All is matched by colour or symbol. All other cards of its colour in the player's hand go with it. They lie
under it, and have no effect. This also holds for one that was just drawn.

A hand that is emptied in this way is won. ``go_out_on`` (8) looks at the Discard All itself. A player who goes down to
one card must call UNO (6.1), and may call before whenever a Discard All leaves one card.

Decided here: as a first discard it has no effect.

Actions: `rda` to `bda`.
Observation: `discards`, `hand_sizes`.
"""

from uno_env.core.edition import sizes_of
from uno_env.core.faces import colour_of, effect_of
from uno_env.core.jit.njit import njit
from uno_env.core.record import DRAWN, JUMP_IN, PLAY, effect
from uno_env.core.rules.going_out import limits_last_card
from uno_env.core.rules.knowledge import record_discarded
from uno_env.core.rules.matching import can_follow

DISCARD_ALL = effect("discard_all")


@njit
def discards_all(game, rules, kind):
    """Return whether the kind takes other cards with it."""
    return sizes_of(rules).discards_all and effect_of(game, rules, kind) == DISCARD_ALL


@njit
def discard_colour(game, rules, seat, colour):
    """All cards of the colour leave the seat's hand for the discard pile."""
    for kind in range(sizes_of(rules).coloured):
        if colour_of(game, rules, kind) == colour and game.seats[seat].hand[kind]:
            game.discards[kind] += game.seats[seat].hand[kind]
            game.seats[seat].hand_size -= game.seats[seat].hand[kind]
            game.seats[seat].hand[kind] = 0
            record_discarded(game, rules, seat, kind)


@njit
def cards_left_by(game, rules, seat, kind):
    """The number of cards that the seat holds after it has laid the kind."""
    if not discards_all(game, rules, kind):
        return game.seats[seat].hand_size - 1
    left = int(game.seats[seat].hand_size)
    for other in range(sizes_of(rules).coloured):
        if colour_of(game, rules, other) == colour_of(game, rules, kind):
            left -= game.seats[seat].hand[other]
    return left


@njit
def would_be_last(game, rules, seat, kind):
    """Return whether the seat may not lay the coloured kind, no number, because it would be its last card (8)."""
    return limits_last_card(rules) and cards_left_by(game, rules, seat, kind) == 0


@njit
def can_discard_down_to_one(game, rules, seat):
    """Return whether a Discard All that the seat may lay now leaves it one card."""
    if sizes_of(rules).discards_all:
        for kind in range(sizes_of(rules).coloured):
            held = game.seats[seat].hand[kind] and effect_of(game, rules, kind) == DISCARD_ALL
            if held and may_be_laid_now(game, rules, kind) and cards_left_by(game, rules, seat, kind) == 1:
                return True
    return False


@njit
def may_be_laid_now(game, rules, kind):
    """Return whether the player to move may lay the Discard All: on a turn, just drawn, or as the top card's twin."""
    if game.phase == PLAY:
        return can_follow(game, rules, kind)
    return (game.phase == DRAWN and kind == game.drawn) or (game.phase == JUMP_IN and kind == game.top)
