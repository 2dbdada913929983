"""Columns of an observation. The encoder writes them, and the documentation is made from this table.

An observation is a row of small unsigned integers; the float form is the same row times :data:`SCALES`. These are
powers of two, so the float form is exact, and it lies between 0 and 1: each is the largest one with which the largest
number of 10⁵ random games of all rules stays at most 1. Only decks with more than four cards of a kind, and reflexes
above 8, go beyond. Earlier layouts had other scales (:func:`scales_of`).
Seats are relative to the observing seat: 0 is the observer, k the k-th player to the left; columns of seats that do not
exist stay 0.
"""

from collections import namedtuple
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from uno_env.cards import MAX_CARDS, NUM_COLOURS, NUM_KINDS, NUM_SYMBOLS
from uno_env.core.record import FLAGS, MAX_SEATS, PHASE_NAMES, SWITCHES

LAYOUT_VERSION = 3
"""Raised whenever columns are appended or scales change; saved policies carry it. Columns never move or change their
meaning in the integer form.

1 had the columns up to ``rules``, 2 ``later_rules`` too, both with :data:`FIRST_SCALES`. 3 has all, and scales of its
own.
"""

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


_LATER_SWITCHES = {2: ("renew",), 3: ("draw_two_turn", "wild_is_match", "deflect")}
"""Switches of each later layout, in the order of their columns."""
_FIRST_SWITCHES = tuple(name for name in (*SWITCHES, *FLAGS) if name not in (*_LATER_SWITCHES[2], *_LATER_SWITCHES[3]))
_RULE_NUMBERS = ("players", "hand_size", "uno_penalty", "special_wild_points", "target")
_RULE_WIDTH = len(_FIRST_SWITCHES) + len(_RULE_NUMBERS) + 1


_LATER_VALUES = {"first_card": (3, 1), "draw": (3, 1), "stacking": (3, 1)}
"""The layout in which a switch got more values, and how many: the last ones."""


def values_known_to(layout_version: int) -> dict[str, tuple[bool | str, ...]]:
    """The values of each switch that there were when a layout was new."""
    known = {}
    for name, values in (SWITCHES | FLAGS).items():
        is_new = any(name in names for layout, names in _LATER_SWITCHES.items() if layout > layout_version)
        since, number = _LATER_VALUES.get(name, (0, 0))
        if not is_new:
            known[name] = values[: len(values) - number] if since > layout_version else values
    return known


def _scales_of_switches(names: tuple[str, ...]) -> tuple[float, ...]:
    """For each switch, the largest power of two with which the number of its last value is at most 1."""
    return tuple(0.5 ** (len((SWITCHES | FLAGS)[name]) - 2).bit_length() for name in names)


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
        _RULE_WIDTH,
        (*_scales_of_switches(_FIRST_SWITCHES), 1 / 16, 1 / 64, 1 / 32, 1 / 128, 1 / 256, 1 / 4),
        "switches in force, one column each, as the index of the value in its list: "
        + ", ".join((*_FIRST_SWITCHES, *_RULE_NUMBERS[:-1], "target (two columns, as scores)")),
    ),
    (
        "later_rules",
        len(_LATER_SWITCHES[2]),
        _scales_of_switches(_LATER_SWITCHES[2]),
        "a switch in force, in the same way: " + ", ".join(_LATER_SWITCHES[2]),
    ),
    (
        "newer_rules",
        len(_LATER_SWITCHES[3]),
        _scales_of_switches(_LATER_SWITCHES[3]),
        "more switches in force, in the same way: " + ", ".join(_LATER_SWITCHES[3]),
    ),
)
FIRST_SECTION_SCALES = {
    "hand": 1 / 2, "discards": 1 / 2, "hand_sizes": 1 / 10, "draw_pile": 1 / 100, "penalty": 1 / 10,
    "drew_on": 1 / 10, "scores": 1 / 128, "reflexes": 1 / 16, "deck": 1 / 2,
}  # fmt: skip
"""Scales of the sections in layouts 1 and 2; all other numbers had none."""


LAYOUT: dict[str, Section] = {
    name: Section(name, sum(width for _, width, _, _ in _SECTIONS[:index]), width, scale, meaning)
    for index, (name, width, scale, meaning) in enumerate(_SECTIONS)
}
_Starts = namedtuple("_Starts", LAYOUT)  # type: ignore[misc]
START: Any = _Starts(*(section.start for section in LAYOUT.values()))
"""First column of each section by its name, also for compiled code: ``START.phase``."""
OBSERVATION_SIZE = sum(section.width for section in LAYOUT.values())
LAYOUT_SIZES = {1: START.later_rules, 2: START.newer_rules, LAYOUT_VERSION: OBSERVATION_SIZE}
"""Columns of an observation in each layout: those of an earlier one come first in every later one."""
RULE_COLUMNS = {
    name: start + index
    for start, names in (
        (START.rules, (*_FIRST_SWITCHES, *_RULE_NUMBERS)),
        (START.later_rules, _LATER_SWITCHES[2]),
        (START.newer_rules, _LATER_SWITCHES[3]),
    )
    for index, name in enumerate(names)
}
"""Column of each field of the rules in force; the target takes two, of which this is the first."""
KNOWN_START: int = START.known
"""Known cards come after all that changes often: most rows show none, and the columns are then left alone."""
RULES_START: int = START.seats
"""From here on a row is the same for every seat and state of a game under the same rules."""

SCALES = np.concatenate([np.full(section.width, section.scale, np.float32) for section in LAYOUT.values()])
FIRST_SCALES = np.concatenate(
    [
        np.full(section.width, FIRST_SECTION_SCALES.get(section.name, 1.0), np.float32)
        for section in LAYOUT.values()
        if section.start < LAYOUT_SIZES[2]
    ]
)
"""Scales of layouts 1 and 2."""


def scales_of(layout_version: int) -> npt.NDArray[np.float32]:
    """The scales of a layout, float32 [``LAYOUT_SIZES[layout_version]``]."""
    return SCALES if layout_version == LAYOUT_VERSION else FIRST_SCALES[: LAYOUT_SIZES[layout_version]]


assert MAX_CARDS <= 255
