"""The server's addresses: pages, cards, tables and their sockets (Starlette): :func:`make_app`."""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket

from agents.human.table.table import RefusedError
from agents.human.table.table_config import rules_of
from agents.human.web.lobby import Lobby
from agents.human.web.messages import BadMessageError, parse_message, request_fields
from agents.human.web.origin_guard import HostNames, OriginGuard
from agents.human.web.session import MOST_CONNECTIONS, Connection, Session
from uno_env.cards import CARD_TEXTS
from uno_env.render.card_art import BACK, BLANK
from uno_env.render.svg import card_svg

PAGES = Path(__file__).parent / "pages"
LONGEST_BODY = 32_768
"""Bytes of a request."""
HELLO_SECONDS = 10.0
"""In which a socket has to say whose it is."""

NOT_YOURS = 4403
NO_TABLE = 4404
"""Codes with which a socket is closed for good."""

_CARDS = {text.replace("+", "_"): text for text in (*CARD_TEXTS, BACK, BLANK)}
"""Cards by their names in addresses."""

Endpoint = Callable[[Request], Awaitable[Response]]


def make_app(lobby: Lobby, hosts: HostNames) -> Starlette:
    """The application.

    Args:
        lobby: its tables.
        hosts: names under which it may be asked for.
    """
    routes = [
        Route("/", _page("index.html")),
        Route("/table/{table}", _page("table.html")),
        Route("/api/form", _form),
        Route("/api/rules", _check_rules, methods=["POST"]),
        Route("/api/tables", _open_table, methods=["POST"]),
        Route("/api/tables/{table}/seats", _sit, methods=["POST"]),
        Route("/api/tables/{table}/replay", _replay),
        WebSocketRoute("/api/tables/{table}/socket", _socket),
        Route("/cards/{card}.svg", _card),
        Mount("/pages", StaticFiles(directory=PAGES)),
    ]
    app = Starlette(
        routes=routes,
        middleware=[Middleware(OriginGuard, hosts=hosts)],
        exception_handlers=dict.fromkeys((HTTPException, ValueError, OSError), _refuse),
    )
    app.state.lobby = lobby
    return app


def _page(name: str) -> Endpoint:
    async def page(request: Request) -> Response:
        return FileResponse(PAGES / name)

    return page


async def _card(request: Request) -> Response:
    name = request.path_params["card"]
    if name not in _CARDS:
        return Response("there is no such card", 404)
    return Response(card_svg(_CARDS[name]), media_type="image/svg+xml", headers={"cache-control": "max-age=3600"})


async def _refuse(request: Request, error: Exception) -> Response:
    """Mistakes of who asked, as one sentence."""
    if isinstance(error, HTTPException):
        return JSONResponse({"error": error.detail}, error.status_code)
    return JSONResponse({"error": " ".join(str(error).split())}, 400)


async def _form(request: Request) -> Response:
    return JSONResponse(_lobby_of_host(request).form())


async def _check_rules(request: Request) -> Response:
    _lobby_of_host(request)
    rules_of(**request_fields("rules", await _body(request)))
    return JSONResponse({"ok": True})


async def _open_table(request: Request) -> Response:
    lobby = _lobby_of_host(request)
    table, token = await lobby.open_table(await _body(request))
    return JSONResponse({"table": table, "token": token})


async def _sit(request: Request) -> Response:
    session = _session(request)
    seat = session.table.sit(**request_fields("sit", await _body(request)), now=time.monotonic())
    session.changed()
    return JSONResponse({"token": seat.token})


async def _replay(request: Request) -> Response:
    session = _session(request)
    if session.table.seat_of(_bearer(request)) is None:
        raise HTTPException(403, "only who sits at the table may save its game")
    return JSONResponse(json.loads(session.table.replay()))


async def _socket(socket: WebSocket) -> None:
    await socket.accept()
    session = socket.app.state.lobby.sessions.get(socket.path_params["table"])
    if session is None:
        await socket.close(NO_TABLE, "there is no such table (any more)")
        return
    connection = await _greeted(socket, session)
    if connection is None:
        await socket.close(NOT_YOURS, "this seat is not yours, or the table is full")
        return
    await session.serve(socket, connection)


async def _greeted(socket: WebSocket, session: Session) -> Connection | None:
    """The connection that a socket's first message says it is."""
    try:
        received = await asyncio.wait_for(socket.receive(), HELLO_SECONDS)
        message = parse_message(received.get("text"))
    except (TimeoutError, BadMessageError):
        return None
    if len(session.connections) >= MOST_CONNECTIONS:
        return None
    if message["type"] == "watch":
        return Connection(None)
    seat = session.table.seat_of(message["token"]) if message["type"] == "hello" else None
    return None if seat is None else Connection(seat)


def _lobby_of_host(request: Request) -> Lobby:
    lobby: Lobby = request.app.state.lobby
    if not lobby.is_key(_bearer(request)):
        raise HTTPException(403, "open the address that uno play --web has printed: it holds the key to set up tables")
    return lobby


def _session(request: Request) -> Session:
    session: Session | None = request.app.state.lobby.sessions.get(request.path_params["table"])
    if session is None:
        raise HTTPException(404, "there is no such table (any more)")
    return session


def _bearer(request: Request) -> str:
    return request.headers.get("authorization", "").removeprefix("Bearer ")


async def _body(request: Request) -> dict[str, Any]:
    """The JSON object of a request.

    Raises:
        ValueError: it is none, or too long.
    """
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > LONGEST_BODY:
            raise HTTPException(413, f"a request has at most {LONGEST_BODY} bytes")
    try:
        values = json.loads(body)
    except (ValueError, RecursionError):
        raise RefusedError("this is not JSON") from None
    if not isinstance(values, dict):
        raise RefusedError("this is not a JSON object")
    return values
