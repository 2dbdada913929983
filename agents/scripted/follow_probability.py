"""The probability that a player can follow a card, from the cards seen and the colours that the player drew on."""

from agents.scripted.faces import COLOURED, COLOURS, KINDS, TWINS
from agents.scripted.observation_reader import DECK, DISCARDS, HAND, HAND_SIZES, column
from uno_env.core.arrays import Bytes
from uno_env.core.jit.njit import njit
from uno_env.core.observe.layout import LAYOUT

DREW_ON = LAYOUT["drew_on"].start
DRAW_PILE = LAYOUT["draw_pile"].start


@njit
def count_hidden(row: Bytes, players: int) -> int:
    """Cards that the observer does not see: the draw pile and the other hands; at least 1."""
    hidden = column(row, DRAW_PILE)
    for seat in range(1, players):
        hidden += column(row, HAND_SIZES + seat)
    return max(hidden, 1)


@njit
def unseen_of(row: Bytes, kind: int) -> int:
    """Cards of a kind in the draw pile and other hands."""
    return column(row, DECK + kind) - column(row, HAND + kind) - column(row, DISCARDS + kind)


@njit
def unseen_wilds(row: Bytes) -> int:
    """Wilds in the draw pile and other hands."""
    unseen = 0
    for kind in range(COLOURED, KINDS):
        unseen += unseen_of(row, kind)
    return unseen


@njit
def unseen_twins(row: Bytes, kind: int) -> int:
    """Cards of a coloured kind's symbol in other colours, in the draw pile and other hands."""
    unseen = -unseen_of(row, kind)
    for twin in TWINS[kind]:
        unseen += unseen_of(row, twin)
    return unseen


@njit
def newer_cards(row: Bytes, seat: int, colour: int) -> int:
    """Cards of the player at ``seat`` that can be of a colour: all, or those taken since they drew on it."""
    cards, drew = column(row, HAND_SIZES + seat), column(row, DREW_ON + seat * COLOURS + colour)
    return min(cards, drew - 1) if drew > 0 else cards


@njit
def follow_probability(
    row: Bytes, hidden: int, of_colour: int, twins: int, wilds: int, seat: int, colour: int
) -> float:
    """Probability that the player at ``seat`` can follow a card of a colour.

    Every hidden card is assumed to be equally likely in that hand. A player who drew on the colour held no card of it
    and no wild.

    ``hidden`` are all hidden cards, 1 or more; ``of_colour`` those of the colour, ``twins`` those of the card's symbol
    in other colours (0 after a wild), ``wilds`` the wilds among them. The seat is a relative one.
    """
    newer = newer_cards(row, seat, colour)
    older = column(row, HAND_SIZES + seat) - newer
    none = power(1.0 - min((of_colour + twins + wilds) / hidden, 1.0), newer)
    return 1.0 - none * power(1.0 - twins / hidden, older)


@njit
def power(base: float, exponent: int) -> float:
    """``base`` to a small whole exponent; compiled or not, to the last bit the same."""
    product = 1.0
    for _ in range(exponent):
        product *= base
    return product
