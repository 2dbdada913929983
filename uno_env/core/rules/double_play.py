"""Laying two cards together (GUIDE.md 4.3). Switch: ``double_play``.

Two or more cards of the same number and colour may be laid together; with the official decks that is a pair of 1 to 9.

Decided here: in a deck of one's own with more than two of a kind, two at a time. A pair is one play: it acts once.
After drawing only the drawn card may be played, so no pair; nor is a pair stacked or jumped in with.

Actions: `r1x2` to `b9x2` (pairs).
Observation: none of its own.
"""

from uno_env.actions import PAIR_NUMBERS, PLAY_PAIR
from uno_env.cards import NUM_COLOURS, RANKS_PER_COLOUR
from uno_env.core.jit.njit import njit
from uno_env.core.rules.matching import FOLLOWS, can_follow, matching_row


@njit
def can_play_pair(game, rules, seat, kind):
    """Whether the seat may lay two cards of a coloured number, 1 to 9, on its turn."""
    return rules.double_play and game.seats[seat].hand[kind] >= 2 and can_follow(game, rules, kind)


@njit
def can_play_any_pair(game, rules, seat):
    """Whether the seat may lay some pair on its turn."""
    if rules.double_play:
        for index in range(NUM_COLOURS * PAIR_NUMBERS):
            if can_play_pair(game, rules, seat, pair_kind(index)):
                return True
    return False


@njit
def cards_before_last(rules):
    """How many cards a player may hold whose next play can leave one."""
    return 3 if rules.double_play else 2


@njit
def legal_pairs(game, rules, seat, mask):
    """Mark every pair the seat may lay on its turn."""
    if rules.double_play:
        follows = FOLLOWS[matching_row(game, rules)]
        for index in range(NUM_COLOURS * PAIR_NUMBERS):
            kind = pair_kind(index)
            mask[PLAY_PAIR + index] = (game.seats[seat].hand[kind] >= 2) & follows[kind]


@njit
def pair_kind(index):
    """Kind of the cards of a pair, by its index among the actions for pairs."""
    return index // PAIR_NUMBERS * RANKS_PER_COLOUR + index % PAIR_NUMBERS + 1
