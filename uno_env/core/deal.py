"""Dealing a hand (RULES.md 3)."""

from uno_env.cards import NUM_COLOURS, NUM_KINDS
from uno_env.core.compiled import compiled
from uno_env.core.dealer import choose_dealer
from uno_env.core.deck import fill_pile, shuffle_pile
from uno_env.core.first_card import resolve_first_card, turn_first_card
from uno_env.core.record import MAX_SEATS, NO_CARD, NO_COLOUR, NOBODY, RUNNING


@compiled
def deal_hand(game, rules):
    """Deal a new hand from the game's own chance: dealer, shuffled deck, hands, first card."""
    dealer = choose_dealer(game, rules)
    dealt = False
    while not dealt:
        fill_pile(game, rules.deck)
        shuffle_pile(game)
        dealt = deal_pile(game, rules, dealer)


@compiled
def deal_pile(game, rules, dealer):
    """Deal from the draw pile as it lies; whether a first card could be turned.

    Cards go one by one around the table, beginning at the dealer's left; the next one is the first discard.
    """
    clear_table(game)
    game.dealer = dealer
    for _ in range(rules.hand_size):
        for place in range(1, rules.players + 1):
            seat = (dealer + place) % rules.players
            game.hands[seat, game.pile[game.pile_next]] += 1
            game.pile_next += 1
    for seat in range(rules.players):
        game.hand_sizes[seat] = rules.hand_size
    if not turn_first_card(game, rules):
        return False
    resolve_first_card(game, rules)
    return True


@compiled
def clear_table(game):
    """Take back all hands and discards, and forget the last hand; pile, chance and scores stay."""
    game.direction = 1
    game.previous_colour = NO_COLOUR
    game.bluffed = 0
    game.drawn = NO_CARD
    game.last_player = NOBODY
    game.winner = NOBODY
    game.end = RUNNING
    game.offender = NOBODY
    game.penalty = 0
    game.called = 0
    game.asked = 0
    game.decisions = 0
    game.known_count = 0
    for seat in range(MAX_SEATS):
        game.hand_sizes[seat] = 0
        game.points[seat] = 0
        for kind in range(NUM_KINDS):
            game.hands[seat, kind] = 0
        for colour in range(NUM_COLOURS):
            game.drew_on[seat, colour] = 0
    for kind in range(NUM_KINDS):
        game.discards[kind] = 0
