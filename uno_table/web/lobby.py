"""The tables of a server, and the key that sets up new ones: :class:`Lobby`."""

import asyncio
import secrets
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import agents
from agents.policy.policy_file import POLICY_SUFFIX
from uno_env.common.files import reason_of
from uno_env.rules import Rules
from uno_table.hands.own_hands import OwnHands
from uno_table.table.agent_names import about, short_name
from uno_table.table.levels import LEVEL_OF, LEVELS, OTHER_PRESETS, PLAYERS, PRESET, table_values
from uno_table.table.rehearsal import rehearse
from uno_table.table.rules_form import rules_form
from uno_table.table.saved_table import restore
from uno_table.table.sentences import refusal, said_by
from uno_table.table.table import Table
from uno_table.table.table_config import Setup, load_agents, rules_of
from uno_table.web.background import Background
from uno_table.web.game_pages import GamePages
from uno_table.web.jobs import Jobs
from uno_table.web.session import Session
from uno_table.web.storage import TableFolder

_T = TypeVar("_T")

MOST_TABLES = 20
"""Open at the same time; saved ones are opened when somebody comes."""
LOADING_SECONDS = 60.0
"""In which the agents of a table have to be loaded, once what they take is compiled."""
POLICIES = "runs/*/policy.safetensors"
"""The folders of saved policies, under the folder that the server was started in."""


class Lobby:
    """All tables.

    Args:
        defaults: what the form for a new table begins with: ``agents``, ``rules``, ``seed``.
        folder: where tables are saved as they are played; None to forget them when the server ends.
        own_hands: where the hands of a person among agents are kept; None: nowhere.
    """

    def __init__(
        self,
        defaults: Mapping[str, Any],
        folder: TableFolder | None = None,
        own_hands: OwnHands | None = None,
    ) -> None:
        self.own_hands = own_hands
        self.defaults = dict(defaults)
        self.folder = folder
        self.pages = GamePages(None if folder is None else folder.path)
        self.key = secrets.token_urlsafe(16)
        """The key for setting up tables. The server prints it."""
        self.background = Background()
        self.jobs = Jobs(self.background)
        self._ready = threading.Event()
        threading.Thread(target=self._get_ready, name="get ready", daemon=True).start()
        self.sessions: dict[str, Session] = {}
        self._loading: dict[str, asyncio.Task[Session]] = {}

    def _get_ready(self) -> None:
        """Compile what the table of the form takes before people play. This takes long once per installation."""
        try:
            specs = self.defaults["agents"]
            preset, changes = self.defaults.get("preset", "classic"), self.defaults.get("rules", {})
            rehearse(specs, rules_of({"preset": preset, **changes}, len(specs) + 1))
            rehearse([LEVELS["hard"].agent] * (PLAYERS - 1), rules_of({"preset": PRESET}, PLAYERS))
        except ValueError:
            pass  # such a table is refused when somebody sets it up
        finally:
            self._ready.set()

    def is_key(self, key: str) -> bool:
        """Return whether ``key`` is the host's key."""
        return secrets.compare_digest(key.encode(), self.key.encode())

    def form(self) -> dict[str, Any]:
        """The choices in the form for a new table, as plain values for JSON."""
        others = [spec for spec in self._specs() if spec not in LEVEL_OF]
        listed = [{"spec": spec, "name": short_name(spec), "about": about(spec)} for spec in others]
        levels = [
            {
                **level._asdict(),
                "name": name,
                "table": table_values(name),
                "others": {preset: table_values(name, preset) for preset in OTHER_PRESETS},
            }
            for name, level in LEVELS.items()
        ]
        return {**rules_form(), "agents": listed, "levels": levels, "defaults": self.defaults}

    def fitting(self, rules: Rules) -> list[str]:
        """Specs of those agents of the form that play by some rules."""
        # Data plays by the rules of its card alone; code says itself what it plays by.
        return [s for s in self._specs() if not (s.startswith("zoo") or s.endswith(POLICY_SUFFIX)) or _plays(s, rules)]

    def _specs(self) -> list[str]:
        saved = sorted(str(path) for path in Path().glob(POLICIES))
        return [*dict.fromkeys([*LEVEL_OF, *agents.names(), *saved, *self.defaults["agents"]])]

    # --- tables -------------------------------------------------------------------------------------------------------

    async def open_table(self, values: Mapping[str, Any]) -> tuple[str, str]:
        """Set up a table, and give its owner a seat: the table's id, and the token of the person's seat.

        The values are the person's ``name``, and the fields of :class:`Setup`; without a ``seed``, deals are such that
        nobody can foresee them. Raises ValueError if a value is not allowed, an agent cannot be loaded in time, or
        there is no room.
        """
        by_chance = {"seed": secrets.randbelow(2**53), "secret": secrets.token_urlsafe(16)}
        fields = {**values} if "seed" in values else {**values, **by_chance}
        name = fields.pop("name", "You")
        setup = Setup.from_values(fields)
        table = await self._load(partial(self._make_table, setup))
        seat = table.sit(table.seats[0].invitation, name, time.monotonic())
        table_id = secrets.token_urlsafe(9)
        self._add(table_id, table)
        assert seat.token is not None
        return table_id, seat.token

    def knows(self, table_id: str) -> bool:
        """Return whether there is such a table, open or saved."""
        return table_id in self.sessions or (self.folder is not None and table_id in self.folder.ids())

    async def session(self, table_id: str) -> Session | None:
        """A table by its id, or None if there is none. It is loaded if a server before this one saved it. Raises
        ValueError if it was saved and cannot be loaded, or there is no room.
        """
        if table_id in self.sessions or self.folder is None or not self.knows(table_id):
            return self.sessions.get(table_id)
        if table_id not in self._loading:
            task = asyncio.get_running_loop().create_task(self._restore(self.folder, table_id))
            self._loading[table_id] = task
            task.add_done_callback(lambda _: self._loading.pop(table_id))
        return await asyncio.shield(self._loading[table_id])

    async def _restore(self, folder: TableFolder, table_id: str) -> Session:
        try:
            table = await self._load(lambda: restore(folder.read(table_id), self._trusted))
        except (ValueError, OSError) as error:
            why = reason_of(error) if isinstance(error, OSError) else said_by(error)
            raise refusal("saved_table", why=why) from None
        return self._add(table_id, table)

    async def _load(self, work: Callable[[], _T]) -> _T:
        """Return the result of work that loads agents. Raises RefusedError if it takes too long."""

        if not self._ready.is_set():
            await self.background.run(self._ready.wait)
        try:
            return await self.background.run(work, LOADING_SECONDS)
        except TimeoutError:
            raise refusal("loading", seconds=f"{LOADING_SECONDS:g}") from None

    def _add(self, table_id: str, table: Table) -> Session:
        self._close_the_longest_empty()
        table.hand_ended = None if self.own_hands is None else self.own_hands.add
        save = None if self.folder is None else partial(self.folder.write, table_id)
        session = self.sessions[table_id] = Session(table, self.background, save)
        return session

    def _make_table(self, setup: Setup) -> Table:
        """A table. A browser may name as code only what the server was started with."""
        return Table(setup, load_agents(setup, self._trusted))

    @property
    def _trusted(self) -> Sequence[str]:
        specs: Sequence[str] = self.defaults.get("agents", ())
        return specs

    def _close_the_longest_empty(self) -> None:
        """Close the table that has been empty the longest, if there are as many as may be."""
        if len(self.sessions) < MOST_TABLES:
            return
        empty = [table_id for table_id, session in self.sessions.items() if not session.connections]
        if not empty:
            raise refusal("tables_in_use", number=MOST_TABLES)
        oldest = min(empty, key=lambda table_id: self.sessions[table_id].empty_since)
        session = self.sessions.pop(oldest)
        session.close()
        session.save()

    def close(self) -> None:
        """Save the tables that are not saved yet, at the end of the server."""
        for session in self.sessions.values():
            session.save()
        if self.folder is not None:
            self.folder.close()


def _plays(spec: str, rules: Rules) -> bool:
    try:
        agents.load(spec, 0, rules, trusted=False)
    except ValueError:
        return False
    return True
