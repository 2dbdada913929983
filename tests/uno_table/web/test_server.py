"""The server of the tables: who may talk to it, and that what goes over the wire is what each seat may know."""

import json
import re
import threading
import time

import httpx
import pytest
from starlette.websockets import WebSocketDisconnect
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from tests.helpers.phrases import english
from tests.uno_table.wire import (
    DEFAULTS,
    HOST,
    SETUP,
    Tab,
    bearer,
    client_of,
    invited,
    open_table,
    running,
    session_of,
    socket_at,
    tab,
    ticket_of,
    wait_for,
)
from uno_env import Game
from uno_env.actions import DRAW
from uno_env.cards import card_text
from uno_env.common.phrases import plain_values
from uno_env.core.jit.notice import Notice
from uno_env.render.page import Advice, replay_page
from uno_env.replay import Note, Replay
from uno_table.hands.measuring import ReviewStep, choices_in_hand
from uno_table.languages import table_languages
from uno_table.table import Table
from uno_table.table.seat_view import seat_view
from uno_table.web.app import LONGEST_BODY
from uno_table.web.game_pages import GamePages
from uno_table.web.lobby import MOST_TABLES, Lobby
from uno_table.web.messages import LONGEST_MESSAGE, BadMessageError, parse_message
from uno_table.web.origin_guard import HostNames
from uno_table.web.server import bind
from uno_table.web.session import MOST_BAD_MESSAGES
from uno_table.web.sockets import NO_TABLE, NOT_YOURS
from uno_table.web.storage import TableFolder


@pytest.fixture
def lobby():
    return Lobby(DEFAULTS)


@pytest.fixture
def client(lobby):
    with client_of(lobby) as client:
        yield client


# --- who may talk to it -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bound", "host", "allowed"),
    [
        ("127.0.0.1", "127.0.0.1:8137", True),
        ("127.0.0.1", "localhost:1", True),
        ("127.0.0.1", "LOCALHOST", True),
        ("127.0.0.1", "[::1]:8137", True),
        ("127.0.0.1", "cards.example:8137", True),
        ("127.0.0.1", "evil.example:8137", False),
        ("127.0.0.1", "10.0.0.7:8137", False),
        ("127.0.0.1", "127.0.0.1.evil.example", False),
        ("127.0.0.1", "", False),
        ("0.0.0.0", "10.0.0.7:8137", True),
        ("0.0.0.0", "[fe80::1]:8137", True),
        ("0.0.0.0", "evil.example:8137", False),
    ],
)
def test_names_of_the_server(bound, host, allowed):
    assert HostNames(bound, ["cards.example"]).allow(host) is allowed


def test_foreign_names_are_refused(client, lobby):
    address, _ = open_table(client, lobby)
    for path in ("/", "/pages/table.js", "/api/form"):
        assert client.get(path, headers={"host": "evil.example:8137"}).status_code == 403
    with pytest.raises(WebSocketDisconnect), socket_at(client, address, host="evil.example"):
        pass


def test_other_sites_are_refused(client, lobby):
    address, token = open_table(client, lobby)
    for origin in (
        "http://evil.example",
        "http://127.0.0.1:9999",
        "null",
        f"https://{HOST}",
        f"http://{HOST}.evil.example",
    ):
        answer = client.post("/api/tables", json=SETUP, headers={**bearer(lobby.key), "origin": origin})
        assert answer.status_code == 403
        with pytest.raises(WebSocketDisconnect), socket_at(client, address, origin=origin):
            pass
    with socket_at(client, address, origin=f"http://{HOST}") as socket:
        assert Tab(socket, token).state["you"] == 0


@pytest.mark.parametrize(
    ("origin", "host", "own"),
    [
        ("http://127.0.0.1:8137", "127.0.0.1:8137", True),
        ("http://LOCALHOST:8137", "localhost:8137", True),
        ("http://localhost", "localhost:80", True),
        ("http://[::1]:8137", "[::1]:8137", True),
        ("https://127.0.0.1:8137", "127.0.0.1:8137", False),
        ("ftp://127.0.0.1:8137", "127.0.0.1:8137", False),
        ("http://127.0.0.1:8138", "127.0.0.1:8137", False),
        ("http://127.0.0.1", "127.0.0.1:8137", False),
        ("http://me@127.0.0.1:8137", "127.0.0.1:8137", False),
        ("http://127.0.0.1:8137/", "127.0.0.1:8137", False),
        ("http://127.0.0.1:99999", "127.0.0.1:99999", False),
        ("null", "null", False),
        ("", "", False),
        ("https://safe.example", "safe.example", True),
        ("https://safe.example", "safe.example:443", True),
        ("http://safe.example", "safe.example", False),
    ],
)
def test_origins_are_compared_by_scheme_host_and_port(origin, host, own):
    assert HostNames("127.0.0.1", ["https://safe.example"]).is_own(origin, host) is own


def test_answers_carry_the_security_headers(client):
    for path in ("/", "/table/x", "/pages/style.css", "/cards/r5.svg", "/api/form", "/nothing"):
        headers = client.get(path).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"


def test_pages_and_cards(client):
    for path, part in (
        ("/", "setup.title"),
        ("/table/x", "hand-title"),
        ("/cards/w_4.svg", "<svg"),
        ("/cards/back.svg", "<svg"),
        ("/faces/Pip.svg", "<svg"),
    ):
        answer = client.get(path)
        assert answer.status_code == 200
        assert part in answer.text
    for path in (
        "/faces/Nobody.svg",
        "/cards/x.svg",
        "/cards/..%2fr5.svg",
        "/pages/../app.py",
        "/pages/%2e%2e/app.py",
        "/pages/nothing.js",
    ):
        assert client.get(path).status_code == 404


def test_pages_fetch_nothing_from_elsewhere(client):
    for path in ("/", "/table/x", *(f"/pages/{name}.js" for name in ("table", "setup", "api", "connection", "cards"))):
        text = client.get(path).text
        assert "http://" not in text
        assert "https://" not in text
        assert "innerHTML" not in text


def test_a_page_that_is_gone_says_so_in_all_languages(client):
    answer = client.get("/games/" + 22 * "x")
    assert answer.status_code == 404
    assert answer.headers["content-type"].startswith("text/html")
    assert "sandbox" in answer.headers["content-security-policy"]
    for language in table_languages():
        assert f'<p lang="{language.code}">{language.texts["refused.page_gone"]}</p>' in answer.text


def test_the_table_and_the_page_of_a_replay_have_one_look(client):
    look = client.get("/pages/look.css")
    assert look.headers["content-type"].startswith("text/css")
    page = replay_page(Replay.of(Game("duel", seed=1)))
    for path in ("/", "/table/x"):
        text = client.get(path).text
        assert text.index("/pages/look.css") < text.index("/pages/style.css")
    assert look.text in page, "the page of a replay is one file"
    own = client.get("/pages/style.css").text + page.replace(look.text, "")
    for name in re.findall(r"--[\w-]+(?=:)", look.text):
        assert f"{name}:" not in own, f"{name} is defined twice"


# --- setting up -------------------------------------------------------------------------------------------------------


def test_setting_up_needs_the_key(client, lobby):
    rules = {"rules": {}, "players": 2}
    for headers in ({}, bearer(""), bearer("x" * 22), bearer("e")):
        for answer in (
            client.get("/api/form", headers=headers),
            client.post("/api/tables", json=SETUP, headers=headers),
            client.post("/api/rules", json=rules, headers=headers),
        ):
            assert answer.status_code == 403
            assert "key" in english(answer.json()["error"])
    assert lobby.sessions == {}
    assert client.get("/api/form", headers=bearer(lobby.key)).json()["defaults"] == DEFAULTS


@pytest.mark.parametrize(
    ("body", "part"),
    [
        ({"rules": {"preset": "house"}, "players": 3}, None),
        ({"rules": {"preset": "house", "stacking": "up"}, "players": 3}, "stacking='up'"),
        ({"rules": {"preset": "mini"}, "players": 10}, "the deck has 7 cards"),
        ({"rules": {}, "players": "3"}, "players"),
        ({"rules": [], "players": 3}, "mapping"),
        ([], "JSON object"),
    ],
)
def test_rules_are_checked(client, lobby, body, part):
    answer = client.post("/api/rules", json=body, headers=bearer(lobby.key))
    if part is None:
        fitting = answer.json()["agents"]
        assert {"greedy", "zoo:any"} < set(fitting)
        assert "zoo:duel-2p" not in fitting
    else:
        assert answer.status_code == 400
        assert part in english(answer.json()["error"])
        assert "Traceback" not in answer.text


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("changes", "part"),
    [
        ({"seats": [None, "gredy"]}, "did you mean 'greedy'"),
        ({"seats": [None, "/etc/passwd"]}, "/etc/passwd"),
        ({"seats": [None] * 11}, "Players: 11"),
        ({"name": ""}, "name"),
        ({"name": 3}, "name"),
        ({"pace": "fast"}, "pace='fast'"),
    ],
)
def test_tables_that_cannot_be(client, lobby, changes, part):
    answer = client.post("/api/tables", json={**SETUP, **changes}, headers=bearer(lobby.key))
    assert answer.status_code == 400
    assert part in english(answer.json()["error"])
    assert lobby.sessions == {}


def test_bodies_that_make_no_sense(client, lobby):
    for body, status in ((b"{", 400), (b"[" * 20000, 400), (b"\xff", 400), (b" " * (LONGEST_BODY + 1), 413)):
        answer = client.post("/api/tables", content=body, headers=bearer(lobby.key))
        assert answer.status_code == status
        assert answer.json()["error"]


def test_the_table_that_was_empty_longest_makes_room(client, lobby):
    addresses = [open_table(client, lobby, seats=[None, "random"])[0] for _ in range(MOST_TABLES + 1)]
    assert len(lobby.sessions) == MOST_TABLES
    assert client.post(f"{addresses[0]}/seats", json={}).status_code == 404
    assert session_of(lobby, addresses[1])


# --- sitting down -----------------------------------------------------------------------------------------------------


def test_a_seat_is_kept_by_its_token(client, lobby):
    address, token = open_table(client, lobby)
    seats = session_of(lobby, address).table.seats
    for wrong in ("", "x" * 22, token[:-1], seats[1].invitation):
        with socket_at(client, address) as socket:
            socket.send_text(json.dumps({"type": "hello", "token": wrong}))
            with pytest.raises(WebSocketDisconnect) as closed:
                socket.receive_text()
            assert closed.value.code == NOT_YOURS
    with socket_at(client, address) as socket:
        socket.send_text('{"type": "watch"}')
        with pytest.raises(WebSocketDisconnect) as closed:
            socket.receive_text()
        assert closed.value.code == NOT_YOURS, "nobody looks on"
    with socket_at(client, "/api/tables/nothing") as socket:
        with pytest.raises(WebSocketDisconnect) as closed:
            socket.receive_text()
        assert closed.value.code == NO_TABLE


def test_names_go_as_text_and_are_unique(client, lobby):
    address, token = open_table(client, lobby, name="<img src=x onerror=alert(1)>"[:24])
    invitation = session_of(lobby, address).table.seats[1].invitation
    taken = client.post(f"{address}/seats", json={"invitation": invitation, "name": "greedy"})
    assert (taken.status_code, "already" in english(taken.json()["error"])) == (400, True)
    token = invited(client, lobby, address, "Bob & <b>")
    with tab(client, address, token) as bob:
        assert bob.state["players"][1]["name"] == "Bob & <b>"
    again = client.post(f"{address}/seats", json={"invitation": invitation, "name": "Eve"})
    assert again.status_code == 400


# --- over the wire ----------------------------------------------------------------------------------------------------


def hidden_of(table: Table, seat):
    """What must not be in any text to a seat: the secrets of others."""
    return [secret for each in table.seats if each.number != seat for secret in (each.token, each.invitation) if secret]


def comparable(view):
    """A view as a text, without what changes from moment to moment: the time left, who is there."""
    players = [{**player, "away": None} for player in view["players"]]
    values = {**view, "clock": None, "hints": None, "players": players, "type": "state"}
    return json.dumps(plain_values(values), sort_keys=True)


@pytest.mark.thorough
def test_two_people_play_a_hand_and_the_wire_tells_each_what_they_may_know(client, lobby):
    """Every text that is sent is the view of its seat (which test_seat_view.py shows to tell nothing hidden).

    But for a refusal: on a slow machine a move can come after the time to react is over.
    """
    address, token = open_table(client, lobby, reaction_seconds=0)
    table = session_of(lobby, address).table
    other = invited(client, lobby, address, "Bob")
    allowed = {seat: {comparable(seat_view(table, seat))} for seat in (0, 1)}
    step = table._step

    def note_views(answer, now):
        step(answer, now)
        for seat, views in allowed.items():
            views.add(comparable(seat_view(table, seat)))

    table._step = note_views
    with tab(client, address, token) as ann, tab(client, address, other) as bob:
        while not table.series.pausing:
            wait_for(lambda: table.series.pausing or table.deciding.is_person)
            play_on(client, (ann, bob), table)
        for seat, each in ((0, ann), (1, bob)):
            each.read_until(lambda state: state["result"] is not None)
            assert len(each.texts) > 5
            for text in each.texts:
                assert not any(secret in text for secret in hidden_of(table, seat))
                message = json.loads(text)
                if message["type"] == "refused":
                    assert "too late" in english(message["text"])
                else:
                    assert comparable(message) in allowed[seat]
        assert {each["card"] for each in ann.state["hand"]} == set(map(card_text, table.series.shown.hand(0)))
        ann.send(type="go_on")
        bob.read_until(lambda state: state["result"] is None)


def play_on(client, tabs, table):
    """The person who is to decide does the first thing that the tab offers, unless the time to react is over."""
    stage = table.stage
    if table.series.pausing or not table.deciding.is_person:
        return
    seat = table.deciding.number
    mine = tabs[seat]
    seen = mine.read_until(
        lambda state: (
            table.stage != stage or (state["ticket"] == ticket_of(client, table, seat) and state["deciding"] == seat)
        )
    )
    if table.stage == stage and seen["ticket"] == ticket_of(client, table, seat):
        offered = [one["action"] for each in seen["hand"] for one in each["actions"]]
        offered += [move["action"] for move in seen["moves"]]
        mine.send(type="move", action=offered[0], ticket=seen["ticket"])
    wait_for(lambda: table.stage != stage)


def test_foreign_and_illegal_moves_over_the_wire(client, lobby):
    address, token = open_table(client, lobby, seats=[None, None])
    other = invited(client, lobby, address, "Bob")
    table = session_of(lobby, address).table
    with tab(client, address, token) as ann, tab(client, address, other) as bob:
        people = {0: ann, 1: bob}
        deciding = table.deciding.number
        history = list(table.game.history)
        mine, theirs = people[deciding], people[1 - deciding]
        theirs.send(type="move", action="draw", ticket=theirs.state["ticket"])
        assert theirs.refusal() == "It is not your turn to decide."
        mine.send(type="move", action="swap9", ticket=mine.state["ticket"])
        assert "may not be done now" in mine.refusal()
        mine.send(type="move", action="draw", ticket="stale")
        assert "too late" in mine.refusal()
        mine.send(type="undo")
        assert "agents only" in mine.refusal()
        assert table.game.history == history


def test_bad_messages_never_kill_the_table(client, lobby):
    address, token = open_table(client, lobby, seats=[None, "greedy"])
    bad = ["", "null", "[]", "{", "[" * 3000, "{}", "NaN", "x" * (LONGEST_MESSAGE + 1)]
    bad += ['{"type": 5}', '{"type": "move"}', '{"type": ["move"]}', '{"type": "undo", "more": 1}']
    bad += ['{"type": "move", "action": 5, "ticket": "0"}', '{"type": "hello", "token": "x"}']
    bad += ['{"type": "go_on", "seat": true}', '{"type": "hints", "on": 1}']
    with tab(client, address, token) as ann:
        for text in bad:
            ann.socket.send_text(text)
            assert ann.refusal().endswith(".")
        ann.socket.send_bytes(b"\x00\xff")
        assert ann.refusal()
        ann.send(type="hints", on=True)
        ann.read_until(lambda state: state["hints"])
        for _ in range(MOST_BAD_MESSAGES):
            ann.socket.send_text("nonsense")
        with pytest.raises(WebSocketDisconnect) as closed:
            ann.read_until(lambda state: False)
        assert closed.value.code == 1008
    with tab(client, address, token) as again:
        assert again.state["you"] == 0


@pytest.mark.parametrize("text", [None, b"{}", 5, '{"type": "undo", "x": 1}', '{"type": "hints", "on": null}'])
def test_messages_that_are_none(text):
    with pytest.raises(BadMessageError):
        parse_message(text)


def test_a_dropped_connection_comes_back(client, lobby):
    address, token = open_table(client, lobby, seats=[None, None])
    other = invited(client, lobby, address, "Bob")
    with tab(client, address, other) as bob:
        with tab(client, address, token) as ann:
            seen = ann.state
            bob.read_until(lambda state: not state["players"][0]["away"])
        bob.read_until(lambda state: state["players"][0]["away"])
        with tab(client, address, token) as ann:
            assert ann.state["hand"] == seen["hand"]
            bob.read_until(lambda state: not state["players"][0]["away"])


def test_hints_are_given_when_they_are_wanted(client, lobby):
    address, token = open_table(client, lobby, seats=[None, "random-play"], rules={"preset": "duel"}, cast=True)
    with tab(client, address, token) as ann:
        ann.read_until(lambda state: state["deciding"] == 0)
        assert ann.state["hints"] is None
        ann.send(type="hints", on=True)
        hints = ann.read_until(lambda state: state["hints"] and state["hints"]["actions"])["hints"]
        assert hints["by"] == {"phrase": "level.master"}
        offered = {one["action"] for each in ann.state["hand"] for one in each["actions"]}
        offered |= {move["action"] for move in ann.state["moves"]}
        assert {each["action"] for each in hints["actions"]} <= offered
        ann.send(type="hints", on=False)
        ann.read_until(lambda state: state["hints"] is None)


def test_a_hint_says_that_it_is_being_compiled_and_then_comes(client, lobby, monkeypatch):
    address, token = open_table(client, lobby, seats=[None, "random-play"], adviser="greedy", rules={"preset": "duel"})
    adviser, compiled, is_slow = session_of(lobby, address).table.advisers[0], threading.Event(), threading.Event()
    act = adviser.act
    monkeypatch.setattr(adviser, "act", lambda *seen: compiled.wait(60) and act(*seen))
    monkeypatch.setattr(Notice, "is_slow", property(lambda notice: is_slow.is_set()))
    with tab(client, address, token) as ann:
        ann.read_until(lambda state: state["deciding"] == 0)
        ann.send(type="hints", on=True)
        assert not ann.read_until(lambda state: state["hints"])["hints"]["compiling"]
        is_slow.set()
        assert ann.read_until(lambda state: state["hints"]["compiling"])["hints"]["actions"] == []
        compiled.set()
        assert not ann.read_until(lambda state: state["hints"]["actions"])["hints"]["compiling"]


def test_no_hints_where_the_table_has_none(client, lobby):
    address, token = open_table(client, lobby, seats=[None, "random-play"], hints=False, rules={"preset": "duel"})
    with tab(client, address, token) as ann:
        assert ann.state["canHint"] is False
        ann.send(type="hints", on=True)
        state = ann.read_until(lambda state: "draw" in [move["action"] for move in state["moves"]])
        ann.send(type="move", action="draw", ticket=state["ticket"])
        assert ann.read_until(lambda new: new["ticket"] != state["ticket"])["hints"] is None


def test_time_runs_out_over_the_wire(client, lobby):
    address, token = open_table(client, lobby, seats=[None, "random-play"], turn_seconds=0.2)
    table = session_of(lobby, address).table
    with tab(client, address, token) as ann:
        ann.read_until(lambda state: state["deciding"] == 0)
        assert 0 <= ann.state["clock"]["left"] <= ann.state["clock"]["seconds"] == 0.2
        told = len(table.game.history)
        ann.read_until(lambda state: len(table.game.history) > told + 1)


def test_an_agent_that_fails_does_not_stop_the_table(client, lobby, caplog):
    address, token = open_table(client, lobby, seats=[None, "greedy"], rules={"preset": "duel"})
    table = session_of(lobby, address).table

    def fail(*arguments):
        raise RuntimeError("out of order")

    table.seats[1].agent.act = fail
    table.advisers[0].act = fail
    with tab(client, address, token) as ann:
        ann.send(type="hints", on=True)
        for _ in range(3):
            state = ann.read_until(
                lambda state: state["deciding"] == 0 and state["ticket"] == ticket_of(client, table, 0)
            )
            actions = {move["action"] for move in state["moves"]}
            ann.send(type="move", action="draw" if "draw" in actions else "pass", ticket=state["ticket"])
            ann.read_until(lambda new, old=state["ticket"]: new["ticket"] != old)
        ann.read_until(lambda state: state["deciding"] == 0)
        assert ann.state["players"][1]["failed"]
    assert "out of order" in caplog.text


@pytest.mark.thorough
def test_how_long_an_agent_has_thought_is_not_seen(client, lobby):
    """Nothing but that it took longer than the pause: shown is a multiple of that, from what everybody saw last."""
    pace, thinking = 0.5, {1: 0.0, 2: 0.3, 3: 0.6}
    address, token = open_table(client, lobby, seats=[None] + 3 * ["greedy"], rules={"preset": "classic"}, pace=pace)
    table = session_of(lobby, address).table
    shown = {seat: [] for seat in thinking}

    def slowly(act, seconds):
        return lambda *seen: time.sleep(seconds) or act(*seen)

    def note_time(now, restart_clock=table.restart_clock):
        event = table.game.events[-1]
        if event.seat in shown and event.phase == "play":
            shown[event.seat].append(now - table._seen_at)
        restart_clock(now)

    for seat, seconds in thinking.items():
        table.seats[seat].agent.act = slowly(table.seats[seat].agent.act, seconds)
    table.restart_clock = note_time
    with tab(client, address, token) as ann:
        while min(map(len, shown.values())) < 2 and not table.series.pausing:
            state = ann.read_until(
                lambda state: state["deciding"] == 0 and state["ticket"] == ticket_of(client, table, 0)
            )
            card = next((card["actions"][0] for card in state["hand"] if card["actions"]), None)
            ann.send(type="move", action=(card or state["moves"][0])["action"], ticket=state["ticket"])
            ann.read_until(lambda new, old=state["ticket"]: new["ticket"] != old)
    assert min(map(len, shown.values())) >= 2
    late = [seconds - (2 if seat == 3 else 1) * pace for seat in shown for seconds in shown[seat]]
    assert all(-0.005 < seconds < 0.25 for seconds in late), shown


def test_what_a_seat_sees_is_made_once_for_all_its_tabs(client, lobby):
    """With ten tabs at a table, most of a move's time went into making the same view again."""
    address, token = open_table(client, lobby, seats=[None, "greedy"], rules={"preset": "duel"})
    session = session_of(lobby, address)
    with tab(client, address, token) as ann:
        ann.read_until(lambda state: state["deciding"] == 0)

        def made():
            before = session._view(0, False)
            shared = session._view(0, False)
            session.table.move(0, "draw", session.table.ticket(0), time.monotonic())
            session.changed()
            return before is shared, session._view(0, False).view == seat_view(session.table, 0), before.view

        is_shared, is_new, before = client.portal.call(made)
        assert is_shared
        assert is_new, "what has happened since is not shown"
        ann.read_until(lambda state: state["ticket"] != before["ticket"])


def reviewed(client, address, token):
    """The address of a review, once it is made."""
    job = client.post(f"{address}/review", headers=bearer(token)).json()["job"]
    wait_for(lambda: client.get(f"/api/jobs/{job}").json()["over"])
    return client.get(f"/api/jobs/{job}").json()["page"]


@pytest.mark.thorough
@pytest.mark.usefixtures("short_reviews")
def test_a_hand_can_be_looked_at_again_by_who_sat_there_when_it_is_over(client, lobby):
    address, token = open_table(client, lobby, seats=[None, "greedy"], rules={"preset": "duel"})
    assert client.post(f"{address}/review").status_code == 403
    refused = client.post(f"{address}/review", headers=bearer(token))
    assert (refused.status_code, english(refused.json()["error"])[:30]) == (400, "a hand can be looked at again ")
    table = session_of(lobby, address).table
    while not table.series.pausing:
        table.series.step(table.game.legal_actions()[0])
    answer = client.get(reviewed(client, address, token))
    assert answer.status_code == 200
    assert "sandbox allow-scripts;" in answer.headers["content-security-policy"]
    assert answer.text.startswith("<!DOCTYPE html>")
    assert '"sealed":true' in answer.text
    assert token not in answer.text


@pytest.mark.thorough
@pytest.mark.usefixtures("short_reviews")
def test_each_of_two_people_looks_at_the_hand_from_their_own_seat(client, lobby):
    address, ann = open_table(client, lobby, seats=[None, None], rules={"preset": "duel"})
    bob = invited(client, lobby, address, "Bob")
    table = session_of(lobby, address).table
    while not table.series.pausing:
        table.series.step(table.game.legal_actions()[0])
    pages = [client.get(reviewed(client, address, key)) for key in (ann, bob)]
    assert [page.status_code for page in pages] == [200, 200]
    for seat, page in enumerate(pages):
        assert f'"view":{seat}' in page.text
        assert '"sealed":true' in page.text
    assert pages[0].text != pages[1].text


def test_a_review_says_how_far_it_is_and_what_it_has_found(client, lobby, review_by):
    """It is found again by who asks again, also when the table has gone on, and rests while nobody wants it."""
    gate = threading.Semaphore(0)

    def measure(game, seat, hand):
        notes = [None] * len(game.history)
        for done, number in enumerate(choices_in_hand(game, seat, hand), 1):
            gate.acquire()
            chosen, costs = game.history[number], {DRAW: (0.0, 0.0)}
            notes[number] = Note({}, 0.1, {**costs, chosen: (0.2 if done == 1 else 0.0, 0.01)})
            yield ReviewStep(Advice("somebody", tuple(notes)), done, 3)
        yield ReviewStep(Advice("somebody", notes, 0.1), 3, 3)

    review_by(measure)
    address, token = open_table(client, lobby, seats=[None, "greedy"], rules={"preset": "duel"}, match=False)
    assert client.post(f"{address}/review", headers=bearer(token)).status_code == 400, "the hand is not over"
    table = session_of(lobby, address).table
    while not table.series.pausing:
        table.series.step(table.game.legal_actions()[0])
    job, again = (client.post(f"{address}/review", headers=bearer(token)).json()["job"] for _ in range(2))
    assert job == again
    state = f"/api/jobs/{job}"
    assert client.get(state).json() == {"over": False}
    gate.release()
    wait_for(lambda: client.get(state).json().get("done") == 1)
    table.go_on(0.0)
    first = client.get(state).json()
    assert (first["total"], first["over"], "page" in first) == (3, False, False)
    assert [(english(each["better"]), each["cost"]) for each in first["found"]] == [("draw", 0.2)]
    assert client.delete(state).status_code == 200
    gate.release(500)
    wait_for(lambda: client.get(state).json()["over"])
    assert client.get(client.get(state).json()["page"]).status_code == 200
    assert client.get("/api/jobs/another").status_code == 404
    assert client.post(f"{address}/review", headers=bearer(token)).status_code == 400, "the next hand is not over"


def test_a_game_is_shared_when_it_is_over_and_by_who_sat_there(tmp_path):
    with client_of(lobby := Lobby(DEFAULTS, TableFolder(tmp_path))) as client:
        address, token = open_table(client, lobby, seats=[None, "greedy"], match=False)
        assert client.post(f"{address}/share").status_code == 403
        assert "hidden" in english(client.post(f"{address}/share", headers=bearer(token)).json()["error"])
        table = session_of(lobby, address).table
        while not table.game.over:
            table.series.step(table.game.legal_actions()[0])
        page = client.post(f"{address}/share", headers=bearer(token)).json()["page"]
        lobby.pages = GamePages(tmp_path)
        answer = client.get(page)
        assert answer.text.startswith("<!DOCTYPE html>")
        assert token not in answer.text
        assert all(file.stat().st_mode & 0o077 == 0 for file in tmp_path.glob("*.html"))
        for wrong in ("x" * 22, "..%2f..%2fetc%2fpasswd", "x"):
            assert client.get(f"/games/{wrong}").status_code == 404
    lobby.close()


def test_the_rules_are_told_to_who_sits_there(client, lobby):
    address, token = open_table(client, lobby, seats=[None, "greedy"], rules={"preset": "duel", "jump_in": True})
    assert client.get(f"{address}/rules").status_code == 403
    lines = client.get(f"{address}/rules", headers=bearer(token)).json()
    assert {"name": {"phrase": "rule.jump_in"}, "text": {"phrase": "rule.jump_in.help"}} in lines


def test_pages_of_games_are_forgotten_in_time(tmp_path, monkeypatch):
    monkeypatch.setattr("uno_table.web.game_pages.MOST_PAGES", 2)
    pages = GamePages(tmp_path)
    for shared in (False, True):
        ids = [pages.add(f"page {number}", shared) for number in range(4)]
        assert sum(pages.get(each) is not None for each in ids) == 2
        assert pages.get(ids[-1]) == "page 3" or shared


def test_the_replay_is_for_who_sat_there_when_it_is_over(client, lobby):
    address, token = open_table(client, lobby, seats=[None, "greedy"], rules={"preset": "duel"})
    assert client.get(f"{address}/replay").status_code == 403
    assert "hidden" in english(client.get(f"{address}/replay", headers=bearer(token)).json()["error"])
    table = session_of(lobby, address).table
    while not table.game.over:
        table.series.step(table.game.legal_actions()[0])
    assert Game.from_json(client.get(f"{address}/replay", headers=bearer(token)).text).over


# --- a real server ----------------------------------------------------------------------------------------------------


def test_a_real_server(lobby):
    with running(lobby) as port:
        base = f"http://127.0.0.1:{port}"
        answer = httpx.post(f"{base}/api/tables", json={**SETUP, "seats": [None, "greedy"]}, headers=bearer(lobby.key))
        table, token = answer.json()["table"], answer.json()["token"]
        url = f"ws://127.0.0.1:{port}/api/tables/{table}/socket"
        hello = json.dumps({"type": "hello", "token": token})
        with connect(url) as socket:
            socket.send(hello)
            assert json.loads(socket.recv())["you"] == 0
            socket.send("x" * 1_000_000)
            with pytest.raises(ConnectionClosed):
                list(socket)
        with connect(url) as socket:
            socket.send(hello)
            assert json.loads(socket.recv())["you"] == 0
        assert httpx.get(base, headers={"host": "evil.example"}).status_code == 403


def test_an_address_in_use():
    listener = bind("127.0.0.1", 0)
    port = listener.getsockname()[1]
    listener.listen()
    with pytest.raises(ValueError, match="choose another --port"):
        bind("127.0.0.1", port)
    listener.close()
    with pytest.raises(ValueError, match="--host"):
        bind("no such host", 0)
