"""Columns of an observation. The encoder writes them, and the documentation is made from this table.

An observation is a row of small unsigned integers; the float form is the same row times :data:`SCALES`. These are
powers of two, so the float form is exact, and it lies between 0 and 1: each is the largest one with which the largest
number of 10⁵ random games of all rules stays at most 1. Only decks with more than four cards of a kind, penalties of
more than 32 cards (stacked draw cards of No Mercy and Flip), reflexes above 8 and ``mercy`` above 32 go beyond.
Seats are relative to the observing seat: 0 is the observer, k the k-th player to the left; columns of seats that do not
exist stay 0.
"""

from collections import namedtuple
from collections.abc import Callable, Iterable
from functools import cache
from itertools import accumulate
from typing import Any, NamedTuple, TypeVar

import numpy as np

from uno_env.core.arrays import Singles
from uno_env.core.jit.records import constants_of
from uno_env.core.record import (
    ALL_SWITCHES,
    FLAGS,
    MAX_SEATS,
    SWITCHES,
    SWITCHES_OF_SIDES,
    edition_marked,
    phases_of,
)
from uno_env.editions.classic import CLASSIC
from uno_env.editions.edition import Edition

LAYOUT_VERSION = 3
"""Raised whenever a column moves, or changes its meaning or its scale. Saved policies carry it, and those of another
version are refused. A column that is added at the end changes nothing for them: they name the columns that they read.
"""

_COLUMNS = 950
"""The number of columns in this version, in the first edition."""
_Run = TypeVar("_Run")
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
_MERCY = {"mercy": (1 / 32,)}
"""The field that only editions with mercy have a column for, after the others."""


def _rules_in(edition: Edition) -> tuple[str, ...]:
    sides = SWITCHES_OF_SIDES if edition.sides > 1 else {}
    return (*_RULES, *sides, *(_MERCY if edition.mercy else {}))


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
    numbers = _NUMBERS | _MERCY
    if name in numbers:
        return numbers[name]
    return (0.5 ** (len((ALL_SWITCHES | FLAGS)[name]) - 2).bit_length(),)


def _penalty(edition: Edition) -> tuple[int, float, str]:
    """Width, scale and meaning of the section."""
    meaning = "cards that the player asked would have to draw"
    if len(edition.penalties) > 1:
        return 2, 1 / 32, f"{meaning}, then how many the draw card demands that began or last raised the penalty"
    return 1, 1 / 32, meaning


def _sections_of_sides(edition: Edition) -> tuple[tuple[str, int, float, str], ...]:
    """Sections that only cards with two sides need; with one side they have no columns."""
    kinds = (edition.sides - 1) * len(edition.kinds)
    faces = max(map(len, edition.designs)) if kinds else 0
    per_kind = 0.5 ** (max(map(max, edition.decks.values())) + 2).bit_length()
    orders = "; faces of each side in the order of Edition.designs"
    return (
        ("side", edition.sides - 1, 1, "1 if the dark side is in force"),
        ("top_card", kinds, 1, "the top card, one-hot"),
        ("drawn_card", kinds, 1, "the card just drawn by the observer that may be played, one-hot"),
        ("lowest_card", kinds, 1, "the lowest card of the discard pile, one-hot"),
        ("next_back", faces, 1, "the face not in force of the draw pile's next card, one-hot" + orders),
        ("last_face", faces, 1, "the face in force of the draw pile's last card, if it was seen, one-hot" + orders),
        (
            "backs",
            (MAX_SEATS - 1) * faces,
            per_kind,
            "by other seat (1st to the left first) and face not in force: cards with it in that hand, with "
            "backs='seen'" + orders,
        ),
    )


def _sections(edition: Edition) -> tuple[tuple[str, int, float | tuple[float, ...], str], ...]:
    """Name, width, scale and meaning of each section of an edition's observations."""
    kinds, colours, symbols = len(edition.kinds), len(edition.colours), len(edition.symbols)
    phases, rules = phases_of(edition), _rules_in(edition)
    of_colours = len({face.symbol for face in edition.kinds[: edition.coloured]})
    ranks, wilds = f"0-{of_colours - 1}", f"{of_colours}-{symbols - 1}"
    top, own = f"rank {ranks} of the top card, or {wilds} which wild it is", f"rank {ranks} of that card, or {wilds}"
    own += " which wild it is"
    if edition.sides > 1:
        top, own = (f"symbol of {card}: {', '.join(edition.symbols)}" for card in ("the top card", "that card"))
    per_card = 0.5 ** (edition.most_cards - 1).bit_length()
    per_kind = 0.5 ** (max(map(max, edition.decks.values())) - 1).bit_length()
    assert edition.most_cards <= 255
    return (
        ("hand", kinds, per_kind, "cards of each kind in the observer's hand"),
        ("drawn_colour", colours, 1, "colour of the card just drawn by the observer that may be played, one-hot"),
        ("drawn_symbol", symbols, 1, f"{own}, one-hot"),
        ("colour", colours, 1, "active colour, one-hot; all 0 until a first Wild's colour is declared"),
        ("symbol", symbols, 1, f"{top}, one-hot"),
        ("previous_colour", colours, 1, "active colour before the top card was played, one-hot"),
        ("discards", kinds, per_kind, "cards of each kind in the discard pile, the top card included"),
        ("hand_sizes", MAX_SEATS, per_card, "cards held by each seat"),
        ("draw_pile", 1, per_card, "cards in the draw pile"),
        ("phase", len(phases), 1, "what is being decided, one-hot: " + ", ".join(phases)),
        ("turn", MAX_SEATS, 1, "whose turn it is, one-hot"),
        ("to_move", MAX_SEATS, 1, "who decides now, one-hot; all 0 when the hand is over"),
        ("last_player", MAX_SEATS, 1, "who laid the top card, one-hot; all 0 for the first discard"),
        ("dealer", MAX_SEATS, 1, "who dealt, one-hot"),
        ("clockwise", 1, 1, "1 if play runs clockwise (to the left)"),
        ("called", MAX_SEATS, 1, "seats whose UNO call stands"),
        ("asked", MAX_SEATS, 1, "seats that are not asked (any more) in this window"),
        ("penalty", *_penalty(edition)),
        (
            "drew_on",
            MAX_SEATS * colours,
            per_card,
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
        *_sections_of_sides(edition),
        (
            "known",
            (MAX_SEATS - 1) * kinds,
            per_kind,
            "by other seat (1st to the left first) and kind: cards the observer knows that seat to hold",
        ),
        ("seats", MAX_SEATS, 1, "1 for each seat of the table"),
        ("deck", kinds, per_kind, "cards of each kind in the whole deck"),
        (
            "rules",
            sum(len(_scales_of(name)) for name in rules),
            tuple(scale for name in rules for scale in _scales_of(name)),
            "rules in force, one column each, switches as the index of the value in their list: "
            + ", ".join(rules).replace("target", "target (two columns, as scores)"),
        ),
    )


def side_by_side(make: Callable[..., _Run], runs: Iterable[tuple[str, int, Any, str]]) -> dict[str, _Run]:
    """Labelled runs of columns by name, each made of a name, its first column, a width, a fact and a meaning."""
    labelled, start = dict[str, _Run](), 0
    for name, width, fact, meaning in runs:
        labelled[name] = make(name, start, width, fact, meaning)
        start += width
    return labelled


@cache
def layout_of(edition: Edition) -> dict[str, Section]:
    """The columns of an edition's observations by section; only those of cards with two sides are not in all
    editions.
    """
    return {name: section for name, section in side_by_side(Section, _sections(edition)).items() if section.width}


_Starts = namedtuple("_Starts", [*(name for name, *_ in _sections(CLASSIC)), "end"])  # type: ignore[misc]


@cache
def starts_of(edition: Edition) -> Any:
    """First column of each section by its name (``.phase``), and how many columns there are (``.end``)."""
    widths = [width for _, width, _, _ in _sections(edition)]
    return _Starts._make(accumulate(widths, initial=0))


columns_of = constants_of(lambda mark: starts_of(edition_marked(mark)))
"""``columns_of(rules)``: the same of the edition of a rules record, for compiled code.

Known cards (``.known``) come after all that changes often: most rows show none, and the columns are then left alone.
From ``.seats`` on, a row is the same for every seat and state of a game under the same rules.
"""
LAYOUT = layout_of(CLASSIC)
START = starts_of(CLASSIC)
OBSERVATION_SIZE: int = START.end
OF_KINDS = ("hand", "discards", "known", "deck")
"""Sections that have a column for each kind of card, once or several times."""
verify_columns(SWITCHES | FLAGS, OBSERVATION_SIZE)


@cache
def rule_columns_of(edition: Edition) -> dict[str, int]:
    """Column of each field of the rules in force; the target takes two, of which this is the first."""
    names = _rules_in(edition)
    widths = [len(_scales_of(name)) for name in names]
    start = starts_of(edition).rules
    return {name: start + sum(widths[:index]) for index, name in enumerate(names)}


@cache
def scales_in(edition: Edition) -> Singles:
    """Factor of each column in float form, float32 [columns]."""
    sections = layout_of(edition).values()
    return np.concatenate([np.full(section.width, section.scale, np.float32) for section in sections])


SCALES = scales_in(CLASSIC)
