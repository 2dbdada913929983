"""The levels of opponents that people choose among, from easy to master, and who plays at each: :data:`LEVELS`."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from agents.zoo.shipped import shipped_for
from uno_env.common.phrases import Phrase
from uno_env.rules import Rules
from uno_table.table.sentences import TABLE_SENTENCES

PRESET, PLAYERS = "classic", 4
"""The rules of "Play now". The tests measure that each level beats the one before under these rules."""
OTHER_PRESETS = ("no_mercy", "flip")
"""Other rules that the first page deals by at one click."""


class Level(NamedTuple):
    """Opponents of one strength."""

    title: Phrase
    about: Phrase
    agent: str
    """The spec of the agent that plays for all of them."""
    people: tuple[str, ...]
    """Their names, as many as can sit at a table with a person; each has a face (:mod:`uno_table.web.faces`)."""


def _texts(level: str) -> tuple[Phrase, Phrase]:
    return TABLE_SENTENCES.phrase(f"level.{level}"), TABLE_SENTENCES.phrase(f"level.{level}.about")


LEVELS = {
    "easy": Level(
        *_texts("easy"),
        "random-play?bluff=0",
        ("Pip", "Nell", "Otto", "Dot", "Gus", "Mimi", "Toby", "Lulu", "Finn"),
    ),
    "medium": Level(
        *_texts("medium"),
        "aggressive?bluff=0",
        ("Rex", "Tilda", "Bruno", "Greta", "Max", "Roxy", "Boris", "Wanda", "Axel"),
    ),
    "hard": Level(
        *_texts("hard"),
        "greedy",
        ("Ada", "Iris", "Felix", "Nora", "Hugo", "Elsa", "Leon", "Mara", "Emil"),
    ),
    "master": Level(
        *_texts("master"),
        "zoo",
        ("Sage", "Vega", "Juno", "Orion", "Luna", "Atlas", "Nova", "Lyra", "Rigel"),
    ),
}
"""By name, the weakest first."""

LEVEL_OF = {level.agent: name for name, level in LEVELS.items()}
"""The name of the level that an agent plays at, by the agent's spec."""

FACES = {
    person: (level, place) for level, each in enumerate(LEVELS.values()) for place, person in enumerate(each.people)
}
"""Names of people that have a face: the number of their level, and their place in it."""


def people_of(specs: Sequence[str | None]) -> list[str | None]:
    """The person who plays at each seat: the next of the people of the agent's level; None for an agent of no level,
    and when nobody of the level is left.
    """
    left = {name: iter(level.people) for name, level in LEVELS.items()}
    return [next(left[LEVEL_OF[spec]], None) if spec in LEVEL_OF else None for spec in specs]


def table_values(level: str, preset: str = PRESET) -> dict[str, Any]:
    """The fields of :class:`Setup` for a table at a level, as plain values. By other rules than those of "Play now" the
    level counts for no record, and where no network plays, the best strategy does.
    """
    best = "zoo" if preset == PRESET or shipped_for(Rules.preset(preset, players=PLAYERS)) else "tuned"
    agent = best if LEVELS[level].agent == "zoo" else LEVELS[level].agent
    return {
        "seats": [None, *[agent] * (PLAYERS - 1)],
        "rules": {"preset": preset},
        "match": False,
        "adviser": best,
        "level": level if preset == PRESET else "",
        "cast": True,
    }
