"""The probability that a player can follow a card, from the cards seen and the colours that the player drew on."""

from agents.scripted.faces import Faces
from agents.scripted.observation_reader import column, hand_size, unseen_of
from uno_env.core.arrays import Bytes
from uno_env.core.edition import sizes_of
from uno_env.core.jit.njit import njit
from uno_env.core.observe.layout import columns_of


@njit
def count_hidden(faces: Faces, row: Bytes, players: int) -> int:
    """Cards that the observer does not see: the draw pile and the other hands; at least 1."""
    hidden = column(row, columns_of(faces).draw_pile)
    for seat in range(1, players):
        hidden += hand_size(faces, row, seat)
    return max(hidden, 1)


@njit
def unseen_wilds(faces: Faces, row: Bytes) -> int:
    """Wilds in the draw pile and other hands."""
    unseen = 0
    for kind in range(sizes_of(faces).coloured, sizes_of(faces).kinds):
        unseen += unseen_of(faces, row, kind)
    return unseen


@njit
def unseen_twins(faces: Faces, row: Bytes, kind: int) -> int:
    """Cards of a coloured kind's symbol in other colours, in the draw pile and other hands."""
    unseen = -unseen_of(faces, row, kind)
    for colour in range(sizes_of(faces).colours):
        unseen += unseen_of(faces, row, faces.twins[kind, colour])
    return unseen


@njit
def drew_on(faces: Faces, row: Bytes, seat: int, colour: int) -> int:
    """1 + the cards that a seat has taken since it drew on a colour; 0 if it has not."""
    return column(row, columns_of(faces).drew_on + seat * sizes_of(faces).colours + colour)


@njit
def newer_cards(faces: Faces, row: Bytes, seat: int, colour: int) -> int:
    """Cards of the player at ``seat`` that can be of a colour: all, or those taken since they drew on it."""
    cards, drew = hand_size(faces, row, seat), drew_on(faces, row, seat, colour)
    return min(cards, drew - 1) if drew > 0 else cards


@njit
def follow_probability(
    faces: Faces, row: Bytes, hidden: int, of_colour: int, twins: int, wilds: int, seat: int, colour: int
) -> float:
    """Probability that the player at ``seat`` can follow a card of a colour.

    Every hidden card is assumed to be equally likely in that hand. A player who drew on the colour held no card of it
    and no wild.

    ``hidden`` are all hidden cards, 1 or more; ``of_colour`` those of the colour, ``twins`` those of the card's symbol
    in other colours (0 after a wild), ``wilds`` the wilds among them. The seat is a relative one.
    """
    newer = newer_cards(faces, row, seat, colour)
    older = hand_size(faces, row, seat) - newer
    none = power(1.0 - min((of_colour + twins + wilds) / hidden, 1.0), newer)
    return 1.0 - none * power(1.0 - twins / hidden, older)


@njit
def power(base: float, exponent: int) -> float:
    """``base`` to a small whole exponent; compiled or not, to the last bit the same."""
    product = 1.0
    for _ in range(exponent):
        product *= base
    return product
