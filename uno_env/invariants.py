"""Invariants of every state of a game, and a checker that names those that do not hold."""

from enum import StrEnum
from typing import Any

import numpy as np

from uno_env.actions import texts
from uno_env.common.validation import short_repr
from uno_env.core.arrays import Array
from uno_env.core.loops import invariant_bits
from uno_env.core.packed_games import can_know, whole
from uno_env.core.record import OVER, records_of
from uno_env.editions import edition_for
from uno_env.editions.classic import CLASSIC
from uno_env.rules import Rules


class Fault(StrEnum):
    """A kind of broken state; in the order of the bits of :mod:`uno_env.core.loops.invariant_bits`."""

    PHASE = "the phase does not exist"
    PHASE_RULES = "the phase does not fit the rules or the cards"
    END = "the reason of the end does not fit the phase"
    WINNER = "the winner does not fit the end of the hand"
    SEAT = "a seat is named that is not at the table"
    TO_MOVE = "the player to move does not fit the phase"
    DIRECTION = "the direction is neither +1 nor -1"
    PILE_BOUNDS = "the draw pile does not lie within its bounds"
    PILE_CARD = "the draw pile holds something that is no card"
    NEGATIVE_COUNT = "a number of cards is negative"
    CARD_COUNT = "the cards of hands, draw pile and discard pile are not those of the deck"
    HAND_SIZE = "a hand's size is not the number of its cards"
    EMPTY_SEAT = "a seat that is not at the table holds cards"
    EMPTY_HAND = "a player without cards is still playing"
    TOP_CARD = "the top card is not in the discard pile"
    COLOUR = "the active colour does not fit the top card"
    DRAWN_CARD = "the drawn card does not fit the phase or the hand"
    CALL = "a call of UNO stands where none can"
    ASKED = "players are marked as asked outside a window, or asked twice"
    CATCH_WINDOW = "the window for catching is open though nothing is to be caught"
    SCORES = "scores or hands are counted that no match can have"
    PENALTY = "cards are to be drawn as a penalty outside its phase"
    KNOWN_CARDS = "a player knows of cards that are not there"
    DECISIONS = "the number of decisions is not within its limit"
    NO_LEGAL_ACTION = "the player to move has no legal action"
    POINTS = "points are awarded for a hand that is not won"
    SIDES = "the side in force, the lowest discard or the last card of the draw pile cannot be"


def find_faults(game: Any, rules: Rules) -> list[Fault]:
    """Every kind of fault in a game's or a batch's record by its rules; empty for a sound state. Raises ValueError if
    that is no record or these are no rules.
    """
    names = getattr(getattr(game, "dtype", None), "names", None) or ()
    is_rules = isinstance(rules, Rules)
    edition = edition_for(rules) if is_rules else CLASSIC
    kind = records_of(edition).game
    is_record = np.shape(game) == () and "phase" in names and set(names) <= set(kind.names or ())
    if not is_record or not is_rules:
        raise ValueError(f"{short_repr(game)} by {short_repr(rules)} is no game's record and its rules")
    record = game if game.dtype == kind else whole(np.array([game], game.dtype), edition)[0]
    return _faults(invariant_bits.fault_bits(record, rules.record, np.zeros(len(texts(rules)), np.uint8)))


def verify_games(games: Array, rules: Rules, record: Any, over: Array | None = None) -> None:
    """Check games from outside, records [N] as of :attr:`uno_env.BatchedGames.games`, before compiled code continues
    with them. ``record`` says whether they are matches, ``over`` [N] which may be over (None: none). Raises ValueError
    if one is impossible; the sentence says which, and what is wrong with it. Raises TypeError if they are no records.
    """
    if games.dtype.names is None:
        raise TypeError(f"games must be an array of records, not of {games.dtype}")
    mask, single = np.zeros(len(texts(rules)), np.uint8), rules.record
    for first in range(0, len(games), _CHECKED_TOGETHER):
        some = whole(games[first : first + _CHECKED_TOGETHER], edition_for(rules))
        bits = np.array([invariant_bits.fault_bits(game, single, mask) for game in some])
        if not can_know(record):
            bits |= (some["knows"] != 0) << _PLACE[Fault.KNOWN_CARDS]
        if not record.match:
            bits |= (some["hands_played"] != 0) << _PLACE[Fault.SCORES]
        is_over = some["phase"] == OVER
        bits |= (is_over if over is None else is_over & (over[first : first + len(some)] == 0)) << _PLACE[Fault.END]
        for index in np.flatnonzero(bits)[:1].tolist():
            raise ValueError(f"game {first + index} of the state is impossible: {'; '.join(_faults(bits[index]))}")


def _faults(bits: int) -> list[Fault]:
    return [fault for fault, place in _PLACE.items() if bits >> place & 1]


_PLACE = {fault: place for place, fault in enumerate(Fault)}
_CHECKED_TOGETHER = 256
"""Games of which whole records are made at a time; they take 7 kilobytes each."""
