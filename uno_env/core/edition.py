"""The edition of a rules record in compiled code: its sizes and the ids of its actions, as constants.

The type of the record says which edition it is (record.py), so both cost nothing when compiled code runs.
"""

from functools import cache
from typing import NamedTuple

import numpy as np

from uno_env.actions import FirstActions, catalogue
from uno_env.core.arrays import Array
from uno_env.core.jit.records import constants_of, known_record
from uno_env.core.record import card_tables, edition_marked, phases_of, records_of


class Sizes(NamedTuple):
    """The sizes of an edition: its numbers of kinds, colours, phases and so on."""

    kinds: int
    coloured: int
    """Kinds below it can be coloured. With one side these are the coloured ones, with two all."""
    first_wild: int
    """Kinds from it on can be wilds. With one side these are the wilds, with two all."""
    colours: int
    symbols: int
    phases: int
    pairs: int
    """Actions that lay two cards."""
    draw_kinds: int
    """Kinds that may demand cards."""
    most_cards: int
    """Cards that the draw pile has room for."""
    undeclared: int
    """Wilds without a declared colour, which come last."""
    mercy: int
    """1 if players can be put out (mercy.py), otherwise 0."""
    moves_first: int
    """1 if direction and hands move before the race for a missing call (playing.py), otherwise 0."""
    penalties: int
    """The number of different penalties of coloured cards."""
    discards_all: int
    """1 if there is a Discard All (discard_all.py), otherwise 0."""
    sides: int
    """The number of sides that cards have."""
    designs: int
    """With two sides: the most different faces that a side has; otherwise 0."""
    draws_colour: int
    """1 if there is a Wild Draw Colour (draw_colour.py), otherwise 0."""


@cache
def _sizes(mark: str) -> Sizes:
    edition = edition_marked(mark)
    kinds, colours, symbols = len(edition.kinds), len(edition.colours), len(edition.symbols)
    undeclared = sum(not face.declared for face in edition.kinds)
    discards_all = any(face.effect == "discard_all" for face in edition.kinds)
    return Sizes(
        kinds,
        edition.coloured,
        edition.first_wild,
        colours,
        symbols,
        len(phases_of(edition)),
        len(edition.pairs),
        len(edition.draw_kinds),
        edition.most_cards,
        undeclared,
        int(edition.mercy),
        int(edition.moves_first),
        len(edition.penalties),
        int(discards_all),
        edition.sides,
        max(map(len, edition.designs)) if edition.sides > 1 else 0,
        int(any(face.effect == "draw_colour" for face in edition.faces)),
    )


@cache
def _actions(mark: str) -> FirstActions:
    return catalogue(edition_marked(mark)).first


@cache
def _tables(mark: str) -> Array:
    edition = edition_marked(mark)
    record = np.zeros(1, records_of(edition).rules)
    for name, values in card_tables(edition).items():
        record[name] = values
    return record


sizes_of = constants_of(_sizes)
"""``sizes_of(rules)``: the :class:`Sizes` of the edition."""
actions_of = constants_of(_actions)
"""``actions_of(rules)``: the :class:`uno_env.actions.FirstActions` of the edition."""
tables_of = known_record(_tables)
"""``tables_of(rules)``: a rules record with the same tables, which are constants of compiled code, and no rules."""
