"""What a card does to the order of play, as far as a strategy reckons with it (GUIDE.md 5)."""

from typing import NamedTuple

from agents.scripted.hand_swaps import CUSTOMIZABLE
from agents.scripted.observation_reader import count_in, rule_column, seat_after
from agents.scripted.strategy import Bytes
from uno_env.cards import (
    DRAW_TWO,
    FIRST_WILD,
    RANKS_PER_COLOUR,
    REVERSE,
    SKIP,
    WILD_CUSTOMIZABLE,
    WILD_DOWNPOUR_ONE,
    WILD_DRAW_FOUR,
)
from uno_env.core.jit.njit import njit
from uno_env.core.record import switch_value

TWO_PLAYER_REVERSE = rule_column("two_player_reverse")
AS_SKIP = switch_value("two_player_reverse", "skip")
SKIP_ALL = switch_value("customizable_effect", "skip_all")
EVERYONE_DRAWS = switch_value("customizable_effect", "everyone_draws")


class Turns(NamedTuple):
    """Whose turn can come after a card; seats relative to the observer."""

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
    """Whose turn can come next."""
    skips = row[TWO_PLAYER_REVERSE] == AS_SKIP and count_in(row, players) <= 2
    return Turns(seat_after(row, players, 1), seat_after(row, players, 2), seat_after(row, players, -1), skips)


@njit
def is_stop(turns: Turns, kind: int) -> bool:
    """Whether the kind lets the next player miss a turn."""
    if kind >= FIRST_WILD:
        return kind == WILD_DRAW_FOUR
    rank = kind % RANKS_PER_COLOUR
    return rank in (SKIP, DRAW_TWO) or (rank == REVERSE and turns.reverse_stops)


@njit
def next_to_decide(row: Bytes, turns: Turns, kind: int, stops: bool) -> int:
    """Relative seat of the player whose turn comes after the kind is laid; ``stops`` is :func:`is_stop` of it."""
    if stops:
        return turns.second
    if kind >= FIRST_WILD:
        return 0 if plays_again(row, kind) else turns.following
    return turns.previous if kind % RANKS_PER_COLOUR == REVERSE else turns.following


@njit
def plays_again(row: Bytes, kind: int) -> bool:
    """Whether the kind lets all others miss a turn."""
    return kind == WILD_CUSTOMIZABLE and row[CUSTOMIZABLE] == SKIP_ALL


@njit
def makes_all_draw(row: Bytes, kind: int) -> bool:
    """Whether the kind makes all others draw."""
    return kind >= WILD_DOWNPOUR_ONE or (kind == WILD_CUSTOMIZABLE and row[CUSTOMIZABLE] == EVERYONE_DRAWS)
