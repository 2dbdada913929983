"""Columns of an observation. The encoder writes them, and the documentation is made from this table.

An observation is a row of small unsigned integers; the float form is the same row times :data:`SCALES`. These are
powers of two, so the float form is exact, and it lies between 0 and 1: each is the largest one with which the largest
number of 10⁵ random games of all rules stays at most 1. Only decks with more than four cards of a kind, and reflexes
above 8, go beyond.
Seats are relative to the observing seat: 0 is the observer, k the k-th player to the left; columns of seats that do not
exist stay 0.
"""

from collections import namedtuple
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from uno_env.cards import MAX_CARDS, NUM_COLOURS, NUM_KINDS, NUM_SYMBOLS
from uno_env.core.record import FLAGS, MAX_SEATS, PHASE_NAMES, SWITCHES

LAYOUT_VERSION = 3
"""Raised whenever a column moves, or changes its meaning or its scale. Saved policies carry it, and those of another
version are refused. A column that is added at the end changes nothing for them: they name the columns that they read.
"""

_COLUMNS = 950
"""How many columns there are in this version."""
LOW = 4
"""Numbers above 255 are written in two columns: number // LOW (at most 255) and number % LOW."""


class Section(NamedTuple):
    """A labelled run of columns."""

    name: str
    start: int
    width: int
    scale: float | tuple[float, ...]
    """Factor of the float form; a tuple has one for each column."""
    meaning: str

    @property
    def columns(self) -> slice:
        """The section's columns, as a slice of the last axis of an observation."""
        return slice(self.start, self.start + self.width)


_NUMBERS = {
    "players": (1 / 16,), "hand_size": (1 / 64,), "uno_penalty": (1 / 32,), "special_wild_points": (1 / 128,),
    "target": (1 / 256, 1 / 4),
}  # fmt: skip
"""Fields of the rules that are numbers, with the scale of each of their columns."""
_RULES = (
    "dealer", "first_card", "first_reverse", "action_match", "draw", "after_draw", "two_player_reverse",
    "customizable_effect", "wild_draw_four", "uno_call", "illegal_action", "go_out_on", "scoring", "stacking",
    "dialect", "voluntary_draw", "double_play", "late_call", "call_before", "seven_zero", "jump_in", "six_smackdown",
    *_NUMBERS,
    "renew", "draw_two_turn", "wild_is_match", "deflect",
)  # fmt: skip
"""The fields of the rules in the order of their columns; a new one comes last."""


def verify_columns(switches: Iterable[str], number: int) -> None:
    """Raise RuntimeError if one of these switches of the rules has no column, or the number of all columns is not that
    of :data:`LAYOUT_VERSION`. So whoever adds a switch is told at once what is missing.
    """
    missing = [name for name in switches if name not in _RULES]
    if missing:
        raise RuntimeError(f"no column shows {', '.join(missing)}: write it last in _RULES, {__file__}")
    if number != _COLUMNS:
        raise RuntimeError(
            f"layout version {LAYOUT_VERSION} has {_COLUMNS} columns, not {number}: if all new ones come last, write "
            f"their number to _COLUMNS, {__file__}; else raise LAYOUT_VERSION, too"
        )


def _scales_of(name: str) -> tuple[float, ...]:
    """The scales of a field's columns. That of a switch is the largest power of two with which the number of its last
    value is at most 1.
    """
    if name in _NUMBERS:
        return _NUMBERS[name]
    return (0.5 ** (len((SWITCHES | FLAGS)[name]) - 2).bit_length(),)


_SECTIONS: tuple[tuple[str, int, float | tuple[float, ...], str], ...] = (
    ("hand", NUM_KINDS, 1 / 4, "cards of each kind in the observer's hand"),
    ("drawn_colour", NUM_COLOURS, 1, "colour of the card just drawn by the observer that may be played, one-hot"),
    ("drawn_symbol", NUM_SYMBOLS, 1, "rank 0-12 of that card, or 13-18 which wild it is, one-hot"),
    ("colour", NUM_COLOURS, 1, "active colour, one-hot; all 0 until a first Wild's colour is declared"),
    ("symbol", NUM_SYMBOLS, 1, "rank 0-12 of the top card, or 13-18 which wild it is, one-hot"),
    ("previous_colour", NUM_COLOURS, 1, "active colour before the top card was played, one-hot"),
    ("discards", NUM_KINDS, 1 / 4, "cards of each kind in the discard pile, the top card included"),
    ("hand_sizes", MAX_SEATS, 1 / 128, "cards held by each seat"),
    ("draw_pile", 1, 1 / 128, "cards in the draw pile"),
    ("phase", len(PHASE_NAMES), 1, "what is being decided, one-hot: " + ", ".join(PHASE_NAMES)),
    ("turn", MAX_SEATS, 1, "whose turn it is, one-hot"),
    ("to_move", MAX_SEATS, 1, "who decides now, one-hot; all 0 when the hand is over"),
    ("last_player", MAX_SEATS, 1, "who laid the top card, one-hot; all 0 for the first discard"),
    ("dealer", MAX_SEATS, 1, "who dealt, one-hot"),
    ("clockwise", 1, 1, "1 if play runs clockwise (to the left)"),
    ("called", MAX_SEATS, 1, "seats whose UNO call stands"),
    ("asked", MAX_SEATS, 1, "seats that are not asked (any more) in this window"),
    ("penalty", 1, 1 / 32, "cards that the player asked would have to draw"),
    (
        "drew_on",
        MAX_SEATS * NUM_COLOURS,
        1 / 128,
        "by seat and colour: 1 + cards taken since the seat last drew and played nothing on that active colour; "
        "0 if it never did, or has played the colour since",
    ),
    ("out", MAX_SEATS, 1, "seats eliminated from the match"),
    (
        "scores",
        MAX_SEATS * 2,
        1 / 256,
        f"points in the match by seat, each as points // {LOW} (at most 255) and points % {LOW}",
    ),
    ("reflexes", MAX_SEATS, 1 / 8, "weight of each seat's slowness at the slapping of a 6"),
    (
        "known",
        (MAX_SEATS - 1) * NUM_KINDS,
        1 / 4,
        "by other seat (1st to the left first) and kind: cards the observer knows that seat to hold",
    ),
    ("seats", MAX_SEATS, 1, "1 for each seat of the table"),
    ("deck", NUM_KINDS, 1 / 4, "cards of each kind in the whole deck"),
    (
        "rules",
        sum(len(_scales_of(name)) for name in _RULES),
        tuple(scale for name in _RULES for scale in _scales_of(name)),
        "rules in force, one column each, switches as the index of the value in their list: "
        + ", ".join(_RULES).replace("target", "target (two columns, as scores)"),
    ),
)


LAYOUT: dict[str, Section] = {
    name: Section(name, sum(width for _, width, _, _ in _SECTIONS[:index]), width, scale, meaning)
    for index, (name, width, scale, meaning) in enumerate(_SECTIONS)
}
_Starts = namedtuple("_Starts", LAYOUT)  # type: ignore[misc]
START: Any = _Starts(*(section.start for section in LAYOUT.values()))
"""First column of each section by its name, also for compiled code: ``START.phase``."""
OBSERVATION_SIZE = sum(section.width for section in LAYOUT.values())
verify_columns(SWITCHES | FLAGS, OBSERVATION_SIZE)
RULE_COLUMNS = {
    name: START.rules + sum(len(_scales_of(before)) for before in _RULES[:index]) for index, name in enumerate(_RULES)
}
"""Column of each field of the rules in force; the target takes two, of which this is the first."""
KNOWN_START: int = START.known
"""Known cards come after all that changes often: most rows show none, and the columns are then left alone."""
RULES_START: int = START.seats
"""From here on a row is the same for every seat and state of a game under the same rules."""

SCALES = np.concatenate([np.full(section.width, section.scale, np.float32) for section in LAYOUT.values()])
assert MAX_CARDS <= 255
