"""What strategies reckon with where hands change owners: swaps, hands passed on, hands shuffled (GUIDE.md 5.3)."""

from agents.scripted.observation_reader import HAND_SIZES, OUT, count_in, fact, rule_column, seat_after
from agents.scripted.strategy import Bytes
from uno_env.cards import FIRST_WILD, RANKS_PER_COLOUR, WILD_CUSTOMIZABLE, WILD_SHUFFLE_HANDS
from uno_env.core.jit.njit import njit
from uno_env.core.record import switch_value

SEVEN_ZERO = rule_column("seven_zero")
CUSTOMIZABLE = rule_column("customizable_effect")
SWAP_HANDS = switch_value("customizable_effect", "swap_hands")


@njit
def smallest_hand(row: Bytes, players: int) -> int:
    """Cards in the smallest hand of the other players."""
    smallest = 255
    for seat in range(1, players):
        if not row[OUT + seat]:
            smallest = min(smallest, fact(row, HAND_SIZES + seat))
    return smallest


@njit
def cards_shed(row: Bytes, players: int, kind: int, left: int) -> int:
    """Cards that the observer is rid of, or gets if negative, as hands change owners once the kind is laid.

    ``left`` are those then in the observer's hand; the smallest hand is taken where one may be chosen.
    """
    if left == 0 or (kind < FIRST_WILD and not row[SEVEN_ZERO]):
        return 0
    rank = kind % RANKS_PER_COLOUR if kind < FIRST_WILD else -1
    if rank == 7 or (kind == WILD_CUSTOMIZABLE and row[CUSTOMIZABLE] == SWAP_HANDS):
        return left - smallest_hand(row, players)
    if rank == 0:
        return left - fact(row, HAND_SIZES + seat_after(row, players, -1))
    if kind == WILD_SHUFFLE_HANDS:
        return left - mean_hand(row, players, left)
    return 0


@njit
def mean_hand(row: Bytes, players: int, left: int) -> int:
    """Cards that each player has after all hands are shuffled, the observer holding ``left`` before."""
    total = left
    for seat in range(1, players):
        total += fact(row, HAND_SIZES + seat)
    return total // count_in(row, players)
