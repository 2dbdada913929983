"""Determinizations: games that look to a seat as the one it sees, with all hidden cards dealt at random (GUIDE.md 12).

A determinization is made from a record that decode.py wrote. Every way to deal the unseen cards to the other hands and
the draw pile is possible; some are less likely, and are dealt less often:

- A hand whose player drew on a colour and played nothing (``drew_on``, see knowledge.py) has few cards of it, and few
  wilds, among those it held then. The cards taken since are taken to be in it still.
- The player of the Wild Draw Four on top rarely held the colour that was active. Under rules that forbid the play, such
  a card was drawn later. Where a bluff is possible, some players would have played another card instead.

Cards with two sides are dealt uniformly among those with the same back (deal_by_backs.py).

The last Wild Draw Four was a bluff if the hand that was dealt to its player holds the colour.
"""

from uno_env.core.edition import sizes_of
from uno_env.core.faces import colour_of, is_wild, is_wild_draw
from uno_env.core.jit.njit import njit
from uno_env.core.loops.deal_by_backs import deal_hidden
from uno_env.core.observe.decode import OBSERVER
from uno_env.core.record import NO_COLOUR
from uno_env.core.rng import below
from uno_env.core.rules.deck import shuffle_pile
from uno_env.core.rules.turn import is_in
from uno_env.core.rules.wild_draw_four import can_be_challenged, can_play_wild_draw_four, holds_match

CERTAIN = 64
"""Weights are parts of it."""
HELD_BACK = 4
"""Weight of a card of a colour that its player drew on while holding it."""
WILD_HELD_BACK = 4
"""Weight of a wild that its player held while drawing."""
BLUFFED = 24
"""Weight of a hand that would make the last Wild Draw Four a bluff."""
AGAINST_THE_RULES = 4
"""Weight of a hand that could not have laid it; a card taken since may be the reason."""
TRIES = 16


@njit
def sample_determinization(game, rules):
    """Deal the unseen cards of a decoded record by the record's own generator: others' hands, then the draw pile."""
    if sizes_of(rules).sides > 1:
        deal_uniformly(game, rules)
        return
    player = wild_player(game, rules)
    if player != OBSERVER and player >= 0:
        deal_to_wild_player(game, rules, player)
    for seat in range(1, rules.players):
        if seat != player and is_in(game, seat):
            deal_seat(game, rules, seat)
    game.bluffed = player >= 0 and would_be_bluff(game, rules, player)
    shuffle_pile(game)


@njit
def deal_uniformly(game, rules):
    """Same as :func:`sample_determinization`, but all possible hands come equally often."""
    if sizes_of(rules).sides > 1:
        deal_hidden(game, rules)
    else:
        deal_by_size(game, rules)
    player = wild_player(game, rules)
    game.bluffed = player >= 0 and would_be_bluff(game, rules, player)


@njit
def deal_by_size(game, rules):
    """Deal the hands of others so many cards as they miss, all possible ones equally often."""
    shuffle_pile(game)
    for seat in range(1, rules.players):
        if is_in(game, seat):
            missing = int(game.seats[seat].hand_size)
            for kind in range(sizes_of(rules).kinds):
                missing -= game.seats[seat].hand[kind]
            for _ in range(min(missing, game.pile_end)):
                game.pile_end -= 1
                game.seats[seat].hand[game.pile[game.pile_end]] += 1


@njit
def wild_player(game, rules):
    """Return the seat that played the Wild Draw Four on top, or NOBODY if another card is on top."""
    return int(game.last_player) if is_wild_draw(game, rules, game.top) else -1


@njit
def deal_to_wild_player(game, rules, seat):
    """Deal a hand to the player of the Wild Draw Four on top. A hand that makes this play unlikely is dealt again."""
    pile_end = int(game.pile_end)
    for _ in range(TRIES):
        deal_seat(game, rules, seat)
        if below(game, CERTAIN) < wild_likelihood(game, rules, seat):
            return
        while game.pile_end < pile_end:
            game.seats[seat].hand[game.pile[game.pile_end]] -= 1
            game.pile_end += 1
    deal_seat(game, rules, seat)


@njit
def wild_likelihood(game, rules, seat):
    """The likelihood of the seat's hand, given that the seat played the Wild Draw Four on top: 1 to CERTAIN."""
    if game.previous_colour == NO_COLOUR:
        return CERTAIN
    if would_be_bluff(game, rules, seat):
        return BLUFFED
    colour = game.colour
    game.colour = game.previous_colour
    could = can_play_wild_draw_four(game, rules, seat)
    game.colour = colour
    return CERTAIN if could else AGAINST_THE_RULES


@njit
def would_be_bluff(game, rules, seat):
    """Return whether a challenge would find the seat guilty, by the cards it holds now."""
    if game.previous_colour == NO_COLOUR or not can_be_challenged(game, rules):
        return False
    return holds_match(game, rules, seat, game.previous_colour)


@njit
def deal_seat(game, rules, seat):
    """Deal the seat the cards that are missing from its hand; what it is dealt lies at the draw pile's end."""
    missing = int(game.seats[seat].hand_size)
    for kind in range(sizes_of(rules).kinds):
        missing -= game.seats[seat].hand[kind]
    missing = min(missing, game.pile_end)
    for card in range(missing, 0, -1):
        index = choose_unseen(game, rules, seat, card)
        last = game.pile_end - 1
        game.pile[index], game.pile[last] = game.pile[last], game.pile[index]
        game.pile_end = last
        game.seats[seat].hand[game.pile[last]] += 1


@njit
def choose_unseen(game, rules, seat, age):
    """Return the index in the draw pile of a card for the seat; ``age`` − 1 unseen cards of its hand are older."""
    index = below(game, game.pile_end)
    for _ in range(TRIES):
        weight = weight_in_hand(game, rules, seat, int(game.pile[index]), age)
        if weight == CERTAIN or below(game, CERTAIN) < weight:
            break
        index = below(game, game.pile_end)
    return index


@njit
def weight_in_hand(game, rules, seat, kind, age):
    """The likelihood of the kind among the older cards of a hand whose player drew and played nothing."""
    if not is_wild(game, rules, kind):
        drew = int(game.seats[seat].drew_on[colour_of(game, rules, kind)])
        return HELD_BACK if drew > 0 and is_older(game, seat, drew, age) else CERTAIN
    for colour in range(sizes_of(rules).colours):
        drew = int(game.seats[seat].drew_on[colour])
        if drew > 0 and is_older(game, seat, drew, age):
            return WILD_HELD_BACK
    return CERTAIN


@njit
def is_older(game, seat, drew, age):
    """Return whether the seat already held a card of that age when it drew, ``drew`` − 1 cards ago."""
    return age <= game.seats[seat].hand_size - (drew - 1)
