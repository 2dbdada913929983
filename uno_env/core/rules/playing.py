"""A turn (GUIDE.md 4).

The player on turn lays one card that matches the top card (4.1), or several equal ones (4.3), or draws (4.2). After a
card is laid, things happen in this order:

1. the race for a missing call of UNO (6.2);
2. jumping in (10.3);
3. the effect of the card (5), with its challenge and the answers to it;
4. the end of the hand, if its player has no cards left (8).

In No Mercy (13), the direction turns and hands move (10.2) before all this. A call of the player who laid the 7 or the
0 stands if they hold exactly one card then. Otherwise they must call; a player who was given one card need not.
"""

import numpy as np

from uno_env.core.edition import actions_of, sizes_of, tables_of
from uno_env.core.faces import (
    cards_demanded,
    colour_of,
    coloured_below,
    is_number,
    is_wild,
    is_wild_draw,
    number_of,
    symbol_of,
    wild_from_first_on,
)
from uno_env.core.jit.njit import njit
from uno_env.core.record import NO_CARD, NO_COLOUR
from uno_env.core.rules.card_effects import turn_direction
from uno_env.core.rules.catching import resolve_play
from uno_env.core.rules.discard_all import discard_colour, discards_all, would_be_last
from uno_env.core.rules.double_play import ask_for_another, goes_on_laying, is_asked_for_another
from uno_env.core.rules.going_out import can_go_out_on_wilds, finish_turn, limits_last_card, must_be_number
from uno_env.core.rules.hands import open_swap, pass_hands_on, swap_hands
from uno_env.core.rules.jump_in import let_jump_go, twin_of_top
from uno_env.core.rules.knowledge import record_played
from uno_env.core.rules.matching import can_follow, first_play, symbol_to_follow, ways_to_play
from uno_env.core.rules.seven_zero import moves_hands
from uno_env.core.rules.stacking import add_penalty
from uno_env.core.rules.turn import is_in
from uno_env.core.rules.uno_call import call_uno, has_called
from uno_env.core.rules.wild_draw_four import can_play_wild_draw_four, record_bluff


@njit
def can_play(game, rules, seat, kind):
    """Return whether the seat, holding the kind, may play it on its turn."""
    if not is_wild(game, rules, kind):
        may_be_last = is_number(game, rules, kind) or not would_be_last(game, rules, seat, kind)
        return may_be_last and can_follow(game, rules, kind)
    if not can_go_out_on_wilds(game, rules, seat):
        return False
    return not is_wild_draw(game, rules, kind) or can_play_wild_draw_four(game, rules, seat)


@njit
def can_play_any(game, rules, seat):
    """Return whether the seat holds a card it may play."""
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
        follows = (colour_of(game, rules, kind) == colour) | (symbol_of(game, rules, kind) == symbol)
        follows = follows & coloured_below(game, rules, kind)
        playable = np.uint8((game.seats[seat].hand[kind] > 0) & follows)
        mask[kind] = playable
        found = np.uint8(found | playable)
    if found and must_be_number(game, rules, seat):
        found = np.uint8(0)
        for kind in range(sizes_of(rules).coloured):
            mask[kind] &= is_number(game, rules, kind)
            found = np.uint8(found | mask[kind])
    elif found and sizes_of(rules).discards_all and limits_last_card(rules):
        found = np.uint8(0)
        for kind in range(sizes_of(rules).coloured):
            mask[kind] &= not (discards_all(game, rules, kind) and would_be_last(game, rules, seat, kind))
            found = np.uint8(found | mask[kind])
    return found > 0


@njit
def legal_wilds(game, rules, seat, mask):
    """Mark the wilds that the seat may play, with each colour, and return whether there is one."""
    if not can_go_out_on_wilds(game, rules, seat):
        return False
    may_draw = np.uint8(holds_wild_draw(game, rules, seat) and can_play_wild_draw_four(game, rules, seat))
    found = np.uint8(0)
    for kind in range(sizes_of(rules).first_wild, sizes_of(rules).kinds):
        if not wild_from_first_on(game, rules, kind):
            continue
        playable = np.uint8((game.seats[seat].hand[kind] > 0) & (may_draw | (cards_demanded(game, rules, kind) == 0)))
        for action in range(
            first_play(game, rules, kind), first_play(game, rules, kind) + ways_to_play(game, rules, kind)
        ):
            mask[action] = playable
        found = np.uint8(found | playable)
    return found > 0


@njit
def holds_wild_draw(game, rules, seat):
    """Return whether the seat holds a wild that makes the next player draw."""
    held = np.uint8(0)
    for kind in range(sizes_of(rules).first_wild, sizes_of(rules).kinds):
        draws = (cards_demanded(game, rules, kind) > 0) & wild_from_first_on(game, rules, kind)
        held = np.uint8(held | ((game.seats[seat].hand[kind] > 0) & draws))
    return held > 0


@njit
def play(game, rules, action):
    """The player to move lays what the action names, on their turn or, stacking, out of turn."""
    game.turn = game.to_move
    number = 1 if action < actions_of(rules).play_pair else 2
    kind, colour = tables_of(rules).action_kind[action], tables_of(rules).action_colour[action]
    if sizes_of(rules).sides > 1 and not is_wild(game, rules, kind):
        colour = colour_of(game, rules, kind)
    lay_cards(game, rules, kind, number, colour if colour != NO_COLOUR else game.colour)


@njit
def jump_in(game, rules):
    """The player asked lays the twin of the top card, as if it were their turn."""
    game.turn = game.to_move
    lay_cards(game, rules, twin_of_top(game, rules, game.turn), 1, game.colour)


@njit
def let_go(game, rules):
    """The player asked does not lay the twin of the top card."""
    if is_asked_for_another(game, rules):
        settle_play(game, rules)
    else:
        let_jump_go(game, rules)


@njit
def lay_cards(game, rules, kind, number, colour):
    """Lay cards for the player on turn, with their active colour. Then, unless more follow, they act."""
    put_on_top(game, rules, kind, number, colour)
    if discards_all(game, rules, kind):
        discard_colour(game, rules, game.turn, colour)
    add_penalty(game, rules, kind)
    if goes_on_laying(game, rules, number):
        ask_for_another(game)
    else:
        settle_play(game, rules)


@njit
def settle_play(game, rules):
    """All cards of a play lie: where the edition says so, direction and hands move at once; then others may act."""
    if sizes_of(rules).moves_first:
        turn_direction(game, rules)
        if moves_hands(game, rules) and number_of(game, rules, game.top) == 0:
            called = has_called(game, game.turn)
            pass_hands_on(game, rules)
            keep_call(game, called)
        elif moves_hands(game, rules) and is_in(game, game.turn):
            open_swap(game)
            return
    resolve_play(game, rules)


@njit
def resolve_swap(game, rules, left):
    """The player on turn swaps hands with the player ``left`` to the left. Then others may act, or the turn ends."""
    called = has_called(game, game.turn)
    swap_hands(game, rules, game.turn, (game.turn + left) % rules.players)
    if sizes_of(rules).moves_first and is_number(game, rules, game.top):
        keep_call(game, called)
        resolve_play(game, rules)
    else:
        finish_turn(game, rules, 0)


@njit
def keep_call(game, called):
    """The call of the player on turn stands though their hand has changed; it lapses unless one card is left."""
    if called:
        call_uno(game, game.turn)


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
