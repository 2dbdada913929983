"""The server of the tables and its clients, for tests."""

import json
import threading
import time
from contextlib import contextmanager

import pytest
from starlette.testclient import TestClient

from tests.helpers.phrases import english
from uno_table.web.app import make_app
from uno_table.web.origin_guard import HostNames
from uno_table.web.server import bind, server_for

HOST = "127.0.0.1:8137"
DEFAULTS = {"agents": ["greedy"], "preset": "classic", "rules": {}, "seed": None}
SETUP = {
    "name": "Ann",
    "seats": [None, None, "greedy"],
    "rules": {"preset": "house"},
    "pace": 0,
    "secret_seconds": 0,
    "seed": 3,
}


def client_of(lobby):
    """A client of the application itself, without a network."""
    return TestClient(make_app(lobby, HostNames("127.0.0.1", ["cards.example"])), base_url=f"http://{HOST}")


def bearer(key):
    return {"authorization": f"Bearer {key}"}


def open_table(client, lobby, **changes):
    """A table's address and the token of its first seat."""
    answer = client.post("/api/tables", json={**SETUP, **changes}, headers=bearer(lobby.key))
    assert answer.status_code == 200, answer.text
    return f"/api/tables/{answer.json()['table']}", answer.json()["token"]


def socket_at(client, address, **headers):
    """Asked for under the server's own name; the test client would ask for another one."""
    return client.websocket_connect(f"{address}/socket", headers={"host": HOST, **headers})


def session_of(lobby, address):
    return lobby.sessions[address.rsplit("/", 1)[1]]


def wait_for(condition):
    """Until the server, which runs in another thread, has come so far."""
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end, "the server has not come so far"
        time.sleep(0.002)


def ticket_of(client, table, seat):
    """The ticket of a seat, read by the server's own thread: a game belongs to one at a time."""
    return client.portal.call(table.ticket, seat)


class Tab:
    """A browser tab at a table, which keeps every text it is sent."""

    def __init__(self, socket, token):
        self.socket, self.texts, self.state = socket, [], None
        self.send(type="hello", token=token)
        self.read()

    def send(self, **message):
        self.socket.send_text(json.dumps(message))

    def read(self):
        self.texts.append(self.socket.receive_text())
        message = json.loads(self.texts[-1])
        if message["type"] == "state":
            self.state = message
        return message

    def read_until(self, condition):
        for _ in range(500):
            if condition(self.state):
                return self.state
            self.read()
        pytest.fail("that was never shown")

    def refusal(self):
        while (message := self.read())["type"] != "refused":
            pass
        return english(message["text"])


@contextmanager
def tab(client, address, token):
    with socket_at(client, address) as socket:
        yield Tab(socket, token)


def invited(client, lobby, address, name):
    seat = next(seat for seat in session_of(lobby, address).table.people if seat.invitation)
    answer = client.post(f"{address}/seats", json={"invitation": seat.invitation, "name": name})
    assert answer.status_code == 200, answer.text
    return answer.json()["token"]


@contextmanager
def running(lobby):
    """The server in a thread; its port."""
    listener = bind("127.0.0.1", 0)
    server = server_for(lobby, "127.0.0.1")
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    wait_for(lambda: server.started)
    try:
        yield listener.getsockname()[1]
    finally:
        server.should_exit = True
        thread.join(10)
    assert not thread.is_alive()
