"""Cards with two sides, for strategies that know cards with one: an observation as that of the side in force.

Seen from one side, the game looks like one of an edition of its own, in which cards that show the same face are alike:
:func:`edition_of_side`. An observation and a mask are written in the columns and actions of that edition, and the
action that a strategy chooses there is the first card that does it: :class:`SideView`. What is lost is what only the
other side tells, so no strategy chooses between two cards with the same face, or looks at backs.
"""

from functools import cache

import numpy as np

from uno_env.actions import catalogue
from uno_env.core.arrays import Bytes, Ints
from uno_env.core.observe.layout import layout_of, rule_columns_of, starts_of
from uno_env.editions.edition import NO_COLOUR, Edition

_OF_KINDS = ("hand", "discards", "known", "deck")
_OF_SYMBOLS = ("drawn_symbol", "symbol")


@cache
def edition_of_side(edition: Edition, side: int) -> Edition:
    """The edition that a side of another's cards looks like: a kind for each face, as often as cards show it."""
    kinds = edition.different_faces(side)
    texts = [face.text for face in edition.faces_on(side)]
    name = f"{edition.name}_{side}"
    return Edition(
        name=name,
        colours=edition.colours_on(side),
        letters=edition.other_letters if side else edition.letters,
        kinds=kinds,
        decks={name: tuple(texts.count(face.text) for face in kinds)},
        most_cards=edition.most_cards,
        challenged=edition.challenged,
        mercy=edition.mercy,
        moves_first=edition.moves_first,
    )


class SideView:
    """What a side of an edition's cards looks like.

    Attributes:
        edition: the edition that it looks like.
    """

    def __init__(self, whole: Edition, side: int) -> None:
        self.edition = edition_of_side(whole, side)
        self._sources = _sources(whole, self.edition, side)
        self._actions = _actions(whole, self.edition, side)

    def rows(self, rows: Bytes) -> Bytes:
        """Observations, uint8 [N, D] in integer form, as of the side."""
        padded = np.pad(rows, ((0, 0), (0, 1)))
        seen: Bytes = padded[:, self._sources].sum(axis=2, dtype=np.uint8)
        return seen

    def masks(self, masks: Bytes) -> Bytes:
        """Masks, [N, A], as of the side."""
        seen = np.zeros((len(masks), catalogue(self.edition).first.number), np.uint8)
        for action in np.flatnonzero(self._actions >= 0):
            seen[:, self._actions[action]] |= masks[:, action] != 0
        return seen

    def actions(self, chosen: Ints, masks: Bytes) -> Ints:
        """The first legal action of each row that looks like the one chosen."""
        fits = (self._actions == chosen[:, None]) & (masks != 0)
        return np.argmax(fits, axis=1)


def _sources(whole: Edition, edition: Edition, side: int) -> Ints:
    """The columns whose sum is in each column of the side, int64 [columns, most]; the last one of all is 0."""
    texts = [face.text for face in whole.faces_on(side)]
    showing = [[kind for kind, text in enumerate(texts) if text == face.text] for face in edition.kinds]
    wanted, given = layout_of(edition), layout_of(whole)
    sources: list[list[int]] = [[] for _ in range(starts_of(edition).end)]
    for name, section in wanted.items():
        first = given[name].start
        for column in range(section.width):
            if name in _OF_KINDS:
                block, kind = divmod(column, len(edition.kinds))
                found = [first + block * len(whole.kinds) + each for each in showing[kind]]
            elif name in _OF_SYMBOLS:
                found = [first + whole.symbols.index(edition.symbols[column])]
            else:
                found = [first + column]
            sources[section.start + column] = found
    places = rule_columns_of(whole)
    for name, column in rule_columns_of(edition).items():
        sources[column] = [places[name]]
        if name == "target":
            sources[column + 1] = [places[name] + 1]
    most = max(map(len, sources))
    return np.array([found + [starts_of(whole).end] * (most - len(found)) for found in sources])


def _actions(whole: Edition, edition: Edition, side: int) -> Ints:
    """The action of the side that each action of the edition looks like, −1 where it is of the other side."""
    of, seen = catalogue(whole), catalogue(edition)
    faces, letters = whole.faces_on(side), edition.letters
    found = []
    for action, text in enumerate(of.texts):
        card, _, colour = text.partition(":")
        if action < of.first.draw:
            face = faces[of.kinds[action]]
            wild = bool(colour)
            fits = wild == (face.colour == NO_COLOUR) and (not wild or colour in letters)
            found.append(seen.id_of[f"{face.text}:{colour}" if wild else face.text] if fits else -1)
        else:
            found.append(seen.id_of.get(f"{card}:{colour}" if colour else card, -1))
    return np.array(found)
