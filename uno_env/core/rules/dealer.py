"""The dealer (GUIDE.md 3.2). Switches: ``dealer``, with ``dealer_seat``.

- ``high_card``: each player draws a card, and the highest number deals. A card without a number is put back, and
  another one is drawn. Players who tie draw again among themselves. All cards are then shuffled back.
- ``random``: each seat with the same probability.
- ``fixed``: the seat ``dealer_seat``.
- ``high_card_each_hand``: as ``high_card``, and the players draw again before every hand of a match.

In a match the deal otherwise passes to the left. Players who are out of the match draw no card.

Decided here: all cards go back before tied players draw again, as in one published reading. So there is a number for
everyone, as long as the deck has as many numbers as there are players. ``Rules`` refuses other decks.

Actions: none; chance decides.
Observation: `dealer`.
"""

from uno_env.core.faces import is_number, number_of
from uno_env.core.jit.njit import njit
from uno_env.core.record import switch_value
from uno_env.core.rng import below
from uno_env.core.rules.deck import fill_pile
from uno_env.core.rules.turn import is_in, seat_along

RANDOM = switch_value("dealer", "random")
FIXED = switch_value("dealer", "fixed")
EACH_HAND = switch_value("dealer", "high_card_each_hand")


@njit
def choose_dealer(game, rules):
    """The dealer of a first hand."""
    if rules.dealer == FIXED:
        return rules.dealer_seat
    if rules.dealer == RANDOM:
        return below(game, rules.players)
    return dealer_by_high_card(game, rules)


@njit
def choose_next_dealer(game, rules):
    """The dealer of the next hand of a match."""
    if rules.dealer == EACH_HAND:
        return dealer_by_high_card(game, rules)
    return seat_along(game, rules, game.dealer, 1, 1)


@njit
def dealer_by_high_card(game, rules):
    """Return the seat that draws the highest number. Players who tie draw again."""
    contenders = 0
    for seat in range(rules.players):
        contenders |= int(is_in(game, seat)) << seat
    while contenders & (contenders - 1):
        fill_pile(game, rules.deck)
        highest, holders = -1, 0
        for seat in range(rules.players):
            if (contenders >> seat) & 1:
                number = draw_number(game, rules)
                if number > highest:
                    highest, holders = number, 1 << seat
                elif number == highest:
                    holders |= 1 << seat
        contenders = holders
    seat = 0
    while not (contenders >> seat) & 1:
        seat += 1
    return seat


@njit
def draw_number(game, rules):
    """Draw cards from the pile, in random order, until a number comes, which there must be."""
    while True:
        index = game.pile_next + below(game, game.pile_end - game.pile_next)
        kind = int(game.pile[index])
        game.pile[index] = game.pile[game.pile_next]
        game.pile_next += 1
        if is_number(game, rules, kind):
            return number_of(game, rules, kind)
