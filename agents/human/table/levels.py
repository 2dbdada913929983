"""The opponents of "Play now", from easy to master: :data:`LEVELS`."""

from typing import Any, NamedTuple

PRESET, PLAYERS = "classic", 4
"""The rules of "Play now". The tests measure that each level beats the one before under these rules."""


class Level(NamedTuple):
    """Three opponents of one strength."""

    title: str
    about: str
    agent: str
    """The spec of the agent that plays for all three."""
    people: tuple[str, str, str]
    """Their names; each has a face (:mod:`agents.human.web.faces`)."""


LEVELS = {
    "easy": Level("Easy", "They play any card that fits.", "random-play", ("Pip", "Nell", "Otto")),
    "medium": Level("Medium", "They play cards that hurt others first.", "aggressive", ("Rex", "Tilda", "Bruno")),
    "hard": Level("Hard", "They watch the table and look one card ahead.", "greedy", ("Ada", "Iris", "Felix")),
    "master": Level(
        "Master", "They are a network that taught itself these rules.", "zoo:classic-4p", ("Sage", "Vega", "Juno")
    ),
}
"""By name, the weakest first."""

FACES = {
    person: (level, place) for level, each in enumerate(LEVELS.values()) for place, person in enumerate(each.people)
}
"""Names of people that have a face: the number of their level, and their place in it."""


def table_values(level: str) -> dict[str, Any]:
    """The fields of :class:`Setup` for a table at a level, as plain values."""
    seats = [None, *[LEVELS[level].agent] * (PLAYERS - 1)]
    return {"seats": seats, "rules": {"preset": PRESET}, "match": False, "adviser": "zoo", "level": level}
