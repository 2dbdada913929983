"""Players and hands (GUIDE.md 3.1). Switches: ``players``, ``hand_size``.

There are 2 to 10 players. Each is dealt ``hand_size`` cards, 7 in every edition. All cards are shuffled, and dealt one
by one around the table, beginning at the dealer's left. The next card is the first discard.

Decided here: the deck must hold at least one card more than is dealt.

Actions: none; chance decides.
Observation: `hand`, `hand_sizes`, `seats`.
"""

from uno_env.core.edition import sizes_of
from uno_env.core.jit.njit import njit
from uno_env.core.record import MAX_SEATS, NO_CARD, NO_COLOUR, NOBODY, RUNNING
from uno_env.core.rules.dealer import choose_dealer, choose_next_dealer
from uno_env.core.rules.deck import fill_pile, shuffle_pile
from uno_env.core.rules.first_card import resolve_first_card, turn_first_card
from uno_env.core.rules.mercy import is_alone, let_back_in
from uno_env.core.rules.rlcard import player_dealt
from uno_env.core.rules.turn import players_in, seat_along


@njit
def deal_hand(game, rules):
    """Deal the first hand from the game's own generator: dealer, shuffled deck, hands, first card."""
    clear_match(game, rules)
    deal_shuffled(game, rules, choose_dealer(game, rules))


@njit
def deal_next_hand(game, rules):
    """Deal the next hand of a match."""
    begin_on_light_side(game, rules)
    deal_shuffled(game, rules, choose_next_dealer(game, rules))


@njit
def deal_shuffled(game, rules, dealer):
    """Shuffle all cards and deal them."""
    dealt = False
    while not dealt:
        fill_pile(game, rules.deck)
        shuffle_pile(game)
        dealt = deal_pile(game, rules, dealer)


@njit
def deal_pile(game, rules, dealer):
    """Deal from the draw pile as it lies, and return whether a first card could be turned and somebody is to move.

    Cards go one by one around the table, beginning at the dealer's left; the next one is the first discard.
    """
    let_back_in(game)
    clear_table(game, rules)
    game.dealer = dealer
    players = players_in(game, rules)
    for card in range(rules.hand_size * players):
        seat = seat_along(game, rules, dealer, 1 + player_dealt(rules, card, players), 1)
        game.seats[seat].hand[game.pile[game.pile_next]] += 1
        game.seats[seat].hand_size += 1
        game.pile_next += 1
    if not turn_first_card(game, rules):
        return False
    resolve_first_card(game, rules)
    return not is_alone(game, rules)


@njit
def begin_on_light_side(game, rules):
    """Cards that have two sides show the first one."""
    if sizes_of(rules).sides > 1:
        game.side[0] = 0
        game.last_seen[0] = 0


@njit
def clear_match(game, rules):
    """Forget all earlier hands."""
    game.out = 0
    game.put_out = 0
    game.hands_played = 0
    game.match_winner = NOBODY
    game.last_winner = NOBODY
    game.last_end = RUNNING
    for seat in range(MAX_SEATS):
        game.points[seat] = 0
    if rules.match:
        for seat in range(rules.players):
            game.scores[seat] = 0


@njit
def clear_table(game, rules):
    """Take back all hands and discards, and forget the last hand. The pile, the generator, the scores and the points of
    the last hand stay.
    """
    game.direction = 1
    game.previous_colour = NO_COLOUR
    game.bluffed = 0
    game.drawn = NO_CARD
    game.last_player = NOBODY
    game.winner = NOBODY
    game.end = RUNNING
    game.offender = NOBODY
    game.penalty = 0
    game.pending = NO_CARD
    game.put_out = 0
    game.called = 0
    game.asked = 0
    game.decisions = 0
    game.knows = 0
    begin_on_light_side(game, rules)
    for seat in range(rules.players):
        game.seats[seat].hand_size = 0
        for kind in range(sizes_of(rules).kinds):
            game.seats[seat].hand[kind] = 0
        for colour in range(sizes_of(rules).colours):
            game.seats[seat].drew_on[colour] = 0
    for kind in range(sizes_of(rules).kinds):
        game.discards[kind] = 0
