"""The sockets of tables, from the first word on: :func:`talk`."""

import asyncio
import contextlib
import logging
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from uno_table.web.background import ClosingError
from uno_table.web.lobby import Lobby
from uno_table.web.messages import BadMessageError, parse_message
from uno_table.web.session import Connection

HELLO_SECONDS = 5.0
"""In which a socket has to say whose it is."""
MOST_STRANGERS = 100
"""Sockets that have not said yet whose they are."""
SPARED_SECONDS = 1.0
"""As long as a socket is open, it does not lose its place to another stranger: its page is just saying hello."""

TRY_AGAIN = 1013
"""Code with which a socket is closed that may come again, as pages do by themselves."""
NOT_YOURS = 4403
NO_TABLE = 4404
NOT_OPENED = 4405
"""Codes with which a socket is closed for good. Pages say why in the reader's language; a reason is for programs."""

_log = logging.getLogger(__name__)


async def talk(socket: WebSocket) -> None:
    """Talk with a socket until it closes; close it if it may not talk here."""
    with contextlib.suppress(WebSocketDisconnect, ClosingError):
        await socket.accept()
        refusal = await _serve(socket)
        if refusal is not None and socket.client_state is WebSocketState.CONNECTED:
            await socket.close(*refusal)


async def _serve(socket: WebSocket) -> tuple[int, str] | None:
    """Talk with a socket until it closes. If it may not talk here, returns code and reason."""
    lobby: Lobby = socket.app.state.lobby
    table_id = socket.path_params["table"]
    if not lobby.knows(table_id):
        return NO_TABLE, "there is no such table (any more)"
    hello = await _hello(socket)
    if hello is None:
        return TRY_AGAIN, "nobody has said in time whose this is"
    if hello["type"] != "hello":
        return NOT_YOURS, "nobody has said whose this is"
    try:
        session = await lobby.session(table_id)
    except ValueError as error:
        _log.warning("%s", error)
        # The reason of a closed socket has room for 123 bytes.
        return NOT_OPENED, " ".join(str(error).split()).encode()[:120].decode(errors="ignore")
    if session is None:
        return NO_TABLE, "there is no such table (any more)"
    seat = session.table.seat_of(hello["token"])
    if seat is None:
        return NOT_YOURS, "this seat is not yours"
    await session.serve(socket, Connection(seat))
    return None


async def _hello(socket: WebSocket) -> dict[str, Any] | None:
    """A socket's first message, which is to say whose the socket is. None: it has not come in time, or there is no room
    for one more stranger.
    """
    strangers: list[asyncio.Timeout] = socket.app.state.strangers
    if not _has_room(strangers):
        return None
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(HELLO_SECONDS) as patience:
            strangers.append(patience)
            try:
                return parse_message((await socket.receive()).get("text"))
            except BadMessageError:
                return {"type": "nonsense"}
            finally:
                if patience in strangers:
                    strangers.remove(patience)
    return None


def _has_room(strangers: list[asyncio.Timeout]) -> bool:
    """Return whether one more stranger may wait. If there are too many, the oldest loses its place, unless spared."""
    if len(strangers) < MOST_STRANGERS:
        return True
    deadline = strangers[0].when()
    if deadline is None or deadline - HELLO_SECONDS + SPARED_SECONDS > asyncio.get_running_loop().time():
        return False
    strangers.pop(0).reschedule(0.0)
    return True
