"""The record of one game, and the record of the rules it is played by; each edition has types of its own.

The record of rules holds the cards of the edition as tables, and its last field says which edition it is. A game is one
element of an array of :data:`GAME`, or of another edition's type (:func:`records_of`). Numba sees its fields as
attributes (``game.direction``, ``game.seats[seat].hand[kind]``). Batches keep of it what their rules need, see
packed_games.py. Uncompiled (``NUMBA_DISABLE_JIT=1``) every small integer is widened to 64 bits, because NumPy's scalars
wrap around where compiled code promotes; the values are the same.
"""

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from uno_env.actions import catalogue
from uno_env.core.jit.njit import INTERPRETED
from uno_env.core.record_type import Fields, record_type
from uno_env.editions.classic import CLASSIC
from uno_env.editions.edition import NO_CARD as NO_CARD
from uno_env.editions.edition import NO_COLOUR as NO_COLOUR
from uno_env.editions.edition import Edition

MAX_SEATS = 10

# Phases: what is being decided. One field says it all.
PLAY, DRAWN, CATCH, CHALLENGE, FIRST_COLOUR, SWAP, JUMP_IN, STACK, OVER, ROULETTE = range(10)
PHASE_NAMES = ("play", "drawn", "catch", "challenge", "first_colour", "swap", "jump_in", "stack", "over")
ALL_PHASE_NAMES = (*PHASE_NAMES, "roulette")
_PHASE_EFFECTS = {"roulette": "roulette"}
"""Phases that only editions with a certain effect have; they come after those of all editions."""

# Why a hand ended.
RUNNING, WENT_OUT, STALLED, MAX_DECISIONS, ILLEGAL, TOO_MANY_HANDS = range(6)
END_NAMES = ("running", "went_out", "stalled", "max_decisions", "illegal", "too_many_hands")

MAX_HANDS = 1_000
"""Hands after which a match is truncated."""

NOBODY = -1

EFFECTS = (
    "none", "skip", "reverse", "draw", "shuffle_hands", "customizable", "downpour_one", "downpour_two",
    "reverse_draw", "discard_all", "skip_everyone", "roulette", "flip", "draw_colour",
)  # fmt: skip
"""Effects of cards; a table of the rules record holds the index of each kind's."""

_i8, _i16, _i32 = (np.int64, np.int64, np.int64) if INTERPRETED else (np.int8, np.int16, np.int32)
_u8 = np.int64 if INTERPRETED else np.uint8

_COMMON_FIELDS: Fields = [
    ("rng", np.uint64, ()),  # state of the game's generator
    ("decisions", _i32, ()),  # decisions taken in this hand
    ("hands_played", _i32, ()),  # finished hands of the match
    ("penalty", _i16, ()),  # cards that the player asked would have to draw
    ("called", _i16, ()),  # seats, as bits, whose UNO call stands
    ("asked", _i16, ()),  # seats, as bits, already asked in this window
    ("out", _i16, ()),  # seats, as bits, that do not play: out of the match, or put out of this hand
    ("put_out", _i16, ()),  # seats, as bits, that are out of this hand by mercy
    ("pile_next", _i16, ()),
    ("pile_end", _i16, ()),
    ("pending", _i16, ()),  # kind of the draw card whose penalty is to be drawn, NO_CARD if there is none
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
]
"""Fields of a game that are the same in all editions."""


def _fields_of_sides(edition: Edition) -> Fields:
    """The fields that only cards with two sides need; with one side they have no bytes (see turning_over.py)."""
    one = (edition.sides - 1,)
    return [
        ("side", _i8, one),  # 0, or 1 while the other side is in force
        ("lowest", _i8, one),  # kind of the lowest card of the discard pile
        ("last_seen", _i8, one),  # whether all have seen the face of the draw pile's last card that is in force
    ]


def seat_fields(edition: Edition) -> Fields:
    """The fields of each seat; 64 bytes in the first edition."""
    fields: Fields = [
        ("hand", _i8, (len(edition.kinds),)),  # hidden but for the owner: cards held, by kind
        ("drew_on", _u8, (len(edition.colours),)),  # see knowledge.py
        ("hand_size", _i16, ()),
    ]
    return _aligned(fields)


def game_fields(edition: Edition) -> Fields:
    """The fields of a game. Fields that only some rules need come last, where a batch can leave them out.

    A step waits for memory, which is read in lines of 64 bytes. So the fields used most lie close together, and each
    seat fills one line.
    """
    kinds = len(edition.kinds)
    fields: Fields = [
        *_COMMON_FIELDS,
        *_fields_of_sides(edition),
        ("discards", _i8, (kinds,)),  # the discard pile by kind, top card included
        ("pile", _i8, (edition.most_cards,)),  # hidden: the draw pile is pile[pile_next:pile_end], next card first
        ("seats", record_type(seat_fields(edition)), (MAX_SEATS,)),
        ("scores", _i32, (MAX_SEATS,)),  # points of the match before this hand; of no use outside a match
        ("known", _i8, (MAX_SEATS * MAX_SEATS * kinds,)),  # see knowledge.py; of no use where nobody can learn cards
    ]
    return _aligned(fields)


def _aligned(fields: Fields) -> Fields:
    """Fields with gaps of bytes before those that do not begin at a multiple of their numbers' size.

    Compiled code counts on that when it reads several numbers at once. The first edition needs no gap.
    """
    aligned, end = Fields(), 0
    for name, kind, shape in fields:
        parts = np.dtype(kind).fields or {"": (np.dtype(kind), 0)}
        gap = -end % max(part[0].base.itemsize for part in parts.values())
        if gap:
            aligned.append((f"gap_before_{name}", np.int8, (gap,)))
        aligned.append((name, kind, shape))
        end += gap + np.dtype((kind, shape)).itemsize
    return aligned


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

SWITCHES_OF_SIDES: dict[str, tuple[str, ...]] = {"backs": ("seen", "hidden")}
"""Switches that only editions with two sides have a column for."""
SWITCHES_OF_EDITIONS: dict[str, tuple[str, ...]] = {"stacking": ("value",)}
"""Values of switches that all editions but the first have; they come after those of :data:`SWITCHES`."""

ALL_SWITCHES = SWITCHES | SWITCHES_OF_SIDES
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

NUMBERS = (
    "players", "hand_size", "dealer_seat", "uno_penalty", "special_wild_points", "target", "max_decisions", "mercy",
)  # fmt: skip


@cache
def phases_of(edition: Edition) -> tuple[str, ...]:
    """Names of the phases that an edition has, by number."""
    effects = {face.effect for face in edition.faces}
    return tuple(name for name in ALL_PHASE_NAMES if _PHASE_EFFECTS.get(name, "none") in {*effects, "none"})


def values_of(switch: str, edition: Edition) -> tuple[bool | str, ...]:
    """The values that a switch can have in an edition, by number."""
    more = () if edition.name == CLASSIC.name else SWITCHES_OF_EDITIONS.get(switch, ())
    return (*(ALL_SWITCHES.get(switch) or FLAGS[switch]), *more)


def table_fields(edition: Edition) -> Fields:
    """The tables of an edition's cards and actions in a rules record."""
    kinds, actions = (len(edition.faces),), (catalogue(edition).first.number,)
    wilds = ((edition.sides - 1) * len(edition.kinds),)
    # Not last: with one side they have no bytes, and the last field has to be the mark for compiled code, too.
    return [
        ("wild_play", _i16, wilds),  # first action that plays a kind as a wild, −1 if none; only with two sides
        ("kind_design", _i8, (2 * wilds[0],)),  # see Edition.designs; only with two sides
        ("kind_colour", _i8, kinds),  # NO_COLOUR: a wild
        ("kind_symbol", _i8, kinds),
        ("kind_number", _i8, kinds),  # NO_NUMBER: no number card
        ("kind_effect", _i8, kinds),  # index into EFFECTS
        ("kind_demands", _i8, kinds),  # cards that the next player has to draw
        ("kind_points", _i8, kinds),  # −1: the rules say how many
        ("draw_kind", _i8, (len(edition.draw_kinds),)),  # the kinds that may demand cards
        ("action_kind", _i8, actions),  # kind of card that an action plays, NO_CARD if none
        ("action_colour", _i8, actions),  # active colour that an action leads to, NO_COLOUR if it leaves it alone
    ]


def card_tables(edition: Edition) -> dict[str, list[int] | tuple[int, ...]]:
    """The values of the tables. Raises ValueError if the edition names an effect that there is not."""
    for face in edition.faces:
        if face.effect not in EFFECTS:
            raise ValueError(f"{face.name} has the effect {face.effect!r}: there are {', '.join(EFFECTS)}")
    return {
        "kind_colour": [face.colour for face in edition.faces],
        "kind_symbol": [edition.symbols.index(face.symbol) for face in edition.faces],
        "kind_number": [face.number for face in edition.faces],
        "kind_effect": [EFFECTS.index(face.effect) for face in edition.faces],
        "kind_demands": [face.demands for face in edition.faces],
        "kind_points": [face.points for face in edition.faces],
        "draw_kind": edition.draw_kinds,
        "kind_design": [
            edition.designs[side].index(face.text)
            for side in range(edition.sides)
            for face in edition.faces_on(side)
            if edition.sides > 1
        ],
        "wild_play": catalogue(edition).wild_plays,
        "action_kind": catalogue(edition).kinds,
        "action_colour": catalogue(edition).colours,
    }


def rules_fields(edition: Edition) -> Fields:
    """The fields of the rules of a batch of games; one record for all its games. The last one names the edition."""
    numbers = (*ALL_SWITCHES, *FLAGS, *NUMBERS, "match", "reward_points")
    return [
        *((name, np.int64, ()) for name in numbers),
        ("deck", np.int64, (len(edition.kinds),)),
        ("reflexes", np.int64, (MAX_SEATS,)),
        *table_fields(edition),
        (_mark(edition), np.int8, ()),
    ]


class Records(NamedTuple):
    """The types of an edition's records."""

    seat: "np.dtype[Any]"
    game: "np.dtype[Any]"
    rules: "np.dtype[Any]"


@cache
def records_of(edition: Edition) -> Records:
    """The types of an edition's records. Compiled code is made anew for other types, so also for a changed edition."""
    _EDITIONS[_mark(edition)] = edition
    fields = seat_fields(edition), game_fields(edition), rules_fields(edition)
    return Records(*map(record_type, fields))


def edition_marked(mark: str) -> Edition:
    """The edition that the last field of a rules record names."""
    return _EDITIONS[mark]


def edition_of(record: Any) -> Edition:
    """The edition of a rules record."""
    return edition_marked(record.dtype.names[-1])


def _mark(edition: Edition) -> str:
    return f"{edition.name}_{edition.digest[:16]}"


_EDITIONS: dict[str, Edition] = {}
SEAT, GAME, RULES = records_of(CLASSIC)


def switch_value(switch: str, value: str) -> int:
    """Number of a named value in a rules record."""
    return (*(ALL_SWITCHES.get(switch) or FLAGS[switch]), *SWITCHES_OF_EDITIONS.get(switch, ())).index(value)


def effect(name: str) -> int:
    """Number of an effect in a table of a rules record."""
    return EFFECTS.index(name)
