"""Hidden cards that have two sides, dealt anew: uniformly among those that look the same from behind (GUIDE.md 14).

All see the back of the draw pile's next card, perhaps the front of its last card, and, with ``backs="seen"``, the backs
of the cards that others hold. Every way to deal the hidden cards that agrees with this comes equally often.

decode.py leaves notes of these backs and fronts where the record has what players know of their own hands, of which
nothing is told. They are read and cleared here.
"""

import numpy as np

from uno_env.core.edition import sizes_of
from uno_env.core.faces import back_of, front_of
from uno_env.core.jit.njit import njit
from uno_env.core.observe.decode import OBSERVER, note_of_last, note_of_next, notes_at
from uno_env.core.record import NO_CARD
from uno_env.core.rng import below
from uno_env.core.rules.knowledge import sees_backs
from uno_env.core.rules.turn import is_in


@njit
def deal_hidden(game, rules):
    """Deal the hidden cards of a decoded record by its own generator; ``pile`` has them all."""
    next_back, last_front = note_of_next(game, rules), note_of_last(game, rules)
    size = game.pile_end
    for seat in range(1, rules.players):
        size -= missing_from(game, rules, seat)
    last = NO_CARD
    if last_front >= 0:
        last = take_out(game, rules, choose_last(game, rules, last_front, next_back if size == 1 else -1, next_back))
    upcoming = NO_CARD
    if next_back >= 0 and not (last_front >= 0 and size == 1):
        upcoming = take_out(game, rules, choose_with_back(game, rules, next_back))
    for seat in range(1, rules.players):
        if is_in(game, seat):
            deal_hand(game, rules, seat)
    finish_pile(game, upcoming, last)
    clear_notes(game, rules)


@njit
def missing_from(game, rules, seat):
    """The number of hidden cards in the seat's hand."""
    missing = int(game.seats[seat].hand_size)
    for kind in range(sizes_of(rules).kinds):
        missing -= game.seats[seat].hand[kind]
    return max(missing, 0)


@njit
def take_out(game, rules, index):
    """Take a card out of the pile, whose order does not matter yet; NO_CARD if there is none."""
    if index < 0:
        return NO_CARD
    kind = int(game.pile[index])
    game.pile_end -= 1
    game.pile[index] = game.pile[game.pile_end]
    return kind


@njit
def choose_with_back(game, rules, back):
    """The index in the pile of a uniformly random card with the back, −1 if there is none."""
    number = count_with_back(game, rules, back)
    if number == 0:
        return -1
    left = below(game, number)
    for index in range(game.pile_end):
        if back_of(game, rules, int(game.pile[index])) == back:
            if left == 0:
                return index
            left -= 1
    return -1


@njit
def count_with_back(game, rules, back):
    """The number of cards of the pile that have the back."""
    number = 0
    for index in range(game.pile_end):
        number += back_of(game, rules, int(game.pile[index])) == back
    return number


SHARES = 27_720
"""A multiple of all numbers up to 12: the weights are whole numbers while no more hidden cards share a back."""


@njit
def choose_last(game, rules, front, back, next_back):
    """The index in the pile of a card with the front (and, unless negative, the back), by the number of ways to deal
    all others; −1 if there is none.
    """
    total = 0
    for index in range(game.pile_end):
        total += weight_as_last(game, rules, index, front, back, next_back)
    if total == 0:
        return -1
    left = below(game, total)
    for index in range(game.pile_end):
        left -= weight_as_last(game, rules, index, front, back, next_back)
        if left < 0:
            return index
    return -1


@njit
def weight_as_last(game, rules, index, front, back, next_back):
    """The share of the ways to deal the other cards if this card of the pile is its last one."""
    kind = int(game.pile[index])
    own = back_of(game, rules, kind)
    if front_of(game, rules, kind) != front:
        return 0
    if back >= 0:
        return int(own == back)
    there, needed = count_with_back(game, rules, own), int(own == next_back)
    if sees_backs(rules):
        for seat in range(1, rules.players):
            needed += game.known[notes_at(rules, seat) + np.uint64(own)]
    return max(there - needed, 0) * SHARES // there


@njit
def deal_hand(game, rules, seat):
    """Deal the seat its hidden cards, with the backs that are seen of them."""
    if sees_backs(rules):
        for back in range(sizes_of(rules).designs):
            for _ in range(game.known[notes_at(rules, seat) + np.uint64(back)]):
                give(game, rules, seat, choose_with_back(game, rules, back))
    else:
        for _ in range(missing_from(game, rules, seat)):
            give(game, rules, seat, below(game, game.pile_end) if game.pile_end > 0 else -1)


@njit
def give(game, rules, seat, index):
    """Give the seat a card of the pile."""
    kind = take_out(game, rules, index)
    if kind != NO_CARD:
        game.seats[seat].hand[kind] += 1


@njit
def finish_pile(game, upcoming, last):
    """Shuffle the pile, and put the next card before it and the last one after it, if they are given."""
    for place in range(game.pile_end - 1, 0, -1):
        other = below(game, place + 1)
        game.pile[place], game.pile[other] = game.pile[other], game.pile[place]
    if upcoming != NO_CARD:
        game.pile[game.pile_end] = game.pile[0]
        game.pile[0] = upcoming
        game.pile_end += 1
    if last != NO_CARD:
        game.pile[game.pile_end] = last
        game.pile_end += 1


@njit
def clear_notes(game, rules):
    """Clear what decode.py noted."""
    for seat in range(rules.players):
        if seat != OBSERVER:
            first = notes_at(rules, seat)
            for place in range(sizes_of(rules).kinds):
                game.known[first + np.uint64(place)] = 0
