"""The editions of the game: their cards as data, one file each, in the form of :mod:`uno_env.editions.edition`.

An edition's file imports nothing of the project but that form. What its cards do is named, and the core does it
(:mod:`uno_env.core.rules`). :data:`EDITIONS` has them by name.
"""

from typing import Protocol

from uno_env.editions.classic import CLASSIC
from uno_env.editions.edition import Edition
from uno_env.editions.flip import FLIP
from uno_env.editions.no_mercy import NO_MERCY

EDITIONS: dict[str, Edition] = {edition.name: edition for edition in (CLASSIC, NO_MERCY, FLIP)}
"""The editions by name, the first one first."""
OTHERS = tuple(name for name in EDITIONS if name != CLASSIC.name)
"""The names of all but the first one, each of them a preset's, too."""


class _Rules(Protocol):
    @property
    def edition(self) -> str: ...

    @property
    def mercy(self) -> int: ...


def edition_for(rules: _Rules) -> Edition:
    """The edition that some :class:`uno_env.Rules` are of, with room for what they need in observations."""
    edition = EDITIONS[rules.edition]
    return edition.with_mercy if rules.mercy else edition
