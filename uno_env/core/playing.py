"""Playing cards from the hand (RULES.md 4.1)."""

from uno_env.actions import PLAY_PAIR, PLAY_WILD
from uno_env.cards import FIRST_WILD, NUM_COLOURS, NUM_KINDS, RANKS_PER_COLOUR, WILD_DRAW_FOUR
from uno_env.core.card_effects import cards_demanded
from uno_env.core.catching import resolve_play
from uno_env.core.compiled import compiled
from uno_env.core.double_play import pair_kind
from uno_env.core.going_out import ranks_to_go_out_on
from uno_env.core.knowledge import note_played
from uno_env.core.matching import can_follow, can_follow_symbol, legal_card
from uno_env.core.record import NO_CARD
from uno_env.core.stacking import add_penalty
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


@compiled
def jump_in(game, rules):
    """The player asked lays the twin of the top card, as if it were their turn."""
    game.turn = game.to_move
    lay_cards(game, rules, game.top, 1, game.colour)


@compiled
def lay_cards(game, rules, kind, number, colour):
    """The player on turn lays cards, with their active colour; then they act."""
    put_on_top(game, rules, kind, number, colour)
    add_penalty(game, rules, cards_demanded(kind))
    resolve_play(game, rules)


@compiled
def put_on_top(game, rules, kind, number, colour):
    """Cards leave the hand of the player on turn and lie on top, with their active colour."""
    seat = game.turn
    note_bluff(game, rules, seat, kind)
    game.hands[seat, kind] -= number
    game.hand_sizes[seat] -= number
    game.discards[kind] += number
    game.top = kind
    game.previous_colour = game.colour
    game.colour = colour
    game.last_player = seat
    for _ in range(number):
        note_played(game, seat, kind)
    game.drawn = NO_CARD
