"""The record of one game, and the record of the rules it is played by.

A game is one element of an array of :data:`GAME`; Numba sees its fields as attributes (``game.direction``,
``game.seats[seat].hand[kind]``). Batches keep of it what their rules need, see packed_games.py. Uncompiled
(``NUMBA_DISABLE_JIT=1``) every small integer is widened to 64 bits, because NumPy's scalars wrap around where compiled
code promotes; the values are the same.

No field may be called ``size``, ``shape`` or ``T``: they would hide attributes of an uncompiled record.
"""

from typing import Any

import numpy as np

from uno_env.cards import MAX_CARDS, NUM_COLOURS, NUM_KINDS
from uno_env.core.jit.njit import INTERPRETED

MAX_SEATS = 10

# Phases: what is being decided. One field says it all.
PLAY, DRAWN, CATCH, CHALLENGE, FIRST_COLOUR, SWAP, JUMP_IN, STACK, OVER = range(9)
PHASE_NAMES = ("play", "drawn", "catch", "challenge", "first_colour", "swap", "jump_in", "stack", "over")

# Why a hand ended.
RUNNING, WENT_OUT, STALLED, MAX_DECISIONS, ILLEGAL, TOO_MANY_HANDS = range(6)
END_NAMES = ("running", "went_out", "stalled", "max_decisions", "illegal", "too_many_hands")

MAX_HANDS = 1_000
"""Hands after which a match is truncated."""

NOBODY = -1
NO_CARD = -1
NO_COLOUR = -1

_i8, _i16, _i32 = (np.int64, np.int64, np.int64) if INTERPRETED else (np.int8, np.int16, np.int32)
_u8 = np.int64 if INTERPRETED else np.uint8

SEAT_FIELDS: tuple[tuple[str, type, tuple[int, ...]], ...] = (
    ("hand", _i8, (NUM_KINDS,)),  # hidden but for the owner: cards held, by kind
    ("drew_on", _u8, (NUM_COLOURS,)),  # see knowledge.py
    ("hand_size", _i16, ()),
)
"""The fields of each seat: 64 bytes."""
SEAT = np.dtype((np.record, list(SEAT_FIELDS)))

GAME_FIELDS: tuple[tuple[str, Any, tuple[int, ...]], ...] = (
    ("rng", np.uint64, ()),  # state of the game's generator
    ("decisions", np.int64, ()),  # decisions taken in this hand
    ("penalty", _i16, ()),  # cards that the player asked would have to draw
    ("called", _i16, ()),  # seats, as bits, whose UNO call stands
    ("asked", _i16, ()),  # seats, as bits, already asked in this window
    ("out", _i16, ()),  # seats, as bits, that are out of the match
    ("hands_played", _i32, ()),  # finished hands of the match
    ("pile_next", _i16, ()),
    ("pile_end", _i16, ()),
    ("phase", _i8, ()),  # what is being decided
    ("turn", _i8, ()),  # whose turn it is
    ("to_move", _i8, ()),  # who decides now: the turn's player, or whoever is asked
    ("direction", _i8, ()),  # +1 clockwise (to the left), −1 counter-clockwise
    ("dealer", _i8, ()),
    ("top", _i8, ()),  # kind of the top discard
    ("colour", _i8, ()),  # active colour; NO_COLOUR until a first Wild's is declared
    ("previous_colour", _i8, ()),  # active colour before the top card was played
    ("bluffed", _i8, ()),  # hidden: the last Wild Draw Four was played with a matching card in hand
    ("drawn", _i8, ()),  # kind just drawn that may be played
    ("last_player", _i8, ()),  # who laid the top card; NOBODY for the first discard
    ("winner", _i8, ()),
    ("end", _i8, ()),  # why the hand ended
    ("offender", _i8, ()),  # who acted illegally
    ("match_winner", _i8, ()),
    ("last_winner", _i8, ()),  # who won the last finished hand of the match
    ("last_end", _i8, ()),  # why it ended
    ("knows", _i8, ()),  # whether anybody knows cards of others; if not, ``known`` means nothing
    ("points", _i16, (MAX_SEATS,)),  # points of the last finished hand
    ("discards", _i8, (NUM_KINDS,)),  # the discard pile by kind, top card included
    ("pile", _i8, (MAX_CARDS,)),  # hidden: the draw pile is pile[pile_next:pile_end], next card first
    ("seats", SEAT, (MAX_SEATS,)),
    ("scores", _i32, (MAX_SEATS,)),  # points of the match before this hand; of no use outside a match
    ("known", _i8, (MAX_SEATS * MAX_SEATS * NUM_KINDS,)),  # see knowledge.py; of no use where nobody can learn cards
)
"""Fields that only some rules need come last, where a batch can leave them out.

A step waits for memory, which is read in lines of 64 bytes. So the fields used most lie close together, and each seat
fills one line.
"""
GAME = np.dtype((np.record, list(GAME_FIELDS)))

SWITCHES: dict[str, tuple[str, ...]] = {
    "dealer": ("high_card", "random", "fixed", "high_card_each_hand"),
    "first_card": ("effects", "effects_no_wild", "number", "effects_all", "reverse_only"),
    "first_reverse": ("dealer", "right_of_dealer"),
    "action_match": ("symbol_or_colour", "colour"),
    "draw": ("one", "until_playable", "until_playable_if_stuck"),
    "after_draw": ("may_play", "must_play"),
    "two_player_reverse": ("skip", "reverse"),
    "customizable_effect": ("none", "skip_all", "swap_hands", "everyone_draws"),
    "wild_draw_four": ("restricted", "colour_or_symbol", "bluff", "free"),
    "uno_call": ("automatic", "declared"),
    "illegal_action": ("raise", "penalty", "terminate"),
    "go_out_on": ("any", "not_action", "number"),
    "scoring": ("hand", "winner_takes", "lowest", "elimination"),
    "stacking": ("off", "same", "any", "both"),
    "dialect": ("official", "rlcard"),
    "renew": ("when_needed", "at_once"),
    "draw_two_turn": ("lost", "kept", "kept_first"),
}
"""Switches with named values; a rules record holds the index of a value in its tuple.

Observations hold it too, so new values come last, and a new switch gets a new column (observe/layout.py).
"""

_OFF_OR_ON = (False, True)
FLAGS: dict[str, tuple[bool | str, ...]] = {
    "voluntary_draw": _OFF_OR_ON,
    "double_play": (*_OFF_OR_ON, "two_or_more"),
    "late_call": _OFF_OR_ON,
    "call_before": _OFF_OR_ON,
    "seven_zero": _OFF_OR_ON,
    "jump_in": _OFF_OR_ON,
    "six_smackdown": _OFF_OR_ON,
    "wild_is_match": _OFF_OR_ON,
    "deflect": _OFF_OR_ON,
}
"""Switches that are off or on, one of them in two ways; a rules record holds the index here, too."""

NUMBERS = ("players", "hand_size", "dealer_seat", "uno_penalty", "special_wild_points", "target", "max_decisions")

RULES = np.dtype(
    (
        np.record,
        [(name, np.int64) for name in (*SWITCHES, *FLAGS, *NUMBERS, "match", "reward_points")]
        + [("deck", np.int64, (NUM_KINDS,)), ("reflexes", np.int64, (MAX_SEATS,))],
    )
)
"""The rules of a batch of games; one record for all its games, so its size does not matter."""


def switch_value(switch: str, value: str) -> int:
    """Number of a named value in a rules record."""
    return (SWITCHES.get(switch) or FLAGS[switch]).index(value)
