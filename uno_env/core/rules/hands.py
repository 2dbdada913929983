"""Hands that change owners (GUIDE.md 5.3).

Hands are swapped, passed on or shuffled by a Wild Shuffle Hands or Customizable (5.2), and by a 7 or a 0 (10.2). All
that is known of a hand moves with it.

Decided here: a call of UNO lapses when its player's hand changes. Only a player who plays down to one card has to call,
so nobody has to call for a card that came with a hand.
"""

from uno_env.core import record
from uno_env.core.edition import actions_of, sizes_of
from uno_env.core.jit.njit import njit
from uno_env.core.rng import below
from uno_env.core.rules.going_out import finish_turn
from uno_env.core.rules.knowledge import forget_hands, move_knowledge, see_hand
from uno_env.core.rules.turn import is_in, players_in, seat_after, seat_along


@njit
def exchange_hands(game, rules, one, other):
    """Two seats exchange their hands."""
    first, second = game.seats[one], game.seats[other]
    for kind in range(sizes_of(rules).kinds):
        first.hand[kind], second.hand[kind] = second.hand[kind], first.hand[kind]
    first.hand_size, second.hand_size = second.hand_size, first.hand_size
    game.called &= ~(1 << one | 1 << other)
    move_knowledge(game, rules, one, other)


@njit
def swap_hands(game, rules, one, other):
    """Two players swap hands; each knows what they gave away."""
    exchange_hands(game, rules, one, other)
    see_hand(game, rules, one, other)
    see_hand(game, rules, other, one)


@njit
def pass_hands_on(game, rules):
    """Everyone passes their hand to the next player in the direction of play, and knows what they gave away."""
    first = game.turn if is_in(game, game.turn) else seat_after(game, rules, game.turn, 1)
    number = players_in(game, rules)
    for steps in range(1, number):
        exchange_hands(game, rules, first, seat_after(game, rules, first, steps))
    for steps in range(number):
        giver = seat_after(game, rules, first, steps)
        see_hand(game, rules, giver, seat_after(game, rules, giver, 1))


@njit
def shuffle_hands(game, rules):
    """Collect all hands, shuffle, and deal them out one by one beginning at the left of the player on turn.

    If the cards do not divide evenly, the last players dealt to get one card less. The last one is the player on turn,
    or who sits before, if mercy has put that player out.
    """
    collector = game.turn if is_in(game, game.turn) else seat_along(game, rules, game.turn, 1, -1)
    total = collect_hands(game, rules, collector)
    number = players_in(game, rules)
    seat = collector
    for index in range(number - 1):
        seat = seat_along(game, rules, seat, 1, 1)
        for _ in range(total // number + (index < total % number)):
            give_random_card(game, collector, seat)
    game.called = 0
    forget_hands(game, rules)


@njit
def collect_hands(game, rules, collector):
    """Give all hands to one player, and return the number of cards."""
    total = 0
    for seat in range(rules.players):
        total += game.seats[seat].hand_size
        if seat != collector:
            for kind in range(sizes_of(rules).kinds):
                game.seats[collector].hand[kind] += game.seats[seat].hand[kind]
                game.seats[seat].hand[kind] = 0
            game.seats[seat].hand_size = 0
    game.seats[collector].hand_size = total
    return total


@njit
def give_random_card(game, giver, taker):
    """A uniformly random card goes from one hand to another."""
    left = below(game, game.seats[giver].hand_size)
    kind = 0
    while left >= game.seats[giver].hand[kind]:
        left -= game.seats[giver].hand[kind]
        kind += 1
    game.seats[giver].hand[kind] -= 1
    game.seats[taker].hand[kind] += 1
    game.seats[giver].hand_size -= 1
    game.seats[taker].hand_size += 1


@njit
def open_swap(game):
    """The player on turn chooses whom to swap hands with."""
    game.phase = record.SWAP
    game.to_move = game.turn


@njit
def offer_swap(game, rules):
    """The player on turn chooses whom to swap hands with, unless mercy has put them out (13.5)."""
    if is_in(game, game.turn):
        open_swap(game)
    else:
        finish_turn(game, rules, 0)


@njit
def legal_swaps(game, rules, mask):
    """Mark every other player."""
    for left in range(1, rules.players):
        if is_in(game, (game.turn + left) % rules.players):
            mask[actions_of(rules).swap + left - 1] = 1
