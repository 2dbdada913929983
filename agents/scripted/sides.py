"""Cards with two sides, for strategies that know cards with one: the side in force as an edition of its own.

Seen from one side, the game looks like one of an edition in which cards that show the same face are alike:
:func:`editions_seen`. An observation and a mask are written in the columns and actions of that edition, and the action
that a strategy chooses there is the first card that does it (:func:`agents.scripted.dispatch.by_side`). What is lost is
what only the other side tells, so no strategy chooses between two cards with the same face, or looks at backs.
"""

from functools import cache

import numpy as np

from uno_env.actions import catalogue
from uno_env.core.arrays import Ints
from uno_env.core.observe.layout import OF_KINDS, layout_of, rule_columns_of, starts_of
from uno_env.editions.edition import NO_COLOUR, Edition

NOT_SEEN = -1
"""The action that an action of the other side looks like."""
_OF_SYMBOLS = ("drawn_symbol", "symbol")


@cache
def editions_seen(edition: Edition) -> tuple[Edition, ...]:
    """The editions that the sides of an edition's cards look like: itself, if its cards have one side.

    With two sides they have a kind for each face, as often as cards show it.
    """
    if edition.sides == 1:
        return (edition,)
    return _edition_seen(edition, 0), _edition_seen(edition, 1)


def _edition_seen(edition: Edition, side: int) -> Edition:
    kinds = edition.different_faces(side)
    texts = [face.text for face in edition.faces_on(side)]
    return Edition(
        name=f"{edition.name}_{side}_{edition.digest[:8]}",  # another one whenever the other side is another one
        colours=edition.colours_on(side),
        letters=edition.letters_on(side),
        kinds=kinds,
        decks={edition.name: tuple(texts.count(face.text) for face in kinds)},
        most_cards=edition.most_cards,
        challenged=edition.challenged,
        mercy=edition.mercy,
        moves_first=edition.moves_first,
    )


def columns_seen(whole: Edition, side: int) -> Ints:
    """The column of the side that each column of an edition's observations is added to, int64 [columns]; those of which
    nothing is seen go to a column after the last one. With one side there are none.
    """
    if whole.sides == 1:
        return np.zeros(0, np.int64)
    edition = editions_seen(whole)[side]
    kinds, symbols = [edition.kind_of[face.text] for face in whole.faces_on(side)], edition.symbols
    seen, given = layout_of(edition), layout_of(whole)
    found = np.full(starts_of(whole).end, starts_of(edition).end)
    for name, section in seen.items():
        first = given[name].start
        if name in OF_KINDS:
            for block in range(section.width // len(edition.kinds)):
                own = first + block * len(whole.kinds)
                found[own : own + len(kinds)] = section.start + block * len(edition.kinds) + np.array(kinds)
        elif name in _OF_SYMBOLS:
            found[[first + whole.symbols.index(symbol) for symbol in symbols]] = section.start + np.arange(len(symbols))
        elif name != "rules":
            found[first : first + section.width] = section.start + np.arange(section.width)
    places = rule_columns_of(whole)
    for name, column in rule_columns_of(edition).items():
        found[places[name]] = column
        if name == "target":
            found[places[name] + 1] = column + 1
    return found


def actions_seen(whole: Edition, side: int) -> Ints:
    """The action of the side that each action of an edition looks like, or NOT_SEEN, int64 [actions]. With one side
    there are none.
    """
    if whole.sides == 1:
        return np.zeros(0, np.int64)
    edition = editions_seen(whole)[side]
    of, seen = catalogue(whole), catalogue(edition)
    faces, letters = whole.faces_on(side), edition.letters
    found = []
    for action, text in enumerate(of.texts):
        card, _, colour = text.partition(":")
        if action < of.first.draw:
            face = faces[of.kinds[action]]
            wild = bool(colour)
            fits = wild == (face.colour == NO_COLOUR) and (not wild or colour in letters)
            found.append(seen.id_of[f"{face.text}:{colour}" if wild else face.text] if fits else NOT_SEEN)
        else:
            found.append(seen.id_of.get(f"{card}:{colour}" if colour else card, NOT_SEEN))
    return np.array(found)
