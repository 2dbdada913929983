"""What players remember of the open play (RULES.md 12).

*Known cards*: cards seen in a challenge or given away in a swap, as long as they must still be there. Entry ``i`` says
that one card ``known_cards[i]``, which is owner * NUM_KINDS + kind, is known to the seats in the bits of
``known_viewers[i]``. When the owner plays a card of that kind, it may be the known one, so each viewer loses one;
unless it has just been drawn, since after drawing only that card may be played.

*Drew on*: ``drew_on[seat, colour]`` is 0, or 1 + the cards the seat has taken since its last turn on which it drew and
played nothing while that colour was active; it returns to 0 when the seat plays a card of that colour. A seat
that drew on a colour probably could not follow it; every card taken since makes that less sure.
"""

import numpy as np

from uno_env.cards import FIRST_WILD, MAX_CARDS, NUM_COLOURS, NUM_KINDS, RANKS_PER_COLOUR
from uno_env.core.compiled import compiled
from uno_env.core.record import MAX_SEATS, NO_CARD

KINDS = np.uint64(NUM_KINDS)


@compiled
def is_owned(card, owner):
    """Whether it is a card of the owner."""
    return (card >= owner * NUM_KINDS) & (card < (owner + 1) * NUM_KINDS)


@compiled
def see_hand(game, viewer, owner):
    """The viewer is shown the owner's hand, and knows its cards from now on."""
    known = game.known_count
    entries = 0
    for entry in range(known):
        is_theirs = is_owned(game.known_cards[entry], owner)
        game.known_viewers[entry] |= is_theirs << viewer
        entries += is_theirs
    if entries < game.hand_sizes[owner]:
        count_known(game, owner, known, -1)
        know_rest(game, viewer, owner)
        count_known(game, owner, known, 1)


@compiled
def count_known(game, owner, known, number):
    """Change the owner's hand by so many cards for each of the first ``known`` entries that is of it.

    Without a branch for each, which would be mispredicted.
    """
    for entry in range(known):
        card = np.uint64(game.known_cards[entry])
        game.hands[owner, card % KINDS] += number * (card // KINDS == np.uint64(owner))


@compiled
def know_rest(game, viewer, owner):
    """The viewer knows the owner's cards that nobody knew, which alone are counted in the owner's hand meanwhile."""
    for kind in range(NUM_KINDS):
        know_cards(game, viewer, owner, kind, game.hands[owner, kind])


@compiled
def know_cards(game, viewer, owner, kind, number):
    """The viewer, and nobody else, knows that the owner holds ``number`` more cards of a kind."""
    for entry in range(game.known_count, game.known_count + number):
        game.known_cards[entry] = owner * NUM_KINDS + kind
        game.known_viewers[entry] = 1 << viewer
    game.known_count += number


@compiled
def forget_card(game, owner, kind):
    """The owner has played a card of the kind: every viewer who knew of some knows of one less.

    Of two entries for the same owner and kind one has all the viewers of the other, since whoever is shown a hand is
    shown all of it. So the one with the most viewers goes, which as a number is the greatest.
    """
    most = 0  # viewers, then the entry's place
    for entry in range(game.known_count):
        is_it = game.known_cards[entry] == owner * NUM_KINDS + kind
        most = max(most, is_it * (game.known_viewers[entry] * MAX_CARDS + entry))
    if most >= MAX_CARDS:
        remove_entry(game, most % MAX_CARDS)


@compiled
def remove_entry(game, entry):
    """Drop an entry; the last one takes its place."""
    last = game.known_count - 1
    game.known_cards[entry] = game.known_cards[last]
    game.known_viewers[entry] = game.known_viewers[last]
    game.known_count = last


@compiled
def note_played(game, seat, kind):
    """The seat has laid a card in the open."""
    if game.known_count > 0 and game.drawn == NO_CARD:
        forget_card(game, seat, kind)
    if kind < FIRST_WILD:
        game.drew_on[seat, kind // RANKS_PER_COLOUR] = 0


@compiled
def note_drew_instead(game, seat):
    """The seat has drawn in its turn and played nothing."""
    if game.colour >= 0:
        game.drew_on[seat, game.colour] = 1


@compiled
def move_knowledge(game, one, other):
    """Two seats' hands change places before all eyes: what is known of a hand goes with it."""
    for entry in range(game.known_count):
        card = game.known_cards[entry]
        moved = is_owned(card, one) * (other - one) + is_owned(card, other) * (one - other)
        game.known_cards[entry] = card + moved * NUM_KINDS
    for colour in range(NUM_COLOURS):
        drew = game.drew_on[one, colour]
        game.drew_on[one, colour] = game.drew_on[other, colour]
        game.drew_on[other, colour] = drew


@compiled
def forget_hands(game):
    """All hands were shuffled: nothing is known of any."""
    game.known_count = 0
    for seat in range(MAX_SEATS):
        for colour in range(NUM_COLOURS):
            game.drew_on[seat, colour] = 0
