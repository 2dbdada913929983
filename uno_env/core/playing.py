"""Playing a card from the hand (RULES.md 4.1)."""

from uno_env.actions import PLAY_WILD
from uno_env.cards import FIRST_WILD, NUM_COLOURS, NUM_KINDS, RANKS_PER_COLOUR, WILD_DRAW_FOUR
from uno_env.core.compiled import compiled
from uno_env.core.going_out import ranks_to_go_out_on
from uno_env.core.knowledge import note_played
from uno_env.core.matching import can_follow, can_follow_symbol
from uno_env.core.record import NO_CARD
from uno_env.core.uno_call import resolve_play
from uno_env.core.wild_draw_four import can_play_wild_draw_four, note_bluff


@compiled
def can_play(game, rules, seat, kind):
    """Whether the seat, holding the kind, may play it on its turn."""
    if kind < FIRST_WILD:
        return kind % RANKS_PER_COLOUR < ranks_to_go_out_on(game, rules, seat) and can_follow(game, rules, kind)
    return kind != WILD_DRAW_FOUR or can_play_wild_draw_four(game, rules, seat)


@compiled
def can_play_any(game, rules, seat):
    """Whether the seat holds a card it may play."""
    for kind in range(NUM_KINDS):
        if game.hands[seat, kind] and can_play(game, rules, seat, kind):
            return True
    return False


@compiled
def legal_card(mask, kind):
    """Mark playing the kind, a wild with each colour."""
    if kind < FIRST_WILD:
        mask[kind] = 1
    else:
        first = PLAY_WILD + (kind - FIRST_WILD) * NUM_COLOURS
        for colour in range(NUM_COLOURS):
            mask[first + colour] = 1


@compiled
def legal_plays(game, rules, seat, mask):
    """Mark every card the seat may play, those that :func:`can_play` says; whether there is one."""
    found = legal_coloured(game, rules, seat, mask)
    for kind in range(FIRST_WILD, NUM_KINDS):
        if game.hands[seat, kind] and can_play(game, rules, seat, kind):
            legal_card(mask, kind)
            found = True
    return found


@compiled
def legal_coloured(game, rules, seat, mask):
    """Mark the cards of the active colour and of the top card's symbol; whether there is one.

    Without a branch for each card: whether a card is held is a coin's throw, and a branch missed costs 5 ns.
    """
    found = False
    ranks = ranks_to_go_out_on(game, rules, seat)
    first = game.colour * RANKS_PER_COLOUR
    for kind in range(first, first + ranks):
        held = game.hands[seat, kind] > 0
        mask[kind] = held
        found |= held
    rank = game.top % RANKS_PER_COLOUR
    if can_follow_symbol(game, rules) and rank < ranks:
        for kind in range(rank, FIRST_WILD, RANKS_PER_COLOUR):
            held = game.hands[seat, kind] > 0
            mask[kind] = held
            found |= held
    return found


@compiled
def play(game, rules, action):
    """The player on turn lays the card that the action names."""
    if action < PLAY_WILD:
        lay_card(game, rules, action, action // RANKS_PER_COLOUR)
    else:
        wild, colour = divmod(action - PLAY_WILD, NUM_COLOURS)
        lay_card(game, rules, FIRST_WILD + wild, colour)


@compiled
def lay_card(game, rules, kind, colour):
    """The card leaves the hand of the player on turn and lies on top, with its active colour; then it acts."""
    seat = game.turn
    note_bluff(game, rules, seat, kind)
    game.hands[seat, kind] -= 1
    game.hand_sizes[seat] -= 1
    game.discards[kind] += 1
    game.top = kind
    game.previous_colour = game.colour
    game.colour = colour
    game.last_player = seat
    game.drawn = NO_CARD
    note_played(game, seat, kind)
    resolve_play(game, rules, seat)
