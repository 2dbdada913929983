"""Draw pile and discard pile (GUIDE.md 4.4). Switch: ``renew``.

To renew the draw pile, the top discard is set aside. The rest is shuffled and becomes the draw pile. If that leaves
nothing, the player draws what there is, and play goes on. A wild that was shuffled in has no declared colour any more.

- ``when_needed``: the pile is renewed when a card is to be drawn and there is none. So an empty draw pile can be seen.
- ``at_once``: the pile is renewed as soon as its last card is taken.

Decided here: if nothing but the top discard is left when the last card is taken, there is nothing to renew the pile
with. Then ``at_once``, too, renews it when a card is to be drawn. A deal that takes the whole deck is such a case.

Actions: none of its own.
Observation: `draw_pile`, `discards`.
"""

from uno_env.core.edition import sizes_of
from uno_env.core.jit.njit import njit
from uno_env.core.record import NO_CARD, switch_value
from uno_env.core.rng import below
from uno_env.core.rules.knowledge import record_seen_by_all
from uno_env.core.rules.mercy import may_take, show_mercy

AT_ONCE = switch_value("renew", "at_once")


@njit
def fill_pile(game, counts):
    """Make the draw pile of the given number of cards of each kind, in the order of kinds."""
    end = 0
    for kind in range(len(counts)):
        for _ in range(counts[kind]):
            game.pile[end] = kind
            end += 1
    game.pile_next = 0
    game.pile_end = end


@njit
def shuffle_pile(game):
    """Put the draw pile into uniformly random order."""
    start = game.pile_next
    for last in range(game.pile_end - start - 1, 0, -1):
        other = start + below(game, last + 1)
        game.pile[start + last], game.pile[other] = game.pile[other], game.pile[start + last]


@njit
def turn_pile_over(game, rules):
    """Shuffle all discards but the top card into a new draw pile."""
    game.discards[game.top] -= 1
    fill_pile(game, game.discards)
    for kind in range(len(game.discards)):
        game.discards[kind] = 0
    game.discards[game.top] = 1
    if sizes_of(rules).sides > 1:
        game.lowest[0] = game.top
        game.last_seen[0] = 0
    shuffle_pile(game)


@njit
def take_card(game, rules, seat):
    """Let the seat draw the next card, if there is one, and return its kind, or NO_CARD.

    The seat then holds more than one card, so a call of UNO lapses. The card may put it out (13.5).
    """
    if not may_take(game, rules, seat):
        return NO_CARD
    if game.pile_next == game.pile_end:
        turn_pile_over(game, rules)
        if game.pile_end == 0:
            return NO_CARD
    kind = int(game.pile[game.pile_next])
    game.pile_next += 1
    game.seats[seat].hand[kind] += 1
    game.seats[seat].hand_size += 1
    game.called &= ~(1 << seat)
    for colour in range(sizes_of(rules).colours):
        game.seats[seat].drew_on[colour] += 0 < game.seats[seat].drew_on[colour] < sizes_of(rules).most_cards
    if sizes_of(rules).sides > 1 and game.pile_next == game.pile_end:
        if game.last_seen[0]:
            record_seen_by_all(game, rules, seat, kind)
        game.last_seen[0] = 0
    if rules.renew == AT_ONCE and game.pile_next == game.pile_end:
        turn_pile_over(game, rules)
    show_mercy(game, rules, seat)
    return kind


@njit
def take_cards(game, rules, seat, number):
    """The seat draws ``number`` cards, or what there is."""
    for _ in range(number):
        if take_card(game, rules, seat) == NO_CARD:
            break
