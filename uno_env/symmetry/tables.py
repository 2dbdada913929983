"""Tables for renaming colours and mirroring seats, made from the layouts of observations, events and actions.

A *form* is one renaming. It is a number, ``mirror * 24 + order``. ``order`` is the index of a permutation of the
colours in :data:`ORDERS`. ``mirror`` is 0 if seats are counted to the left, and the number of players if they are
counted to the right. Form 0 changes nothing.
"""

import itertools
from functools import cache
from typing import NamedTuple

import numpy as np

from uno_env.actions import MAX_SWAP, catalogue
from uno_env.core.arrays import Array
from uno_env.core.observe.history_layout import EVENT_SIZE, HISTORY_LAYOUT
from uno_env.core.observe.layout import OF_KINDS, layout_of, starts_of
from uno_env.core.record import MAX_SEATS
from uno_env.editions.classic import CLASSIC
from uno_env.editions.edition import Edition

SYMMETRY_VERSION = 1
"""Raised whenever the canonical form of an observation changes; saved policies carry it."""

NUM_COLOURS = 4
"""Colours of every edition that has a canonical form."""
PER_COLOUR = CLASSIC.per_colour
"""Kinds of each colour in the first edition."""
ORDERS = tuple(itertools.permutations(range(NUM_COLOURS)))
"""The real colour in each canonical place, for every permutation; the first one is the identity."""
NUM_ORDERS = len(ORDERS)
NUM_FORMS = (MAX_SEATS + 1) * NUM_ORDERS

_OF_COLOURS = ("drawn_colour", "colour", "previous_colour", "drew_on")
_OF_SEATS = ("hand_sizes", "turn", "to_move", "last_player", "dealer", "called", "asked", "drew_on", "out", "scores",
             "reflexes", "known", "backs", "seats")  # fmt: skip
_OF_NEITHER = ("drawn_symbol", "symbol", "draw_pile", "phase", "clockwise", "penalty", "side", "top_card",
               "drawn_card", "lowest_card", "next_back", "last_face", "rules")  # fmt: skip
_OF_OTHERS = ("known", "backs")
"""Those of seats that have no place for the observer, whose own cards are in another section."""
SECTIONS = {*OF_KINDS, *_OF_COLOURS, *_OF_SEATS, *_OF_NEITHER}
"""Every section of an observation, each in the lists of the things that it tells of."""
_EVENT_SEATS = ("seat", "turn")
_EVENT_COUNTS = ("taken", "hand_sizes")

NUM_NAMED = sum(run.width == 1 for run in HISTORY_LAYOUT.values())
"""The number of columns of an event that name something; they come first."""
_MOST_VALUES = 256
"""The tables have an entry for every value of a byte."""


class Coloured(NamedTuple):
    """The colours of some ids."""

    colour: Array
    """int64 [ids]: the colour, −1 where there is none."""
    stride: Array
    """int64 [ids]: how far the id of the same thing in the next colour is."""

    def shifted(self, offset: int) -> "Coloured":
        """The same for ids that begin at ``offset``; those before belong to no colour."""
        return Coloured(np.pad(self.colour, (offset, 0), constant_values=-1), np.pad(self.stride, (offset, 0)))

    def recoloured(self) -> Array:
        """Real id of each canonical one, int64 [NUM_ORDERS, ids]."""
        ids = np.arange(len(self.colour))
        moved = np.array(ORDERS)[:, self.colour] - self.colour
        return np.where(self.colour >= 0, ids + moved * self.stride, ids)

    def by_colour(self) -> Array:
        """The ids of each colour, the same things in the same order, int64 [NUM_COLOURS, K]."""
        return np.array([np.flatnonzero(self.colour == colour) for colour in range(NUM_COLOURS)])

    def labels(self) -> Array:
        """Label of each id for each colour, int16 [NUM_COLOURS, ids]: 0 for other colours, equal for equal things."""
        ids = np.arange(len(self.colour))
        thing = 1 + ids - self.colour * self.stride
        return np.where(self.colour == np.arange(NUM_COLOURS)[:, None], thing, 0).astype(np.int16)


def _coloured(size: int, *runs: tuple[int, int]) -> Coloured:
    """The colours of ``size`` ids. Each run is a first id and a stride: from the first id on, ``stride`` ids belong to
    the first colour, the next ``stride`` ids to the second, and so on for all four; other ids belong to no colour.
    """
    colour, strides = np.full(size, -1), np.zeros(size, np.int64)
    for start, stride in runs:
        colour[start : start + NUM_COLOURS * stride] = np.repeat(np.arange(NUM_COLOURS), stride)
        strides[start : start + NUM_COLOURS * stride] = stride
    return Coloured(colour, strides)


_COLOURS = _coloured(NUM_COLOURS, (0, 1))


def _recolours(edition: Edition) -> bool:
    """Return whether other colours make cards of the same edition. With two sides they make cards that do not exist."""
    return edition.sides == 1


def _of_columns(edition: Edition) -> Coloured:
    if not _recolours(edition):
        return _coloured(starts_of(edition).end)
    kinds, colours = len(edition.kinds), len(edition.colours)
    runs = [(start, edition.per_colour) for name in OF_KINDS for start in _blocks(edition, name, kinds)]
    runs += [(start, 1) for name in _OF_COLOURS for start in _blocks(edition, name, colours)]
    return _coloured(starts_of(edition).end, *runs)


def _blocks(edition: Edition, name: str, width: int) -> range:
    section = layout_of(edition)[name]
    return range(section.start, section.start + section.width, width)


def _of_actions(edition: Edition) -> Coloured:
    at = catalogue(edition).first
    if not _recolours(edition):
        return _coloured(at.number)
    undeclared = sum(not face.declared for face in edition.kinds)
    wilds = range(at.play_wild, at.play_pair - undeclared, NUM_COLOURS)
    pairs = len(edition.pairs) // NUM_COLOURS
    return _coloured(
        at.number, (0, edition.per_colour), *((first, 1) for first in wilds), (at.play_pair, pairs), (at.declare, 1)
    )


def mirrored_seats(players: int) -> Array:
    """Relative seats counted the other way round a table of ``players``; int64 [MAX_SEATS]. 0 stays as it is."""
    seats = np.arange(MAX_SEATS)
    return np.where(seats < players, -seats % max(players, 1), seats)


def _mirrored_columns(edition: Edition, players: int) -> Array:
    columns, seats, layout = np.arange(starts_of(edition).end), mirrored_seats(players), layout_of(edition)
    for name in (name for name in _OF_SEATS if name in layout):
        section, first = layout[name], int(name in _OF_OTHERS)
        of_seats = columns[section.columns].reshape(MAX_SEATS - first, -1)
        columns[section.columns] = of_seats[seats[first:] - first].ravel()
    return columns


def _mirrored_actions(edition: Edition, players: int) -> Array:
    at = catalogue(edition).first
    actions = np.arange(at.number)
    actions[at.swap : at.swap + MAX_SWAP] = at.swap + mirrored_seats(players)[1:] - 1
    return actions


def _forms(mirrored: Array, recoloured: Array) -> Array:
    """The real id of each canonical id, [NUM_FORMS, ids], from the same tables for mirrors and orders."""
    return mirrored[:, recoloured].reshape(NUM_FORMS, -1)


def _unmirrored(size: int) -> Array:
    return np.tile(np.arange(size), (MAX_SEATS + 1, 1))


_MIRRORS = range(MAX_SEATS + 1)
REAL_SEATS = np.repeat([mirrored_seats(n) for n in _MIRRORS], NUM_ORDERS, axis=0)
"""Relative seat of each canonical one, int64 [NUM_FORMS, MAX_SEATS]."""


def _event_columns() -> Array:
    columns = np.tile(np.arange(EVENT_SIZE), (NUM_FORMS, 1))
    for name in _EVENT_COUNTS:
        columns[:, HISTORY_LAYOUT[name].columns] = HISTORY_LAYOUT[name].start + REAL_SEATS
    return columns


def _event_values(real_actions: Array, real_kinds: Array) -> Array:
    colours = _forms(_unmirrored(NUM_COLOURS), _COLOURS.recoloured())
    values = np.tile(np.arange(_MOST_VALUES), (NUM_FORMS, NUM_NAMED, 1))
    for name, real in (("action", real_actions), ("top", real_kinds), ("colour", colours),
                       *((name, REAL_SEATS) for name in _EVENT_SEATS)):  # fmt: skip
        values[:, HISTORY_LAYOUT[name].start, 1 : 1 + real.shape[1]] = 1 + np.argsort(real, axis=1)
    return values.astype(np.uint8)


def _event_labels(actions: Coloured, kinds: Coloured) -> Array:
    labels = np.zeros((NUM_COLOURS, NUM_NAMED, _MOST_VALUES), np.int16)
    for name, things in (("action", actions), ("top", kinds), ("colour", _COLOURS)):
        each = things.shifted(1).labels()
        labels[:, HISTORY_LAYOUT[name].start, : each.shape[1]] = each
    return labels


def _compared_columns(edition: Edition, of_columns: Coloured, real_columns: Array) -> Array:
    deck = layout_of(edition)["deck"]
    columns = of_columns.by_colour()
    columns = columns[:, (columns[0] < deck.start) | (columns[0] >= deck.start + deck.width)]
    return real_columns[::NUM_ORDERS][:, columns].astype(np.int16)


def _order_numbers() -> Array:
    numbers = np.zeros(NUM_COLOURS**NUM_COLOURS, np.int64)
    for number, order in enumerate(ORDERS):
        numbers[sum(colour << 2 * place for place, colour in enumerate(order))] = number
    return numbers


SEATS, CLOCKWISE, DECK, HAND, DISCARDS, COLOUR, KINDS_EACH = range(7)
"""Places in :attr:`Tables.starts`."""


class Tables(NamedTuple):
    """Tables of an edition for compiled code."""

    starts: Array
    """int64 [7]: first columns of the sections seats, clockwise, deck, hand, discards and colour, and how many kinds
    each colour has; 0 if the colours cannot change places."""
    order_numbers: Array
    """int64 [256]: number of the order whose colours are written as 2 bits each, the first one lowest."""
    compared: Array
    """int16 [mirrors, NUM_COLOURS, K]: columns that tell of each colour."""
    labels: Array
    """int16 [NUM_COLOURS, NUM_NAMED, values]: the meaning of values of an event's columns for each colour."""
    colour_actions: Array
    """int64 [NUM_COLOURS, L]: actions of each colour."""
    event_columns: Array
    """int64 [NUM_FORMS, EVENT_SIZE]: column of an event that stands in the place of each canonical one."""
    event_values: Array
    """uint8 [NUM_FORMS, NUM_NAMED, values]: canonical value of each value of a column that names something."""


class EditionForms(NamedTuple):
    """The forms of an edition: what each canonical column, action and kind of card stands for."""

    columns: Array
    """Real column of each canonical column, int64 [NUM_FORMS, D]."""
    actions: Array
    """Catalogue id of each canonical action, int64 [NUM_FORMS, A]."""
    kinds: Array
    """Real kind of card of each canonical one, int64 [NUM_FORMS, kinds]."""
    tables: Tables


@cache
def forms_of(edition: Edition) -> EditionForms:
    """The forms of an edition. Raises ValueError if it has not four colours."""
    if len(edition.colours) != NUM_COLOURS:
        raise ValueError(f"{edition.name} has {len(edition.colours)} colours: a canonical form needs {NUM_COLOURS}")
    of_columns, of_actions = _of_columns(edition), _of_actions(edition)
    kinds_each = edition.per_colour if _recolours(edition) else 0
    of_kinds = _coloured(len(edition.kinds), (0, kinds_each))
    columns = _forms(np.array([_mirrored_columns(edition, n) for n in _MIRRORS]), of_columns.recoloured())
    actions = _forms(np.array([_mirrored_actions(edition, n) for n in _MIRRORS]), of_actions.recoloured())
    kinds = _forms(_unmirrored(len(edition.kinds)), of_kinds.recoloured())
    starts = starts_of(edition)
    first = (starts.seats, starts.clockwise, starts.deck, starts.hand, starts.discards, starts.colour)
    tables = Tables(
        np.array([*first, kinds_each], np.int64),
        _order_numbers(),
        _compared_columns(edition, of_columns, columns),
        _event_labels(of_actions, of_kinds),
        of_actions.by_colour(),
        _event_columns(),
        _event_values(actions, kinds),
    )
    return EditionForms(columns, actions, kinds, tables)
