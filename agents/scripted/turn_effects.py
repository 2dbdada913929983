"""The effects of a card on the order of play and on the hands, as strategies reckon with them (GUIDE.md 5)."""

from typing import NamedTuple

from agents.scripted.faces import DEMANDS, EFFECT, NUMBER, REVERSE, SKIP, is_wild
from agents.scripted.observation_reader import HAND_SIZES, OUT, column, count_in, rule_column, seat_after
from uno_env.core.arrays import Bytes
from uno_env.core.jit.njit import njit
from uno_env.core.record import effect, switch_value

TWO_PLAYER_REVERSE = rule_column("two_player_reverse")
AS_SKIP = switch_value("two_player_reverse", "skip")
SEVEN_ZERO = rule_column("seven_zero")
CUSTOMIZABLE = rule_column("customizable_effect")
SWAP_HANDS = switch_value("customizable_effect", "swap_hands")
SKIP_ALL = switch_value("customizable_effect", "skip_all")
EVERYONE_DRAWS = switch_value("customizable_effect", "everyone_draws")
CUSTOMIZES, SHUFFLES = effect("customizable"), effect("shuffle_hands")
RAINS = effect("downpour_one"), effect("downpour_two")


class Turns(NamedTuple):
    """The seats whose turn can come after a card, relative to the observer."""

    following: int
    """Relative seat of the player after the observer in the direction of play."""
    second: int
    """Relative seat of the one after that."""
    previous: int
    """Relative seat of the one before the observer."""
    reverse_stops: bool
    """Whether a Reverse acts as a Skip."""


@njit
def look_round(row: Bytes, players: int) -> Turns:
    """The seats whose turn can come next."""
    skips = row[TWO_PLAYER_REVERSE] == AS_SKIP and count_in(row, players) <= 2
    return Turns(seat_after(row, players, 1), seat_after(row, players, 2), seat_after(row, players, -1), skips)


@njit
def is_stop(turns: Turns, kind: int) -> bool:
    """Whether the kind makes the next player miss a turn."""
    return DEMANDS[kind] > 0 or EFFECT[kind] == SKIP or (EFFECT[kind] == REVERSE and turns.reverse_stops)


@njit
def next_to_decide(row: Bytes, turns: Turns, kind: int, stops: bool) -> int:
    """Relative seat of the player whose turn comes after the kind is laid; ``stops`` is :func:`is_stop` of it."""
    if stops:
        return turns.second
    if plays_again(row, kind):
        return 0
    return turns.previous if EFFECT[kind] == REVERSE else turns.following


@njit
def plays_again(row: Bytes, kind: int) -> bool:
    """Whether the kind makes all others miss a turn."""
    return EFFECT[kind] == CUSTOMIZES and row[CUSTOMIZABLE] == SKIP_ALL


@njit
def makes_all_draw(row: Bytes, kind: int) -> bool:
    """Whether the kind makes all others draw."""
    return EFFECT[kind] in RAINS or (EFFECT[kind] == CUSTOMIZES and row[CUSTOMIZABLE] == EVERYONE_DRAWS)


@njit
def smallest_hand(row: Bytes, players: int) -> int:
    """Cards in the smallest hand of the other players."""
    smallest = 255
    for seat in range(1, players):
        if not row[OUT + seat]:
            smallest = min(smallest, column(row, HAND_SIZES + seat))
    return smallest


@njit
def cards_shed(row: Bytes, players: int, kind: int, left: int) -> int:
    """The cards that the observer loses, or gets if negative, when hands change owners after the kind is laid.

    ``left`` are those that the observer then holds. Where a hand may be chosen, it is the smallest.
    """
    if left == 0 or not (is_wild(kind) or row[SEVEN_ZERO]):
        return 0
    if NUMBER[kind] == 7 or (EFFECT[kind] == CUSTOMIZES and row[CUSTOMIZABLE] == SWAP_HANDS):
        return left - smallest_hand(row, players)
    if NUMBER[kind] == 0:
        return left - column(row, HAND_SIZES + seat_after(row, players, -1))
    if EFFECT[kind] == SHUFFLES:
        return left - mean_hand(row, players, left)
    return 0


@njit
def mean_hand(row: Bytes, players: int, left: int) -> int:
    """Cards that each player has after all hands are shuffled, the observer holding ``left`` before."""
    total = left
    for seat in range(1, players):
        total += column(row, HAND_SIZES + seat)
    return total // count_in(row, players)
