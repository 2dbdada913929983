"""A turn (GUIDE.md 4).

The player on turn lays one card that matches the top card (4.1), or several equal ones (4.3), or draws (4.2). After a
card is laid, things happen in this order:

1. the race for a missing call of UNO (6.2);
2. jumping in (10.3);
3. the effect of the card (5), with its challenge and the answers to it;
4. the end of the hand, if its player has no cards left (8).
"""

from uno_env.actions import PLAY_PAIR, PLAY_WILD
from uno_env.cards import FIRST_WILD, NUM_COLOURS, NUM_KINDS, RANKS_PER_COLOUR, WILD_DRAW_FOUR
from uno_env.core.jit.njit import njit
from uno_env.core.record import NO_CARD
from uno_env.core.rules.card_effects import cards_demanded
from uno_env.core.rules.catching import resolve_play
from uno_env.core.rules.double_play import ask_for_another, can_lay_another, goes_on_laying, pair_kind
from uno_env.core.rules.going_out import can_go_out_on_wilds, ranks_to_go_out_on
from uno_env.core.rules.jump_in import let_jump_go
from uno_env.core.rules.knowledge import record_played
from uno_env.core.rules.matching import FOLLOWS, can_follow, first_play, matching_row
from uno_env.core.rules.stacking import add_penalty
from uno_env.core.rules.wild_draw_four import can_play_wild_draw_four, record_bluff


@njit
def can_play(game, rules, seat, kind):
    """Whether the seat, holding the kind, may play it on its turn."""
    if kind < FIRST_WILD:
        return kind % RANKS_PER_COLOUR < ranks_to_go_out_on(game, rules, seat) and can_follow(game, rules, kind)
    if not can_go_out_on_wilds(game, rules, seat):
        return False
    return kind != WILD_DRAW_FOUR or can_play_wild_draw_four(game, rules, seat)


@njit
def can_play_any(game, rules, seat):
    """Whether the seat holds a card it may play."""
    for kind in range(NUM_KINDS):
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

    All kinds are looked at, without a branch for each: that is a few wide instructions.
    """
    follows = FOLLOWS[matching_row(game, rules)]
    found = 0
    for kind in range(FIRST_WILD):
        playable = (game.seats[seat].hand[kind] > 0) & follows[kind]
        mask[kind] = playable
        found |= playable
    ranks = ranks_to_go_out_on(game, rules, seat)
    if ranks < RANKS_PER_COLOUR and found:
        found = 0
        for kind in range(FIRST_WILD):
            mask[kind] &= kind % RANKS_PER_COLOUR < ranks
            found |= mask[kind]
    return found > 0


@njit
def legal_wilds(game, rules, seat, mask):
    """Mark the wilds that the seat may play, with each colour, and return whether there is one."""
    found = False
    if not can_go_out_on_wilds(game, rules, seat):
        return found
    draws_four = game.seats[seat].hand[WILD_DRAW_FOUR] > 0 and can_play_wild_draw_four(game, rules, seat)
    for kind in range(FIRST_WILD, NUM_KINDS):
        playable = draws_four if kind == WILD_DRAW_FOUR else game.seats[seat].hand[kind] > 0
        for action in range(first_play(kind), first_play(kind) + NUM_COLOURS):
            mask[action] = playable
        found |= playable
    return found


@njit
def play(game, rules, action):
    """The player to move lays what the action names, on their turn or, stacking, out of turn."""
    game.turn = game.to_move
    if action < PLAY_WILD:
        lay_cards(game, rules, action, 1, action // RANKS_PER_COLOUR)
    elif action < PLAY_PAIR:
        wild, colour = divmod(action - PLAY_WILD, NUM_COLOURS)
        lay_cards(game, rules, FIRST_WILD + wild, 1, colour)
    else:
        kind = pair_kind(action - PLAY_PAIR)
        lay_cards(game, rules, kind, 2, kind // RANKS_PER_COLOUR)


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
    add_penalty(game, rules, cards_demanded(kind))
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
