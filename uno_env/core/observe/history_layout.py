"""Columns of a past event in the history option's rows; history.py writes them.

An event is one row of small unsigned integers, a token: each column is a number below its ``values``, so that a policy
can look each of them up in a table of embeddings. Seats are relative to the observer, as in layout.py.
"""

from collections import namedtuple
from functools import cache
from typing import Any, NamedTuple

from uno_env.actions import catalogue
from uno_env.core.observe.layout import side_by_side
from uno_env.core.record import MAX_SEATS, phases_of
from uno_env.editions.classic import CLASSIC
from uno_env.editions.edition import Edition

HISTORY_VERSION = 2
"""Raised whenever a column changes its meaning.

Since 2 the others are not told of a penalty accepted, or a drawn card kept, by a player who might have done otherwise.
"""


class EventColumns(NamedTuple):
    """A labelled run of columns of an event."""

    name: str
    start: int
    width: int
    values: int
    """The number of values that each column can have: 0 to ``values`` − 1."""
    meaning: str

    @property
    def columns(self) -> slice:
        """The run's columns, as a slice of the last axis of a history."""
        return slice(self.start, self.start + self.width)


def _columns(edition: Edition) -> tuple[tuple[str, int, int, str], ...]:
    """Name, width, number of values and meaning of each run of columns."""
    phases = phases_of(edition)
    decided = phases if phases[-1] != "over" else phases[:-1]
    kinds = len(edition.kinds)
    dark = f", {kinds} more if the dark side counts then" if edition.sides > 1 else ""
    return (
        (
            "seat",
            1,
            1 + MAX_SEATS,
            "1 + relative seat of who decided (of the dealer, for a deal); 0: no event in this row",
        ),
        ("turn", 1, 1 + MAX_SEATS, "1 + relative seat of whose turn it was (the dealer's, for a deal)"),
        ("phase", 1, 1 + len(decided), f"what was being decided: 0 a deal, then 1 + {', '.join(decided)}"),
        ("action", 1, 1 + catalogue(edition).first.number, "1 + id of the action; 0 for a deal"),
        ("legal", 1, 2, "0 for an illegal action, which was punished"),
        ("top", 1, 1 + edition.sides * kinds, f"1 + kind of the top card afterwards{dark}"),
        ("colour", 1, 1 + len(edition.colours), "1 + active colour afterwards; 0 if none is declared"),
        ("laid_at_once", 1, 2, "1 if the card drawn was laid without a decision, as in RLCard's game"),
        (
            "taken",
            MAX_SEATS,
            1 + edition.most_cards,
            "by seat: cards drawn because of it, for a deal beyond those dealt; 0 if hands changed owners",
        ),
        ("hand_sizes", MAX_SEATS, 1 + edition.most_cards, "by seat: cards held afterwards"),
    )


@cache
def history_layout_of(edition: Edition) -> dict[str, EventColumns]:
    """The columns of an event by name. All editions have the same; what differs is how many values they can have."""
    return side_by_side(EventColumns, _columns(edition))


HISTORY_LAYOUT = history_layout_of(CLASSIC)
_Starts = namedtuple("_Starts", HISTORY_LAYOUT)  # type: ignore[misc]
START: Any = _Starts(*(columns.start for columns in HISTORY_LAYOUT.values()))
"""First column of each fact by its name, also for compiled code: ``START.seat``."""
EVENT_SIZE = sum(columns.width for columns in HISTORY_LAYOUT.values())
