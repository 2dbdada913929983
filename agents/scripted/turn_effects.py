"""The effects of a card on the order of play and on the hands, as strategies reckon with them (GUIDE.md 5, 13)."""

from typing import NamedTuple

from agents.scripted.faces import REVERSE, SKIP, Faces, effects_of, is_wild, rules_at
from agents.scripted.observation_reader import count_in, hand_size, held_of, is_out, seat_after
from uno_env.core.arrays import Bytes
from uno_env.core.jit.njit import njit
from uno_env.core.record import effect, switch_value

AS_SKIP = switch_value("two_player_reverse", "skip")
SWAP_HANDS = switch_value("customizable_effect", "swap_hands")
SKIP_ALL = switch_value("customizable_effect", "skip_all")
EVERYONE_DRAWS = switch_value("customizable_effect", "everyone_draws")
CUSTOMIZES, SHUFFLES = effect("customizable"), effect("shuffle_hands")
RAINS = effect("downpour_one"), effect("downpour_two")
REVERSE_DRAW, DISCARD_ALL = effect("reverse_draw"), effect("discard_all")
SKIP_EVERYONE, ROULETTE = effect("skip_everyone"), effect("roulette")


class Turns(NamedTuple):
    """The seats whose turn can come after a card, relative to the observer."""

    following: int
    """Relative seat of the player after the observer in the direction of play."""
    second: int
    """Relative seat of the one after that."""
    previous: int
    """Relative seat of the one before the observer."""
    before_previous: int
    """Relative seat of the one before that, where cards can make that player's turn come."""
    reverse_stops: bool
    """True if a Reverse acts as a Skip."""


@njit
def look_round(faces: Faces, row: Bytes, players: int) -> Turns:
    """The seats whose turn can come next."""
    skips = row[rules_at(faces).two_player_reverse] == AS_SKIP and count_in(faces, row, players) <= 2
    following, second = seat_after(faces, row, players, 1), seat_after(faces, row, players, 2)
    previous = seat_after(faces, row, players, -1)
    before = seat_after(faces, row, players, -2) if effects_of(faces).reverse_draw else previous
    return Turns(following, second, previous, before, skips)


@njit
def is_stop(faces: Faces, turns: Turns, kind: int) -> bool:
    """Return whether the kind makes the next player miss a turn."""
    if faces.kind_demands[kind] > 0 or faces.kind_effect[kind] == SKIP:
        return True
    if stops_everyone(faces, kind) or is_roulette(faces, kind):
        return True
    return faces.kind_effect[kind] == REVERSE and turns.reverse_stops


@njit
def stops_everyone(faces: Faces, kind: int) -> bool:
    """Return whether the kind is a Skip Everyone."""
    return effects_of(faces).skip_everyone and faces.kind_effect[kind] == SKIP_EVERYONE


@njit
def is_roulette(faces: Faces, kind: int) -> bool:
    """Return whether the kind is a Wild Colour Roulette."""
    return effects_of(faces).roulette and faces.kind_effect[kind] == ROULETTE


@njit
def turns_and_draws(faces: Faces, kind: int) -> bool:
    """Return whether the kind is a Wild Reverse Draw Four."""
    return effects_of(faces).reverse_draw and faces.kind_effect[kind] == REVERSE_DRAW


@njit
def next_to_decide(faces: Faces, row: Bytes, turns: Turns, kind: int, stops: bool) -> int:
    """Relative seat of the player whose turn comes after the kind is laid; ``stops`` is :func:`is_stop` of it."""
    if stops:
        if stops_everyone(faces, kind):
            return 0
        return turns.before_previous if turns_and_draws(faces, kind) else turns.second
    if plays_again(faces, row, kind):
        return 0
    return turns.previous if faces.kind_effect[kind] == REVERSE else turns.following


@njit
def victim_of(faces: Faces, turns: Turns, kind: int) -> int:
    """Relative seat of the player whom a draw card or a roulette hits."""
    return turns.previous if turns_and_draws(faces, kind) else turns.following


@njit
def plays_again(faces: Faces, row: Bytes, kind: int) -> bool:
    """Return whether the kind is a wild that makes all others miss a turn."""
    return customizes(faces, kind) and row[rules_at(faces).customizable_effect] == SKIP_ALL


@njit
def customizes(faces: Faces, kind: int) -> bool:
    """Return whether the kind is a Wild Customizable."""
    return effects_of(faces).customizable and faces.kind_effect[kind] == CUSTOMIZES


@njit
def makes_all_draw(faces: Faces, row: Bytes, kind: int) -> bool:
    """Return whether the kind makes all others draw."""
    if customizes(faces, kind):
        return row[rules_at(faces).customizable_effect] == EVERYONE_DRAWS
    return faces.kind_effect[kind] in RAINS


@njit
def smallest_hand(faces: Faces, row: Bytes, players: int) -> int:
    """Cards in the smallest hand of the other players."""
    smallest = 255
    for seat in range(1, players):
        if not is_out(faces, row, seat):
            smallest = min(smallest, hand_size(faces, row, seat))
    return smallest


@njit
def cards_laid(faces: Faces, row: Bytes, action: int, kind: int) -> int:
    """The cards that leave the hand with an action that lays the kind, those that go with a Discard All included."""
    if effects_of(faces).discard_all and faces.kind_effect[kind] == DISCARD_ALL:
        return held_of(faces, row, faces.kind_colour[kind])
    return int(faces.action_cards[action])


@njit
def cards_shed(faces: Faces, row: Bytes, players: int, kind: int, left: int) -> int:
    """The cards that the observer loses, or gets if negative, when hands change owners after the kind is laid.

    ``left`` are those that the observer then holds. Where a hand may be chosen, it is the smallest.
    """
    if left == 0 or not (is_wild(faces, kind) or row[rules_at(faces).seven_zero]):
        return 0
    swaps = customizes(faces, kind) and row[rules_at(faces).customizable_effect] == SWAP_HANDS
    if faces.kind_number[kind] == 7 or swaps:
        return left - smallest_hand(faces, row, players)
    if faces.kind_number[kind] == 0:
        return left - hand_size(faces, row, seat_after(faces, row, players, -1))
    if faces.kind_effect[kind] == SHUFFLES:
        return left - mean_hand(faces, row, players, left)
    return 0


@njit
def mean_hand(faces: Faces, row: Bytes, players: int, left: int) -> int:
    """Cards that each player has after all hands are shuffled, the observer holding ``left`` before."""
    total = left
    for seat in range(1, players):
        total += hand_size(faces, row, seat)
    return total // count_in(faces, row, players)
