"""A turn (GUIDE.md 4).

The player on turn lays one card that matches the top card (4.1), or several equal ones (4.3), or draws (4.2). After a
card is laid, things happen in this order:

1. the race for a missing call of UNO (6.2);
2. jumping in (10.3);
3. the effect of the card (5), with its challenge and the answers to it;
4. the end of the hand, if its player has no cards left (8).
"""

import numpy as np

from uno_env.core.edition import actions_of, sizes_of
from uno_env.core.faces import cards_demanded, colour_of, is_number, is_wild, is_wild_draw, symbol_of
from uno_env.core.jit.njit import njit
from uno_env.core.record import NO_CARD
from uno_env.core.rules.catching import resolve_play
from uno_env.core.rules.double_play import ask_for_another, can_lay_another, goes_on_laying
from uno_env.core.rules.going_out import can_go_out_on_wilds, must_be_number
from uno_env.core.rules.jump_in import let_jump_go
from uno_env.core.rules.knowledge import record_played
from uno_env.core.rules.matching import can_follow, first_play, symbol_to_follow
from uno_env.core.rules.stacking import add_penalty
from uno_env.core.rules.wild_draw_four import can_play_wild_draw_four, record_bluff


@njit
def can_play(game, rules, seat, kind):
    """Whether the seat, holding the kind, may play it on its turn."""
    if not is_wild(rules, kind):
        may_be_last = is_number(rules, kind) or not must_be_number(game, rules, seat)
        return may_be_last and can_follow(game, rules, kind)
    if not can_go_out_on_wilds(game, rules, seat):
        return False
    return not is_wild_draw(rules, kind) or can_play_wild_draw_four(game, rules, seat)


@njit
def can_play_any(game, rules, seat):
    """Whether the seat holds a card it may play."""
    for kind in range(sizes_of(rules).kinds):
        if game.seats[seat].hand[kind] and can_play(game, rules, seat, kind):
            return True
    return False


@njit
def legal_plays(game, rules, seat, mask):
    """Mark every card that the seat may play, as :func:`can_play` says, and return whether there is one."""
    found = legal_coloured(game, rules, seat, mask)
    return legal_wilds(game, rules, seat, mask) or found


@njit
def legal_coloured(game, rules, seat, mask):
    """Mark the cards that match the top card, and return whether there is one.

    All kinds are looked at, without a branch for each and in small numbers: that is a few wide instructions.
    """
    colour, symbol = np.int8(game.colour), np.int8(symbol_to_follow(game, rules))
    found = np.uint8(0)
    for kind in range(sizes_of(rules).coloured):
        follows = (colour_of(rules, kind) == colour) | (symbol_of(rules, kind) == symbol)
        playable = np.uint8((game.seats[seat].hand[kind] > 0) & follows)
        mask[kind] = playable
        found = np.uint8(found | playable)
    if found and must_be_number(game, rules, seat):
        found = np.uint8(0)
        for kind in range(sizes_of(rules).coloured):
            mask[kind] &= is_number(rules, kind)
            found = np.uint8(found | mask[kind])
    return found > 0


@njit
def legal_wilds(game, rules, seat, mask):
    """Mark the wilds that the seat may play, with each colour, and return whether there is one."""
    if not can_go_out_on_wilds(game, rules, seat):
        return False
    may_draw = np.uint8(holds_wild_draw(game, rules, seat) and can_play_wild_draw_four(game, rules, seat))
    found = np.uint8(0)
    for kind in range(sizes_of(rules).coloured, sizes_of(rules).kinds):
        playable = np.uint8((game.seats[seat].hand[kind] > 0) & (may_draw | (cards_demanded(rules, kind) == 0)))
        for action in range(first_play(rules, kind), first_play(rules, kind) + sizes_of(rules).colours):
            mask[action] = playable
        found = np.uint8(found | playable)
    return found > 0


@njit
def holds_wild_draw(game, rules, seat):
    """Whether the seat holds a wild that makes the next player draw."""
    held = np.uint8(0)
    for kind in range(sizes_of(rules).coloured, sizes_of(rules).kinds):
        held = np.uint8(held | ((game.seats[seat].hand[kind] > 0) & (cards_demanded(rules, kind) > 0)))
    return held > 0


@njit
def play(game, rules, action):
    """The player to move lays what the action names, on their turn or, stacking, out of turn."""
    game.turn = game.to_move
    number = 1 if action < actions_of(rules).play_pair else 2
    lay_cards(game, rules, rules.action_kind[action], number, rules.action_colour[action])


@njit
def jump_in(game, rules):
    """The player asked lays the twin of the top card, as if it were their turn."""
    game.turn = game.to_move
    lay_cards(game, rules, game.top, 1, game.colour)


@njit
def let_go(game, rules):
    """The player asked does not lay the twin of the top card."""
    if can_lay_another(game, rules):
        resolve_play(game, rules)
    else:
        let_jump_go(game, rules)


@njit
def lay_cards(game, rules, kind, number, colour):
    """Lay cards for the player on turn, with their active colour. Then, unless more follow, they act."""
    put_on_top(game, rules, kind, number, colour)
    add_penalty(game, rules, cards_demanded(rules, kind))
    if goes_on_laying(game, rules, number):
        ask_for_another(game)
    else:
        resolve_play(game, rules)


@njit
def put_on_top(game, rules, kind, number, colour):
    """Cards leave the hand of the player on turn and lie on top, with their active colour."""
    seat = game.turn
    record_bluff(game, rules, seat, kind)
    game.seats[seat].hand[kind] -= number
    game.seats[seat].hand_size -= number
    game.discards[kind] += number
    game.top = kind
    game.previous_colour = game.colour
    game.colour = colour
    game.last_player = seat
    for _ in range(number):
        record_played(game, rules, seat, kind)
    game.drawn = NO_CARD
