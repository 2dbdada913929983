"""The edition of a rules record in compiled code: its sizes and the ids of its actions, as constants.

The type of the record says which edition it is (record.py), so both cost nothing when compiled code runs.
"""

from typing import NamedTuple

from uno_env.actions import FirstActions, catalogue
from uno_env.core.jit.records import constants_of
from uno_env.core.record import edition_marked, phases_of


class Sizes(NamedTuple):
    """The sizes of an edition: its numbers of kinds, colours, phases and so on."""

    kinds: int
    coloured: int
    """Coloured kinds, which come before the wilds."""
    colours: int
    symbols: int
    phases: int
    pairs: int
    """Actions that lay two cards."""
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


def _sizes(mark: str) -> Sizes:
    edition = edition_marked(mark)
    kinds, colours, symbols = len(edition.kinds), len(edition.colours), len(edition.symbols)
    undeclared = sum(not face.declared for face in edition.kinds)
    discards_all = any(face.effect == "discard_all" for face in edition.kinds)
    return Sizes(
        kinds,
        edition.coloured,
        colours,
        symbols,
        len(phases_of(edition)),
        len(edition.pairs),
        edition.most_cards,
        undeclared,
        int(edition.mercy),
        int(edition.moves_first),
        len(edition.penalties),
        int(discards_all),
    )


def _actions(mark: str) -> FirstActions:
    return catalogue(edition_marked(mark)).first


sizes_of = constants_of(_sizes)
"""``sizes_of(rules)``: the :class:`Sizes` of the edition."""
actions_of = constants_of(_actions)
"""``actions_of(rules)``: the :class:`uno_env.actions.FirstActions` of the edition."""
