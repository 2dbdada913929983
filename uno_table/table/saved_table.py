"""A table as plain values, for a file, and back: :func:`saved_table`, :func:`read_table`, :func:`restore`."""

import json
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from typing import Annotated, Any, Literal

from msgspec import Meta

from uno_env.common.validation import convert
from uno_env.game import Game
from uno_table.table.series import Mark, Series, Standing
from uno_table.table.table import Table
from uno_table.table.table_config import Setup, clean_name, load_agents

FORMAT = "uno-table"
VERSION = 1

_Secret = Annotated[str, Meta(pattern=r"^[A-Za-z0-9_-]{16,64}\Z")]
_Count = Annotated[int, Meta(ge=0, le=2**53 - 1)]


@dataclass(frozen=True)
class SavedSeat:
    """A person's seat: as long as nobody has come, it has an invitation, then the token of who sits there."""

    seat: Annotated[int, Meta(ge=0, le=9)]
    name: str
    invitation: _Secret | None
    token: _Secret | None


@dataclass(frozen=True)
class SavedTable:
    """A table between two moments. Its people can still take back what they could take back before."""

    format: Literal["uno-table"]
    version: Literal[1]
    setup: dict[str, Any]
    """The fields of :class:`Setup`, without the rules: those are the game's."""
    people: tuple[SavedSeat, ...]
    epoch: _Count
    number: _Count
    """Games before this one."""
    standing: Standing
    """The games and points won before this game."""
    paused: bool
    """True if people look at the hand that has ended."""
    game: dict[str, Any]
    """See :meth:`uno_env.Game.to_json`."""


def saved_table(table: Table) -> dict[str, Any]:
    """A table as plain values for JSON. They hold all cards and the secrets of all seats."""
    setup = asdict(table.setup)
    del setup["rules"]
    people = [SavedSeat(each.number, each.name, each.invitation, each.token) for each in table.people]
    series = table.series
    return {
        "format": FORMAT,
        "version": VERSION,
        "setup": setup,
        "people": [asdict(each) for each in people],
        "epoch": table.epoch,
        "number": series.number,
        "standing": asdict(series.standing_at_deal),
        "paused": series.pausing,
        "game": json.loads(table.game.to_json()),
    }


class CheckedTable:
    """A saved table all of whose values fit together. Raises ValueError if they do not."""

    def __init__(self, saved: SavedTable) -> None:
        self.saved = saved
        self.game = Game.from_json(json.dumps(saved.game))
        self.setup = convert({**saved.setup, "rules": self.game.rules}, Setup)
        if self.game.match != self.setup.match:
            raise ValueError("the saved game is a match where the table plays none, or the other way round")
        players = self.game.players
        counts = (saved.standing.won, saved.standing.points, saved.standing.matches)
        if any(len(each) != players or min(each) < 0 for each in counts) or saved.standing.hands < 0:
            raise ValueError(f"the saved standing is not that of {players} players")
        self._check_people()
        self.series()

    def _check_people(self) -> None:
        people = [number for number, spec in enumerate(self.setup.seats) if spec is None]
        if [each.seat for each in self.saved.people] != people:
            raise ValueError(f"the saved people do not sit where people sit: {people}")
        for each in self.saved.people:
            clean_name(each.name)
            if (each.token is None) == (each.invitation is None):
                raise ValueError(f"seat {each.seat} needs either an invitation or a token")

    def series(self) -> tuple[Series, list[Mark]]:
        """The series as it was saved, and what can be taken back in it."""
        saved, setup = self.saved, self.setup
        return Series.resumed(self.game, setup.seed, saved.number, saved.standing, saved.paused, setup.secret)


def read_table(values: Any) -> CheckedTable:
    """A saved table of plain values, which anybody may have written. Raises ValueError if it is impossible."""
    if not isinstance(values, Mapping) or values.get("format") != FORMAT:
        raise ValueError(f"this is no saved table: it lacks format={FORMAT!r}")
    if values.get("version") != VERSION:
        raise ValueError(f"the table has version {values.get('version')!r}, and this program reads {VERSION}")
    return CheckedTable(convert(values, SavedTable, strict=True))


def restore(checked: CheckedTable, trusted: Collection[str] = ()) -> Table:
    """The table as it was, with its agents loaded anew.

    Code of users is loaded only if the spec that names it is ``trusted``. Raises ValueError if an agent cannot be
    loaded, or does not play by these rules.
    """
    saved, table = checked.saved, Table(checked.setup, load_agents(checked.setup, trusted))
    for each in saved.people:
        seat = table.seats[each.seat]
        seat.name, seat.invitation, seat.token = clean_name(each.name), each.invitation, each.token
    table.resume(*checked.series(), epoch=saved.epoch + 1)
    return table
