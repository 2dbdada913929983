"""The editions of the game: their cards as data, one file each, in the form of :mod:`uno_env.editions.edition`.

An edition's file imports nothing of the project but that form. What its cards do is named, and the core does it
(:mod:`uno_env.core.rules`). :data:`EDITIONS` has them by name.
"""

from collections.abc import Sequence

from uno_env.editions.classic import CLASSIC
from uno_env.editions.edition import Edition

EDITIONS: dict[str, Edition] = {CLASSIC.name: CLASSIC}
"""The editions by name, the first one first."""


def edition_of_deck(deck: str | Sequence[int]) -> Edition:
    """The edition that a named deck is of, or a number of cards for each of its kinds. Raises KeyError if there is
    none.
    """
    for edition in EDITIONS.values():
        if deck in edition.decks if isinstance(deck, str) else len(deck) == len(edition.kinds):
            return edition
    raise KeyError(deck)
