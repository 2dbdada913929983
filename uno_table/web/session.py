"""A table and the browsers at it: :class:`Session` drives the agents and the clock, and keeps screens up to date."""

import asyncio
import contextlib
import logging
import time
from collections import defaultdict, deque
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, NamedTuple

import msgspec
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from agents import Agent
from uno_env.common.phrases import plain_values
from uno_env.render.sentences import sentence
from uno_table.table.question import Hints, Question
from uno_table.table.saved_table import saved_table
from uno_table.table.seat_view import seat_view
from uno_table.table.seats import Seat
from uno_table.table.sentences import RefusedError
from uno_table.table.table import Table
from uno_table.table.view_fields import ClockLeft, TableView
from uno_table.web.allowance import Allowance
from uno_table.web.background import Background, ClosingError
from uno_table.web.messages import BadMessageError, parse_message

MOST_TABS = 4
"""Of one seat; one more takes the place of the oldest."""
MOST_BAD_MESSAGES = 20
"""After which a connection is closed."""
SETTLING_SECONDS = 0.02
"""Changes that follow each other this fast are shown as one."""
SAVING_SECONDS = 0.2
"""Changes that follow each other this fast are saved as one."""

LOOKING_SECONDS = 1.0
"""From one look at hints that are still to come to the next."""

TOO_MANY = 1008
ELSEWHERE = 4409
"""Codes with which a socket is closed: for messages that make no sense; for a seat that is open in more tabs."""

_log = logging.getLogger(__name__)


class SharedView(NamedTuple):
    """The view that all tabs of a seat are sent."""

    view: TableView
    text: str
    """The view as JSON, without its clock."""


class Connection:
    """A browser tab at a table.

    Args:
        seat: whose tab.
    """

    def __init__(self, seat: Seat) -> None:
        self.seat = seat
        self.wants_hints = False
        self.bad_messages = 0
        self.allowance = Allowance()
        self.replaced = False
        self.changed = asyncio.Event()
        self.notices: deque[dict[str, Any]] = deque(maxlen=20)

    def notify(self, text: str) -> None:
        """Say something to this tab alone."""
        self.notices.append({"type": "refused", "text": plain_values(text)})
        self.changed.set()

    def replace(self) -> None:
        """Let this tab go: the seat is open in newer ones."""
        self.replaced = True
        self.changed.set()


class Session:
    """A table, its connections, and the task that lets agents and clock act while people are there.

    Agents think in ``background``. ``write`` saves the table's values, and raises OSError or ValueError if it cannot;
    None: the table is not saved.
    """

    def __init__(
        self,
        table: Table,
        background: Background,
        write: Callable[[dict[str, Any]], None] | None = None,
    ) -> None:
        self.table, self.background, self._write = table, background, write
        self.connections: list[Connection] = []
        self.empty_since = time.monotonic()
        self._wake = asyncio.Event()
        self._unsaved = asyncio.Event()
        self._saved: dict[str, Any] | None = None
        self._views: dict[tuple[int, bool], SharedView] = {}
        """By seat, with hints or without, of the table as it is now."""
        self._asked: set[tuple[Agent, str]] = set()
        """Agents that think, or wait to think, and the tickets that they do it for."""
        self._busy: defaultdict[Agent | None, asyncio.Lock] = defaultdict(asyncio.Lock)
        """For each agent, so that it thinks of one thing at a time."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._start(self._drive())
        if write is not None:
            self._unsaved.set()
            self._start(self._keep_saved(write))

    @property
    def has_people(self) -> bool:
        """True if anybody is connected."""
        return bool(self.connections)

    def close(self) -> None:
        """Stop the table's tasks."""
        for task in self._tasks:
            task.cancel()

    def changed(self) -> None:
        """Something has happened at the table: update every screen, and find the next player."""
        self._wake.set()
        self._unsaved.set()
        self._views.clear()
        for connection in self.connections:
            connection.changed.set()
            if connection.wants_hints:
                question = self.table.hint_question(connection.seat.number, time.monotonic())
                if question is not None:
                    self._ask_once(question, self._ask_for_hints)

    # --- saving -------------------------------------------------------------------------------------------------------

    def save(self) -> None:
        """Save the table if it has changed."""
        values = saved_table(self.table)
        if self._write is not None and values != self._saved:
            self._save(self._write, values)

    def _save(self, write: Callable[[dict[str, Any]], None], values: dict[str, Any]) -> None:
        try:
            write(values)
            self._saved = values
        except (OSError, ValueError) as error:
            _log.warning("a table could not be saved (%s); it goes on", error)

    async def _keep_saved(self, write: Callable[[dict[str, Any]], None]) -> None:
        """Save the table whenever it has changed."""
        while True:
            await self._unsaved.wait()
            self._unsaved.clear()
            values = saved_table(self.table)
            if values != self._saved:
                await self.background.run(partial(self._save, write, values))
            await asyncio.sleep(SAVING_SECONDS)

    # --- connections --------------------------------------------------------------------------------------------------

    def _tabs(self, seat: Seat) -> list[Connection]:
        return [each for each in self.connections if each.seat is seat and not each.replaced]

    async def serve(self, socket: WebSocket, connection: Connection) -> None:
        """Talk with a tab until it goes."""
        if not self.has_people:
            self.table.restart_clock(time.monotonic())
        self.connections.append(connection)
        connection.seat.connections += 1
        for old in self._tabs(connection.seat)[:-MOST_TABS]:
            old.replace()
        self.changed()
        sender = asyncio.create_task(self._send_all(socket, connection))
        try:
            while connection.bad_messages < MOST_BAD_MESSAGES:
                received = await socket.receive()
                if received["type"] == "websocket.disconnect":
                    return
                await asyncio.sleep(connection.allowance.take(time.monotonic()))
                self.receive(connection, received.get("text"))
            if socket.application_state is WebSocketState.CONNECTED:  # or the sender has found it gone
                await socket.close(TOO_MANY, "too many messages that make no sense")
        finally:
            sender.cancel()
            self.connections.remove(connection)
            connection.seat.connections -= 1
            self.empty_since = time.monotonic()
            self.changed()

    def receive(self, connection: Connection, text: object) -> None:
        """Do what a message asks for, or say why not."""
        try:
            message = parse_message(text)
            self._act(connection, message)
        except (BadMessageError, RefusedError) as error:
            connection.bad_messages += isinstance(error, BadMessageError)
            connection.notify(sentence(error.args[0]))

    def _act(self, connection: Connection, message: dict[str, Any]) -> None:
        kind, seat, now = message["type"], connection.seat.number, time.monotonic()
        if kind == "move":
            self.table.move(seat, message["action"], message["ticket"], now)
        elif kind == "go_on":
            self.table.go_on(now)
        elif kind == "undo":
            self.table.undo(now)
        elif kind == "hints":
            connection.wants_hints = message["on"]
        else:
            raise BadMessageError("that was said already")
        self.changed()

    async def _send_all(self, socket: WebSocket, connection: Connection) -> None:
        """Send what is new to a tab, whenever there is something. A slow tab misses steps in between, but not the
        state.
        """
        shown: TableView | None = None
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):  # it has gone; the reader says so
            while True:
                await connection.changed.wait()
                await asyncio.sleep(SETTLING_SECONDS)
                connection.changed.clear()
                if connection.replaced:
                    await socket.close(ELSEWHERE, "the seat is open in other tabs")
                    return
                while connection.notices:
                    await socket.send_json(connection.notices.popleft())
                now, seat = time.monotonic(), connection.seat.number
                if now < (held_until := self.table.held_until(seat)):
                    asyncio.get_running_loop().call_later(held_until - now, connection.changed.set)
                    continue
                view, text = self._view(seat, connection.wants_hints)
                if view["hints"] is not None and self.table.hints_of(seat) is None:  # it may be compiled first
                    del self._views[seat, True]
                    asyncio.get_running_loop().call_later(LOOKING_SECONDS, connection.changed.set)
                if view != shown:
                    shown = view
                    await socket.send_text(f'{text[:-1]},"clock":{_clock_left(view, now)}}}')

    def _view(self, seat: int, wants_hints: bool) -> SharedView:
        """The view of the table that a seat is sent now, made once for all of its tabs."""
        key = seat, wants_hints
        if key not in self._views:
            view = seat_view(self.table, seat, wants_hints)
            message = {"type": "state", **plain_values(view)}
            del message["clock"]
            self._views[key] = SharedView(view, _json(message))
        return self._views[key]

    # --- agents and clock ---------------------------------------------------------------------------------------------

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(_until_closing(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _drive(self) -> None:
        """Let agents decide, and do everything that is due, as long as people are there."""
        while True:
            self._wake.clear()
            wake_at = None
            if self.has_people:
                now = time.monotonic()
                if self.table.tick(now):
                    self.changed()
                for question in self.table.questions(now):
                    self._ask_once(question, self._ask)
                wake_at = self.table.wake_at(now)
            with contextlib.suppress(TimeoutError):
                seconds = None if wake_at is None else max(wake_at - time.monotonic(), 0.0)
                await asyncio.wait_for(self._wake.wait(), seconds)

    def _ask_once(self, question: Question, ask: Callable[[Question], Coroutine[Any, Any, None]]) -> None:
        """Ask an agent, unless it is being asked the same already."""
        asked = question.agent, question.ticket
        if asked not in self._asked:
            self._asked.add(asked)
            self._start(self._ask_in_turn(question, ask))

    async def _ask_in_turn(self, question: Question, ask: Callable[[Question], Coroutine[Any, Any, None]]) -> None:
        try:
            async with self._busy[question.agent]:
                if question.ticket == self.table.ticket(question.seat):
                    await ask(question)
        finally:
            self._asked.discard((question.agent, question.ticket))
            self._wake.set()

    async def _ask(self, question: Question) -> None:
        try:
            action = await self.background.run(question.choose)
        except ClosingError:
            raise
        except Exception:
            _log.exception("the agent %s failed; a quiet move is made for it", question.agent.name)
            action = -1
        if self.table.answer(question, action, time.monotonic()):
            self.changed()

    async def _ask_for_hints(self, question: Question) -> None:
        try:
            hints = await self.background.run(question.hints)
        except ClosingError:
            raise
        except Exception:
            _log.exception("the adviser %s failed", question.agent.name)
            hints = Hints({}, None)
        self.table.take_hints(question, hints)
        self.changed()


async def _until_closing(work: Coroutine[Any, Any, None]) -> None:
    with contextlib.suppress(ClosingError):
        await work


def _clock_left(view: TableView, now: float) -> str:
    """The clock of a view as the browser gets it, as JSON: it says how much time is left."""
    clock: ClockLeft | None = None
    if view["clock"] is not None:
        left = max(view["clock"]["deadline"] - now, 0.0)
        clock = {"left": round(left, 2), "seconds": view["clock"]["seconds"]}
    return _json(clock)


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()
