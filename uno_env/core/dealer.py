"""Who deals (RULES.md 3.2). Switches: ``dealer``, with ``dealer_seat``.

``high_card``: each player draws a card, the highest number deals; a card without a number is put back and drawn
again; ties draw again among the tied; all cards are then shuffled back. ``random``: uniform. ``fixed``: a given seat.

Decided here: cards drawn in an earlier round of a tie stay out until all cards are shuffled back, unless the deck
runs out of numbers: then all cards go back and the round is drawn again.
"""

from uno_env.cards import FIRST_WILD, RANKS_PER_COLOUR
from uno_env.core.compiled import compiled
from uno_env.core.deck import fill_pile
from uno_env.core.record import switch_value
from uno_env.core.rng import below

HIGH_CARD = switch_value("dealer", "high_card")
FIXED = switch_value("dealer", "fixed")


@compiled
def choose_dealer(game, rules):
    """The dealer of a first hand."""
    if rules.dealer == FIXED:
        return rules.dealer_seat
    if rules.dealer == HIGH_CARD:
        return dealer_by_high_card(game, rules)
    return below(game, rules.players)


@compiled
def dealer_by_high_card(game, rules):
    """Draw cards for the deal until one player has the highest number alone."""
    contenders = (1 << rules.players) - 1
    fill_pile(game, rules.deck)
    while contenders & (contenders - 1):
        highest, holders = -1, 0
        for seat in range(rules.players):
            if (contenders >> seat) & 1:
                number = draw_number(game)
                if number > highest:
                    highest, holders = number, 1 << seat
                elif number == highest:
                    holders |= 1 << seat
        if highest >= 0:
            contenders = holders
        else:
            fill_pile(game, rules.deck)
    seat = 0
    while not (contenders >> seat) & 1:
        seat += 1
    return seat


@compiled
def draw_number(game):
    """Draw cards from the pile in its random order up to a number card: its number, or −1 if there is none left."""
    while game.pile_next < game.pile_end:
        place = game.pile_next + below(game, game.pile_end - game.pile_next)
        kind = int(game.pile[place])
        game.pile[place] = game.pile[game.pile_next]
        game.pile_next += 1
        if kind < FIRST_WILD and kind % RANKS_PER_COLOUR <= 9:
            return kind % RANKS_PER_COLOUR
    return -1
