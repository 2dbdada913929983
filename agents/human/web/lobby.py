"""The tables of a server, and the key that sets up new ones: :class:`Lobby`."""

import asyncio
import secrets
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import agents
from agents.human.table.rules_form import rules_form
from agents.human.table.table import RefusedError, Table
from agents.human.table.table_config import Setup
from agents.human.web.session import Session

MOST_TABLES = 20
POLICIES = "runs/*/policy.safetensors"
"""Where saved policies are looked for, under the folder that the server was started in."""


class Lobby:
    """All tables.

    Args:
        defaults: what the form for a new table begins with: ``agents``, ``rules``, ``seed``.
    """

    def __init__(self, defaults: Mapping[str, Any]) -> None:
        self.defaults = dict(defaults)
        self.key = secrets.token_urlsafe(16)
        """Who knows it may set up tables: whoever sees what the server prints."""
        self.sessions: dict[str, Session] = {}

    def is_key(self, key: str) -> bool:
        """Whether it is the key."""
        return secrets.compare_digest(key.encode(), self.key.encode())

    def form(self) -> dict[str, Any]:
        """What the form for a new table offers; plain values for JSON."""
        saved = sorted(str(path) for path in Path().glob(POLICIES))
        return {**rules_form(), "agents": [*agents.names(), *saved], "defaults": self.defaults}

    async def open_table(self, values: Mapping[str, Any]) -> tuple[str, str]:
        """Set up a table, and seat the person who did.

        Args:
            values: the person's ``name``, and the fields of :class:`Setup`; without a ``seed``, another one each time.

        Returns:
            The table's id, and the token of the person's seat.

        Raises:
            ValueError: a value is not allowed, an agent cannot be loaded, or there is no room.
        """
        fields = {"seed": secrets.randbelow(2**32), **values}
        name = fields.pop("name", "You")
        setup = Setup.from_values(fields)
        table = await asyncio.to_thread(Table, setup)
        seat = table.sit(table.seats[0].invitation, name, time.monotonic())
        self._close_the_longest_empty()
        table_id = secrets.token_urlsafe(9)
        self.sessions[table_id] = Session(table)
        assert seat.token is not None
        return table_id, seat.token

    def _close_the_longest_empty(self) -> None:
        """Close the table that has been empty the longest, if there are as many as may be."""
        if len(self.sessions) < MOST_TABLES:
            return
        empty = [table_id for table_id, session in self.sessions.items() if not session.connections]
        if not empty:
            raise RefusedError(f"all {MOST_TABLES} tables are in use: wait until one is free")
        oldest = min(empty, key=lambda table_id: self.sessions[table_id].empty_since)
        self.sessions.pop(oldest).close()
