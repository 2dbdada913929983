"""The server's addresses: pages, cards, tables and their sockets (Starlette): :func:`make_app`."""

import json
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import asdict
from functools import cache, partial
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles

from uno_env.common.files import parse_json
from uno_env.common.phrases import plain_values
from uno_env.render.card_art import UNSEEN, card_texts
from uno_env.render.languages import ENGLISH, STRINGS
from uno_env.render.page import in_all_languages, replay_page, shared_style
from uno_env.render.svg import card_svg
from uno_table.hands.own_hands import OwnHands
from uno_table.hands.review import HandReview, prepare_review
from uno_table.languages import table_languages, texts_of
from uno_table.table.levels import FACES
from uno_table.table.rules_help import rules_help
from uno_table.table.sentences import TABLE_SENTENCES, said_by
from uno_table.table.table_config import rules_of
from uno_table.web.background import ClosingError
from uno_table.web.faces import face_svg
from uno_table.web.game_pages import review_steps
from uno_table.web.lobby import Lobby
from uno_table.web.messages import BadMessageError, request_fields
from uno_table.web.origin_guard import GAME_PAGE_HEADERS, HostNames, OriginGuard
from uno_table.web.session import Session
from uno_table.web.sockets import talk

PAGES = Path(__file__).parent / "pages"
LONGEST_BODY = 32_768
"""Bytes of a request."""
CARDS = {text.replace("+", "_").replace("/", "~").replace(UNSEEN, "unseen"): text for text in card_texts()}
"""Cards by their names in addresses."""

_OWN_HANDS = "own hands"

Endpoint = Callable[[Request], Awaitable[Response]]


def make_app(lobby: Lobby, hosts: HostNames) -> Starlette:
    """The application, which may be asked for under the names in ``hosts``."""
    routes = [
        Route("/", _file(PAGES / "index.html")),
        Route("/hands", _file(PAGES / "hands.html")),
        Route("/table/{table}", _file(PAGES / "table.html")),
        Route("/api/form", _form),
        Route("/api/rules", _check_rules, methods=["POST"]),
        Route("/api/me", _own_hands, methods=["GET", "DELETE"]),
        Route("/api/me/measuring", _measure_own_hands, methods=["POST"]),
        Route("/api/me/hands/{hand}/replay", _replay_own_hand, methods=["POST"]),
        Route("/api/me/hands/{hand}/review", _review_own_hand, methods=["POST"]),
        Route("/api/tables", _open_table, methods=["POST"]),
        Route("/api/tables/{table}/seats", _sit, methods=["POST"]),
        Route("/api/tables/{table}/rules", _rules),
        Route("/api/tables/{table}/replay", _replay),
        Route("/api/tables/{table}/review", _review, methods=["POST"]),
        Route("/api/tables/{table}/share", _share, methods=["POST"]),
        Route("/api/jobs/{job}", _job, methods=["GET", "DELETE"]),
        Route("/games/{page}", _game_page),
        WebSocketRoute("/api/tables/{table}/socket", talk),
        Route("/cards/{card}.svg", _card),
        Route("/faces/{person}.svg", _face),
        Route("/pages/look.css", _shared_style),
        Route("/languages", _languages),
        Route("/languages/{code}", _texts),
        *(Route(f"/pages/strings/{name}", _file(STRINGS / name)) for name in ("translate.js", "phrases.js")),
        Mount("/pages", StaticFiles(directory=PAGES)),
    ]
    app = Starlette(
        routes=routes,
        middleware=[Middleware(OriginGuard, hosts=hosts)],
        exception_handlers=dict.fromkeys((HTTPException, ValueError, OSError, ClosingError), _refuse),
    )
    app.state.lobby, app.state.strangers = lobby, []
    return app


def _file(path: Path) -> Endpoint:
    async def file(request: Request) -> Response:
        return FileResponse(path)

    return file


async def _shared_style(request: Request) -> Response:
    return Response(shared_style(), media_type="text/css")


async def _languages(request: Request) -> Response:
    return JSONResponse([{"code": each.code, "name": each.name, "draft": each.draft} for each in table_languages()])


async def _texts(request: Request) -> Response:
    try:
        return JSONResponse(texts_of(request.path_params["code"]))
    except KeyError:
        return Response("there is no such language", 404)


async def _card(request: Request) -> Response:
    name = request.path_params["card"]
    if name not in CARDS:
        return Response("there is no such card", 404)
    return _drawing(card_svg(CARDS[name]))


async def _face(request: Request) -> Response:
    person = request.path_params["person"]
    return _drawing(face_svg(person)) if person in FACES else Response("there is no such face", 404)


def _drawing(text: str) -> Response:
    return Response(text, media_type="image/svg+xml", headers={"cache-control": "max-age=3600"})


async def _refuse(request: Request, error: Exception) -> Response:
    """Answer a user's mistake with one sentence."""
    if isinstance(error, HTTPException):
        return JSONResponse({"error": plain_values(error.detail)}, error.status_code)
    return JSONResponse({"error": plain_values(said_by(error))}, 400)


def _refusal(status: int, key: str, **arguments: Any) -> HTTPException:
    """The error whose reason is the sentence ``refused.KEY``."""
    return HTTPException(status, TABLE_SENTENCES.phrase(f"refused.{key}", **arguments))


async def _form(request: Request) -> Response:
    return JSONResponse(plain_values(_lobby_of_host(request).form()))


async def _own_hands(request: Request) -> Response:
    """Return the summary of the person's saved hands. DELETE deletes them."""
    lobby = _lobby_of_host(request)
    if lobby.own_hands is None:
        return JSONResponse({"keeps": False})
    if request.method == "DELETE":
        lobby.jobs.forget(_OWN_HANDS)
        return JSONResponse({"deleted": await lobby.background.run(lobby.own_hands.delete)})
    kept = await lobby.background.run(lobby.own_hands.kept)
    return JSONResponse(plain_values({"keeps": True, **asdict(kept)}))


async def _measure_own_hands(request: Request) -> Response:
    """Return the job that measures the hands which are not measured yet."""
    lobby = _lobby_of_host(request)
    if lobby.own_hands is None:
        raise _refusal(404, "keeps_no_hands")
    make = partial(_measuring_steps, lobby.own_hands)
    return JSONResponse({"job": lobby.jobs.start(_OWN_HANDS, make, anew=True)})


def _measuring_steps(own: OwnHands) -> Iterator[dict[str, Any]]:
    """Measure the hands that are not measured yet: ``done`` hands of ``total``."""
    for step in own.measure_kept():
        yield {"done": step.hands_done, "total": step.hands}


async def _replay_own_hand(request: Request) -> Response:
    """Return the page of a hand, all cards open; if its match is not over, with the cards that the person could see."""
    lobby, kept = await _own_hand(request)
    only_hand = None if kept.replay.game.over else kept.hand
    text = await lobby.background.run(
        partial(replay_page, kept.replay, kept.seat, only_hand=only_hand, languages=table_languages())
    )
    return JSONResponse({"page": f"/games/{lobby.pages.add(text)}"})


async def _review_own_hand(request: Request) -> Response:
    lobby, review = await _own_hand(request)
    key = _OWN_HANDS, request.path_params["hand"]
    return JSONResponse({"job": lobby.jobs.start(key, partial(review_steps, review, lobby.pages))})


async def _own_hand(request: Request) -> tuple[Lobby, HandReview]:
    lobby, hand = _lobby_of_host(request), request.path_params["hand"]
    kept = None if lobby.own_hands is None else await lobby.background.run(partial(lobby.own_hands.review, hand))
    if kept is None:
        raise _refusal(404, "hand_gone")
    return lobby, kept


async def _check_rules(request: Request) -> Response:
    lobby = _lobby_of_host(request)
    rules = rules_of(**request_fields("rules", await _body(request)))
    return JSONResponse({"agents": await lobby.background.run(partial(lobby.fitting, rules))})


async def _open_table(request: Request) -> Response:
    lobby = _lobby_of_host(request)
    table, token = await lobby.open_table(await _body(request))
    return JSONResponse({"table": table, "token": token})


async def _sit(request: Request) -> Response:
    session = await _session(request)
    seat = session.table.sit(**request_fields("sit", await _body(request)), now=time.monotonic())
    session.changed()
    return JSONResponse({"token": seat.token})


async def _rules(request: Request) -> Response:
    session = await _session(request)
    if session.table.seat_of(_bearer(request)) is None:
        raise _refusal(403, "not_at_table")
    return JSONResponse(plain_values([line._asdict() for line in rules_help(session.table.setup.rules)]))


async def _replay(request: Request) -> Response:
    session = await _session(request)
    if session.table.seat_of(_bearer(request)) is None:
        raise _refusal(403, "not_at_table")
    return JSONResponse(json.loads(session.table.finished_game().to_json()))


async def _review(request: Request) -> Response:
    session = await _session(request)
    seat = session.table.seat_of(_bearer(request))
    if seat is None:
        raise _refusal(403, "not_at_table")
    lobby, table = request.app.state.lobby, session.table
    review = prepare_review(table, seat.number)
    key = request.path_params["table"], seat.number, table.epoch, review.hand
    return JSONResponse({"job": lobby.jobs.start(key, partial(review_steps, review, lobby.pages))})


async def _job(request: Request) -> Response:
    """Return how far a job is, and let it go on. DELETE pauses it."""
    jobs, job_id = request.app.state.lobby.jobs, request.path_params["job"]
    if request.method == "DELETE":
        jobs.pause(job_id)
        return JSONResponse({})
    state = jobs.state(job_id)
    if state is None:
        raise _refusal(404, "job_gone")
    return JSONResponse(plain_values(state))


async def _share(request: Request) -> Response:
    session, lobby = await _session(request), request.app.state.lobby
    if session.table.seat_of(_bearer(request)) is None:
        raise _refusal(403, "not_at_table")
    replay = session.table.finished_game()
    text = await lobby.background.run(partial(replay_page, replay, languages=table_languages()))
    return JSONResponse({"page": f"/games/{lobby.pages.add(text, shared=True)}"})


async def _game_page(request: Request) -> Response:
    text = request.app.state.lobby.pages.get(request.path_params["page"])
    if text is None:
        return Response(_gone_page(), 404, media_type="text/html", headers=GAME_PAGE_HEADERS)
    return Response(text, media_type="text/html", headers=GAME_PAGE_HEADERS)


@cache
def _gone_page() -> str:
    """The page in place of a game's page that is gone. It is in all languages: within another page, no program runs."""
    text = in_all_languages("refused.page_gone", table_languages())
    head = f'<meta charset="utf-8"><title>UNO</title><style>{shared_style()}</style>'
    return f'<!doctype html>\n<html lang="{ENGLISH}"><head>{head}</head><body><main>\n{text}\n</main></body></html>\n'


def _lobby_of_host(request: Request) -> Lobby:
    lobby: Lobby = request.app.state.lobby
    if not lobby.is_key(_bearer(request)):
        raise _refusal(403, "key", command="uno play --web")
    return lobby


async def _session(request: Request) -> Session:
    session: Session | None = await request.app.state.lobby.session(request.path_params["table"])
    if session is None:
        raise _refusal(404, "no_table")
    return session


def _bearer(request: Request) -> str:
    return request.headers.get("authorization", "").removeprefix("Bearer ")


async def _body(request: Request) -> dict[str, Any]:
    """The JSON object of a request. Raises ValueError if it is none, or too long."""
    lobby: Lobby = request.app.state.lobby
    body = await lobby.background.wait_for(_read_body(request))
    try:
        values = parse_json(body)
    except ValueError:
        raise BadMessageError("this is not JSON") from None
    if not isinstance(values, dict):
        raise BadMessageError("this is not a JSON object")
    return values


async def _read_body(request: Request) -> bytes:
    body = b""
    try:
        async for chunk in request.stream():
            body += chunk
            if len(body) > LONGEST_BODY:
                raise _refusal(413, "too_long", most=LONGEST_BODY)
    except ClientDisconnect:
        raise BadMessageError("the request was cut off") from None
    return body
