"""The cards of an edition as tables for the compiled strategies: none computes anything from a card's number.

Compiled code takes the tables as a record, ``faces``. Its type says which edition it is of. So each strategy is
compiled once for each edition that it plays, and sizes, actions and columns are constants in its code.

A kind may be NO_CARD, of an action that plays none; then it is neither coloured nor wild.

Cards with two sides have tables for each side, of one type (:mod:`agents.scripted.sides`).
"""

from collections import namedtuple
from functools import cache
from typing import Any, TypeAlias

import numpy as np

from agents.scripted.sides import actions_seen, columns_seen, editions_seen
from uno_env.actions import catalogue
from uno_env.core.arrays import Array, Ints
from uno_env.core.edition import sizes_of
from uno_env.core.jit.njit import njit
from uno_env.core.jit.records import constants_of, record_of
from uno_env.core.observe.layout import rule_columns_of, starts_of
from uno_env.core.record import EFFECTS, card_tables, edition_marked, effect, records_of, table_fields
from uno_env.core.record_type import Fields, record_type
from uno_env.editions.classic import CLASSIC
from uno_env.editions.edition import NO_CARD, Edition
from uno_env.events import cards_laid

Faces: TypeAlias = Any
"""A record with the tables of an edition: those of :func:`uno_env.core.record.table_fields`, ``action_cards``, how many
cards each action lays, ``twins``, the kinds of a coloured kind's symbol, [coloured kinds, colours], ``kind_with``, the
kind of each colour and symbol, of a wild's in every colour, [colours, symbols], and, with two sides, ``columns_seen``
and ``actions_seen`` of :mod:`agents.scripted.sides`."""

SKIP, REVERSE = effect("skip"), effect("reverse")
COLOURS = 4
"""Colours of the editions that strategies play, which count the cards of each."""

Effects = namedtuple("Effects", EFFECTS)  # type: ignore[misc]
RuleColumns = namedtuple("RuleColumns", rule_columns_of(CLASSIC.with_mercy))  # type: ignore[misc]


def _effects(mark: str) -> Effects:
    present = {face.effect for edition in _SIDES.get(mark, (edition_marked(mark),)) for face in edition.kinds}
    return Effects._make(int(name in present) for name in EFFECTS)


def rule_columns(edition: Edition) -> RuleColumns:
    """The column of each field of the rules, −1 if an edition's observations do not have it."""
    columns = rule_columns_of(edition)
    names: tuple[str, ...] = RuleColumns._fields
    return RuleColumns._make(columns.get(name, NO_CARD) for name in names)


effects_of = constants_of(_effects)
"""``effects_of(faces).roulette``: 1 if a card of the edition has this effect (on one of its sides), otherwise 0."""
rules_at = constants_of(lambda mark: rule_columns(edition_marked(mark)))
"""``rules_at(faces).players``: the column of an observation that holds a field of the rules, −1 if none does."""


_SIDES: dict[str, tuple[Edition, ...]] = {}
"""The editions that the sides of cards look like, by the mark of the type of their tables: that of the first one."""


@cache
def faces_of(edition: Edition) -> Array:
    """The tables of an edition, in an array [sides]. Raises ValueError if the edition has another number of colours
    than four.
    """
    if len(edition.colours) != COLOURS:
        raise ValueError(f"scripted strategies play with four colours, and {edition.name} has {len(edition.colours)}")
    seen = editions_seen(edition)
    assert len({(catalogue(each).first, starts_of(each), each.per_colour) for each in seen}) == 1  # one type for all
    tables = [_tables(each, edition, side) for side, each in enumerate(seen)]
    # Wide numbers first: compiled code reads them in vectors, and counts on whole numbers of bytes before them.
    wide, short = ("action_cards", "twins", "kind_with"), ("columns_seen", "actions_seen")
    own: Fields = [
        *((name, np.int64, np.shape(tables[0][name])) for name in wide),
        *((name, np.int16, np.shape(tables[0][name])) for name in short),
    ]
    mark = records_of(seen[0]).rules.names[-1]  # type: ignore[index]
    _SIDES[mark] = seen
    records = np.zeros(len(seen), record_type([*own, *table_fields(seen[0]), (mark, np.int8, ())]))
    for side, each in enumerate(tables):
        for name, values in each.items():
            records[name][side] = values
    return records


def _tables(seen: Edition, whole: Edition, side: int) -> dict[str, Any]:
    """The tables of an edition that a side looks like."""
    return {
        **card_tables(seen),
        "action_cards": [cards_laid(action, seen) for action in range(catalogue(seen).first.number)],
        "twins": _twins(seen),
        "kind_with": _kinds_by_symbol(seen),
        "columns_seen": columns_seen(whole, side),
        "actions_seen": actions_seen(whole, side),
    }


faces_in = record_of(lambda mark: faces_of(edition_marked(mark)))
"""``faces_in(rules, side)``: the tables of a side of the edition of a rules record, as constants of compiled code."""


def _twins(edition: Edition) -> Ints:
    symbols = np.array([edition.symbols.index(face.symbol) for face in edition.kinds[: edition.coloured]])
    return np.array([np.flatnonzero(symbols == symbol) for symbol in symbols])


def _kinds_by_symbol(edition: Edition) -> Ints:
    table = np.full((len(edition.colours), len(edition.symbols)), NO_CARD)
    for kind, face in enumerate(edition.kinds):
        colour = slice(None) if kind >= edition.coloured else face.colour
        table[colour, edition.symbols.index(face.symbol)] = kind
    return table


@njit
def kind_of(faces: Faces, action: int) -> int:
    """Kind of card that an action plays, NO_CARD if none."""
    return int(faces.action_kind[action])


@njit
def colour_left(faces: Faces, action: int) -> int:
    """Active colour that an action leads to, −1 if it leaves it alone, or the next player names it."""
    return int(faces.action_colour[action])


@njit
def kinds_each(faces: Faces) -> int:
    """The number of kinds of each colour; those of a colour lie side by side, in the order of the colours."""
    return sizes_of(faces).coloured // sizes_of(faces).colours


@njit
def is_wild(faces: Faces, kind: int) -> bool:
    """Return whether the kind has no colour of its own."""
    return kind >= sizes_of(faces).coloured


@njit
def is_coloured(faces: Faces, kind: int) -> bool:
    """Return whether the kind is a card with a colour of its own."""
    return 0 <= kind < sizes_of(faces).coloured


@njit
def is_wild_draw(faces: Faces, kind: int) -> bool:
    """Return whether the kind is a wild that makes the next player draw, such as the Wild Draw Four."""
    return is_wild(faces, kind) and faces.kind_demands[kind] > 0


@njit
def is_draw(faces: Faces, kind: int) -> bool:
    """Return whether the kind is a coloured card that makes the next player draw, such as a Draw Two."""
    return is_coloured(faces, kind) and faces.kind_demands[kind] > 0
