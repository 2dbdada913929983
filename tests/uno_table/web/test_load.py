"""The server under load and malice: nobody's agent or messages are in another one's way."""

import asyncio
import json
import os
import signal
import socket as sockets
import subprocess
import sys
import threading
import time
from collections import deque
from contextlib import ExitStack, suppress
from functools import partial

import httpx
import pytest
from starlette.websockets import WebSocket, WebSocketState
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from tests.helpers import ROOT
from tests.uno_table.wire import DEFAULTS, SETUP, bearer, client_of, open_table, running, session_of, tab, wait_for
from uno_env.rules import Rules
from uno_table.table.levels import LEVELS
from uno_table.table.moment import Answer
from uno_table.web import lobby as lobby_module
from uno_table.web import sockets as table_sockets
from uno_table.web.allowance import BURST, MESSAGES_PER_SECOND, Allowance
from uno_table.web.lobby import MOST_TABLES, Lobby
from uno_table.web.session import ELSEWHERE, MOST_TABS, Connection

DUEL = {**SETUP, "seats": [None, "greedy"], "rules": {"preset": "duel"}}


@pytest.fixture
def lobby():
    return Lobby(DEFAULTS)


@pytest.fixture
def port(lobby):
    with running(lobby) as port:
        yield port


def opened(port, lobby, **changes):
    """A table of a real server: the address of its socket, and the token of its first seat."""
    url, key = f"http://127.0.0.1:{port}/api/tables", bearer(lobby.key)
    answer = httpx.post(url, json={**DUEL, **changes}, headers=key, timeout=600)  # to compile in
    assert answer.status_code == 200, answer.text
    return f"ws://127.0.0.1:{port}/api/tables/{answer.json()['table']}/socket", answer.json()["token"]


def greeted(url, token):
    """A socket that has said whose it is."""
    socket = connect(url)
    socket.send(json.dumps({"type": "hello", "token": token}))
    return socket


def close_code(socket):
    with pytest.raises(ConnectionClosed) as closed:
        deque(iter(partial(socket.recv, timeout=20), None))
    return closed.value.rcvd.code


# --- connections ------------------------------------------------------------------------------------------------------


def test_one_more_tab_of_a_seat_takes_the_place_of_the_oldest(lobby, port):
    url, token = opened(port, lobby)
    with ExitStack() as open_sockets:
        tabs = [open_sockets.enter_context(greeted(url, token)) for _ in range(MOST_TABS + 1)]
        assert close_code(tabs[0]) == ELSEWHERE
        for each in tabs[1:]:
            assert json.loads(each.recv(timeout=20))["you"] == 0
            each.ping().wait(20)


def test_sockets_that_stay_silent_make_room_and_may_come_again(lobby, port, monkeypatch):
    monkeypatch.setattr(table_sockets, "MOST_STRANGERS", 5)
    monkeypatch.setattr(table_sockets, "SPARED_SECONDS", 0.0)
    url, token = opened(port, lobby)
    with ExitStack() as open_sockets:
        silent = [open_sockets.enter_context(connect(url)) for _ in range(12)]
        owner = open_sockets.enter_context(greeted(url, token))
        assert json.loads(owner.recv(timeout=20))["you"] == 0
        assert close_code(silent[0]) == table_sockets.TRY_AGAIN


def test_who_is_just_saying_hello_is_not_pushed_out(lobby, port, monkeypatch):
    """After a restart all pages come back at once: each gets in, or is told to try again."""
    monkeypatch.setattr(table_sockets, "MOST_STRANGERS", 3)
    monkeypatch.setattr(table_sockets, "SPARED_SECONDS", table_sockets.HELLO_SECONDS)
    url, token = opened(port, lobby)
    with ExitStack() as open_sockets:
        first = [open_sockets.enter_context(connect(url)) for _ in range(3)]
        late = open_sockets.enter_context(connect(url))
        assert close_code(late) == table_sockets.TRY_AGAIN
        for each in first:
            each.send(json.dumps({"type": "hello", "token": token}))
            assert json.loads(each.recv(timeout=20))["you"] == 0
        again = open_sockets.enter_context(greeted(url, token))
        assert json.loads(again.recv(timeout=20))["you"] == 0


# --- messages ---------------------------------------------------------------------------------------------------------


def test_an_allowance_is_spent_and_comes_back_with_time():
    allowance = Allowance()
    assert [allowance.take(100.0) for _ in range(BURST)] == [0.0] * BURST
    assert allowance.take(100.0) == pytest.approx(1 / MESSAGES_PER_SECOND)
    assert allowance.take(100.0) == pytest.approx(2 / MESSAGES_PER_SECOND)
    assert allowance.take(1000.0) == 0.0


@pytest.mark.thorough
def test_messages_are_read_no_faster_than_allowed(lobby, port, monkeypatch):
    url, token = opened(port, lobby)
    read = []
    session = session_of(lobby, url.removesuffix("/socket"))
    monkeypatch.setattr(session, "receive", lambda connection, text: read.append(text))
    with greeted(url, token) as flood, greeted(url, token) as calm:
        begun = time.monotonic()
        while time.monotonic() < begun + 2:
            try:
                for _ in range(100):
                    flood.send('{"type": "undo"}')
            except (ConnectionClosed, TimeoutError):
                break
            if len(read) > 10 * BURST:
                break
        assert BURST <= len(read) <= BURST + 4 * MESSAGES_PER_SECOND
        calm.send('{"type": "calm"}')
        wait_for(lambda: '{"type": "calm"}' in read)
        flood.close_timeout = 0.1


# --- agents -----------------------------------------------------------------------------------------------------------


@pytest.mark.thorough
def test_agents_that_never_answer_hold_up_their_own_tables_alone(lobby):
    never = threading.Event()
    try:
        with client_of(lobby) as client, ExitStack() as tabs:
            for _ in range(MOST_TABLES - 1):
                address, token = open_table(client, lobby, **DUEL)
                table = session_of(lobby, address).table
                table.seats[1].agent.act = table.advisers[0].act = lambda *seen: never.wait(600)
                stuck = tabs.enter_context(tab(client, address, token))
                stuck.send(type="hints", on=True)
                while table.deciding.number == 0:
                    table._step(Answer(table.game.legal_actions()[-1], "", 0.0), 0.0)
                session_of(lobby, address).changed()
            address, token = open_table(client, lobby, **DUEL)
            with tab(client, address, token) as ann:
                for _ in range(3):
                    state = ann.read_until(lambda state: state["deciding"] == 0)
                    offered = [one["action"] for each in state["hand"] for one in each["actions"]]
                    offered += [move["action"] for move in state["moves"]]
                    ann.send(type="move", action=offered[0], ticket=state["ticket"])
                    ann.read_until(lambda new, old=state["ticket"]: new["ticket"] != old)
    finally:
        never.set()


@pytest.mark.thorough
def test_agents_have_a_time_to_load_in(lobby, monkeypatch):
    never = threading.Event()
    load = lobby_module.load_agents
    assert lobby._ready.wait(600), "compiling"
    monkeypatch.setattr(lobby_module, "LOADING_SECONDS", 0.3)
    monkeypatch.setattr(lobby_module, "load_agents", lambda *setup: never.wait(600))
    try:
        with client_of(lobby) as client:
            for _ in range(8):
                answer = client.post("/api/tables", json=DUEL, headers=bearer(lobby.key))
                assert answer.status_code == 400
                assert answer.json()["error"] == {"phrase": "refused.loading", "seconds": "0.3"}
            monkeypatch.setattr(lobby_module, "load_agents", load)
            monkeypatch.setattr(lobby_module, "LOADING_SECONDS", 60)
            assert open_table(client, lobby, **DUEL)
    finally:
        never.set()


def test_compiling_is_not_counted_as_loading(lobby, monkeypatch):
    """On a slow machine with nothing compiled yet, the first table waits for that instead of being refused."""
    assert lobby._ready.wait(600), "compiling"
    lobby._ready.clear()
    monkeypatch.setattr(lobby_module, "LOADING_SECONDS", 0.5)
    with client_of(lobby) as client:
        threading.Timer(0.7, lobby._ready.set).start()
        assert open_table(client, lobby, **DUEL)


def test_the_table_of_the_form_is_rehearsed(monkeypatch):
    rehearsed = []
    monkeypatch.setattr(lobby_module, "rehearse", lambda specs, rules: rehearsed.append((specs, rules)))
    lobby = Lobby({**DEFAULTS, "agents": ["tuned"] * 3, "preset": "duel", "rules": {"hand_size": 5}})
    assert lobby._ready.wait(60)
    play_now = ([LEVELS["hard"].agent] * 3, Rules.preset("classic", players=4))
    assert rehearsed == [(["tuned"] * 3, Rules.preset("duel", players=4, hand_size=5)), play_now]


# --- the end ----------------------------------------------------------------------------------------------------------

STUCK = """
import sys, threading, time
from uno_table.web import lobby
from agents.scripted.agent import ScriptedAgent

def never(what):
    print(what, flush=True)
    time.sleep(600)

load = lobby.load_agents
def load_or_wait(setup, trusted):
    if setup.seed == 666:
        never("loading")
    return load(setup, trusted)
lobby.load_agents = load_or_wait
lobby.LOADING_SECONDS = 600.0  # also to compile in
choose = ScriptedAgent._choose
def choose_or_think(self, *seen):
    if threading.current_thread().name == "background":
        never("thinking")
    return choose(self, *seen)
ScriptedAgent._choose = choose_or_think
from train.cli.main import main
main(["play", "--web", "--port", "0", "--tables", sys.argv[1]])
"""


@pytest.mark.thorough
def test_ctrl_c_ends_the_server_whatever_its_agents_do(tmp_path):
    """An agent thinks, another is being loaded, tabs are open: the end comes in two seconds, without a traceback.

    On a machine that has more to do than it can, it comes in two seconds of its share.
    """
    process = subprocess.Popen(
        [sys.executable, "-c", STUCK, str(tmp_path / "tables")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"},
    )
    try:
        address, key = process.stdout.readline().split("http://")[1].strip().split("/#key=")
        assert str(tmp_path / "tables") in process.stdout.readline()
        port = int(address.rpartition(":")[2])
        lobby = Lobby(DEFAULTS)
        lobby.key = key
        url, token = opened(port, lobby)
        loading = threading.Thread(target=post_and_forget, args=(port, key))
        loading.start()
        cut, half = half_a_request(port, key), half_a_request(port, key)
        cut.close()
        with greeted(url, token) as ann, connect(url):
            assert json.loads(ann.recv(timeout=60))["you"] == 0
            waiting = {process.stdout.readline() for _ in range(3)}
            assert waiting == {"Ctrl-C ends the server.\n", "loading\n", "thinking\n"}
            begun = time.monotonic()
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=20)
            took = time.monotonic() - begun
        loading.join(20)
        half.close()
        crowd = max(os.getloadavg()[0] / (os.cpu_count() or 1), 1.0)  # of processes that wait for a core
        assert took < 2.0 * crowd
        assert "Traceback" not in errors
        assert "Exception" not in errors
        assert "Task" not in errors
    finally:
        process.kill()


def half_a_request(port, key):
    """A connection that has sent a part of what it says it sends."""
    raw = sockets.create_connection(("127.0.0.1", port))
    head = f"POST /api/tables HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {key}\r\nContent-Length: 500"
    raw.sendall(f"{head}\r\n\r\n{{".encode())
    return raw


def post_and_forget(port, key):
    with suppress(httpx.HTTPError):
        httpx.post(f"http://127.0.0.1:{port}/api/tables", json={**DUEL, "seed": 666}, headers=bearer(key), timeout=60)


def test_a_tab_that_has_gone_in_the_middle_of_its_nonsense_is_let_go(lobby):
    """What is being sent to it finds that out before its last message is read."""
    with client_of(lobby) as client:
        address, token = open_table(client, lobby)
        session = session_of(lobby, address)

        async def flood():
            has_gone = asyncio.Event()

            async def receive():
                if socket.client_state is WebSocketState.CONNECTING:
                    return {"type": "websocket.connect"}
                await has_gone.wait()
                return {"type": "websocket.receive", "text": "nonsense"}

            async def send(message):
                if message["type"] != "websocket.accept":
                    has_gone.set()
                    raise OSError

            socket = WebSocket({"type": "websocket"}, receive, send)
            await socket.accept()
            await session.serve(socket, Connection(session.table.seat_of(token)))

        client.portal.call(flood)
        assert not session.connections


def test_closed_sockets_leave_nothing_in_the_log(lobby, capfd, caplog):
    """Closed before the hello, in the middle of being refused, of being told, and of being flooded."""
    with running(lobby) as port:
        url, token = opened(port, lobby)
        path = url.split(str(port))[1]
        for text in (None, "x", '{"type": "hello", "token": "x"}', f'{{"type": "hello", "token": "{token}"}}'):
            for bad in (0, 30):
                for abort in (False, True):
                    socket = connect(url)
                    with suppress(ConnectionClosed):
                        for each in [text] * (text is not None) + ["nonsense"] * bad:
                            socket.send(each)
                    if abort:  # without a farewell
                        with suppress(OSError):
                            socket.socket.shutdown(sockets.SHUT_RDWR)
                    else:
                        socket.close()
        for _ in range(20):  # gone before the handshake is answered
            with sockets.create_connection(("127.0.0.1", port)) as raw:
                raw.sendall(
                    f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                    "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
                )
                raw.setsockopt(sockets.SOL_SOCKET, sockets.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        with greeted(url, token) as ann:
            assert json.loads(ann.recv(timeout=20))["you"] == 0
        wait_for(lambda: not session_of(lobby, url.removesuffix("/socket")).connections)
    captured = capfd.readouterr()
    assert "Traceback" not in captured.err + captured.out + caplog.text
    assert "Exception" not in captured.err + captured.out + caplog.text
