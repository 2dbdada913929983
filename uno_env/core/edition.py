"""The edition of a rules record in compiled code: its sizes and the ids of its actions, as constants.

The type of the record says which edition it is (record.py), so both cost nothing when compiled code runs.
"""

from typing import NamedTuple

from uno_env.actions import FirstActions, catalogue
from uno_env.core.jit.records import constants_of
from uno_env.core.record import edition_marked


class Sizes(NamedTuple):
    """How much there is of what in an edition."""

    kinds: int
    coloured: int
    """Coloured kinds, which come before the wilds."""
    colours: int
    symbols: int
    pairs: int
    """Actions that lay two cards."""
    most_cards: int
    """Cards that the draw pile has room for."""


def _sizes(mark: str) -> Sizes:
    edition = edition_marked(mark)
    kinds, colours, symbols = len(edition.kinds), len(edition.colours), len(edition.symbols)
    return Sizes(kinds, edition.coloured, colours, symbols, len(edition.pairs), edition.most_cards)


def _actions(mark: str) -> FirstActions:
    return catalogue(edition_marked(mark)).first


sizes_of = constants_of(_sizes)
"""``sizes_of(rules)``: the :class:`Sizes` of the edition."""
actions_of = constants_of(_actions)
"""``actions_of(rules)``: the :class:`uno_env.actions.FirstActions` of the edition."""
