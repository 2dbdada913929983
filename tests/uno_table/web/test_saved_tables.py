"""Tables survive the end of the server: found again by the same addresses, tokens and invitations."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from tests.helpers import ROOT
from tests.helpers.phrases import english
from tests.uno_table.tables import PERSON, table_of
from tests.uno_table.wire import (
    DEFAULTS,
    SETUP,
    bearer,
    client_of,
    invited,
    open_table,
    session_of,
    socket_at,
    tab,
    ticket_of,
    wait_for,
)
from uno_table.table.saved_table import restore, saved_table
from uno_table.web import lobby as lobby_module
from uno_table.web import server, storage
from uno_table.web.lobby import Lobby
from uno_table.web.storage import LONGEST_FILE, TableFolder


@pytest.fixture
def path(tmp_path):
    return tmp_path / "tables"


class Servers:
    """One server after another on the same folder."""

    def __init__(self, path):
        self.path, self.lobby = path, None

    def __enter__(self):
        self.lobby = Lobby(DEFAULTS, TableFolder(self.path))
        self.client = client_of(self.lobby).__enter__()
        return self.client, self.lobby

    def __exit__(self, *error):
        self.lobby.background.close()
        self.client.__exit__(*error)
        self.lobby.close()


def test_tables_are_found_again(path):
    servers = Servers(path)
    with servers as (client, lobby):
        address, token = open_table(client, lobby)
        invitation = session_of(lobby, address).table.seats[1].invitation
        with tab(client, address, token) as ann:
            before = ann.state
    with servers as (client, lobby):
        answer = client.post(f"{address}/seats", json={"invitation": invitation, "name": "Bob"})
        assert answer.status_code == 200, answer.text
        with tab(client, address, token) as ann, tab(client, address, answer.json()["token"]) as bob:
            state = ann.read_until(lambda state: not state["waiting"])
            assert (state["rules"], state["top"]) == (before["rules"], before["top"])
            assert len(bob.state["hand"]) == 7
            people = {0: ann, 1: bob}
            table = session_of(lobby, address).table
            wait_for(lambda: table.deciding.is_person)
            mine = people[table.deciding.number]
            state = mine.read_until(
                lambda state: state["ticket"] == ticket_of(client, table, state["you"]) and state["moves"]
            )
            mine.send(type="move", action=state["moves"][0]["action"], ticket=state["ticket"])
            wait_for(lambda: table.game.history)
            old = state["ticket"]
    with servers as (client, lobby), tab(client, address, token) as ann:
        assert session_of(lobby, address).table.game.history
        ann.send(type="move", action="draw", ticket=old)
        assert ann.refusal()


def test_what_was_played_is_on_disk_while_the_server_still_runs(path):
    """A server that is killed loses moments, not tables."""
    with Servers(path) as (client, lobby):
        address, token = open_table(client, lobby, seats=[None, "greedy"], rules={"preset": "duel"})
        table = session_of(lobby, address).table
        file = path / f"{address.rsplit('/', 1)[1]}.json"
        with tab(client, address, token) as ann:
            state = ann.read_until(lambda state: state["deciding"] == 0)
            offered = [one["action"] for each in state["hand"] for one in each["actions"]]
            offered += [move["action"] for move in state["moves"]]
            ann.send(type="move", action=offered[0], ticket=state["ticket"])
            wait_for(lambda: table.game.history and len(json.loads(file.read_text())["game"]["actions"]) >= 1)


def test_a_folder_that_is_made_is_for_the_user_alone(path):
    TableFolder(path).close()
    assert path.stat().st_mode & 0o077 == 0


def test_the_files_are_for_the_user_alone_also_in_a_folder_that_was_there_or_is_made_again(path):
    path.mkdir(mode=0o755)
    folder = TableFolder(path)
    folder.write("a" * 12, values := saved_table(table_of([PERSON, "greedy"])))
    assert (path / f"{'a' * 12}.json").stat().st_mode & 0o777 == 0o600
    shutil.rmtree(path)
    folder.write("b" * 12, values)
    assert path.stat().st_mode & 0o777 == 0o700
    assert (path / f"{'b' * 12}.json").stat().st_mode & 0o777 == 0o600
    folder.close()


def test_what_could_not_be_read_again_is_not_saved_in_place_of_what_can(path, caplog):
    with Servers(path) as (client, lobby):
        address, _token = open_table(client, lobby)
        session = session_of(lobby, address)
        file = path / f"{address.rsplit('/', 1)[1]}.json"
        wait_for(file.exists)
        before = file.read_text()
        session.table.epoch = -1
        session.save()
        assert file.read_text() == before
        assert "a table could not be saved (epoch=-1 is not allowed" in caplog.text
        session.table.epoch = 0


def test_a_folder_that_somebody_deletes_is_a_folder_without_tables(path):
    with Servers(path) as (client, _lobby):
        shutil.rmtree(path)
        assert client.post(f"/api/tables/{'a' * 12}/seats", json={}).status_code == 404
        with socket_at(client, f"/api/tables/{'a' * 12}") as socket:
            assert socket.receive()["code"] == 4404


def test_one_server_uses_a_folder_at_a_time(path):
    folder = TableFolder(path)
    with pytest.raises(ValueError, match="another process works on the tables in"):
        TableFolder(path)
    folder.close()
    TableFolder(path).close()


def test_a_folder_that_cannot_be(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match="see --tables"):
        TableFolder(tmp_path / "file")


@pytest.mark.thorough
def test_hostile_files_are_skipped_and_named(path):
    servers = Servers(path)
    with servers as (client, lobby):
        address, token = open_table(client, lobby)
    good = next(each for each in path.iterdir() if each.suffix == ".json")
    values = json.loads(good.read_text())
    contents = {
        "a" * 12: b"{",
        "b" * 12: b"[" * 100_000,
        "c" * 12: b"\xff\xfe",
        "d" * 12: b" " * (LONGEST_FILE + 1),
        "e" * 12: json.dumps({**values, "game": {}}).encode(),
        "f" * 12: json.dumps({**values, "people": []}).encode(),
        "j" * 12: json.dumps({**values, "setup": {**values["setup"], "seats": []}}).encode(),
        "g" * 12: b"",
    }
    for name, content in contents.items():
        (path / f"{name}.json").write_bytes(content)
    os.mkfifo(path / f"{'h' * 12}.json")
    (path / f"{'i' * 12}.json").mkdir()
    (path / "notes.txt").write_text("not mine")
    folder = TableFolder(path)
    lines = server._saved_lines(folder)
    folder.close()
    assert "1 saved before can be played on at its old address" in lines[0]
    assert len(lines) == 1 + len(contents) + 2
    for name in (*contents, "h" * 12, "i" * 12):
        (line,) = (line for line in lines if name in line)
        assert "is skipped: " in line
        assert "\n" not in line
    with servers as (client, lobby):
        with tab(client, address, token) as ann:
            assert ann.state["you"] == 0
        for name in (*contents, "h" * 12, "i" * 12):
            answer = client.post(f"/api/tables/{name}/seats", json={"invitation": "x", "name": "y"})
            assert answer.status_code == 400
            assert "was saved, and cannot be opened" in english(answer.json()["error"])
            with socket_at(client, f"/api/tables/{name}") as socket:
                socket.send_text('{"type": "hello", "token": "x"}')
                closed = socket.receive()
                assert (closed["code"], "cannot be opened" in closed["reason"]) == (4405, True)
        for name in ("notes.txt", "..", "%2e%2e", "a" * 13):
            assert client.post(f"/api/tables/{name}/seats", json={}).status_code in (404, 405)


def test_an_agent_that_is_gone_is_named(path, monkeypatch):
    servers = Servers(path)
    with servers as (client, lobby):
        address, _token = open_table(client, lobby)
    file = next(each for each in path.iterdir() if each.suffix == ".json")
    values = json.loads(file.read_text())
    values["setup"]["seats"][2] = "runs/gone/policy.safetensors"
    file.write_text(json.dumps(values))
    with servers as (client, lobby):
        answer = client.post(f"{address}/seats", json={"invitation": "x", "name": "y"})
        assert "runs/gone/policy.safetensors" in english(answer.json()["error"])
        assert lobby.sessions == {}


def test_a_full_disk_does_not_stop_a_table(path, monkeypatch, caplog):
    def full(*arguments, **options):
        raise OSError(28, "No space left on device")

    with Servers(path) as (client, lobby):
        monkeypatch.setattr(storage, "replace_file", full)
        address, token = open_table(client, lobby)
        invited(client, lobby, address, "Bob")
        with tab(client, address, token) as ann:
            assert ann.read_until(lambda state: not state["waiting"])
        wait_for(lambda: "No space left" in caplog.text)
        assert "Traceback" not in caplog.text


def test_tables_that_make_room_are_opened_again(path, monkeypatch):
    monkeypatch.setattr(lobby_module, "MOST_TABLES", 2)
    with Servers(path) as (client, lobby):
        tables = [open_table(client, lobby, seats=[None, "random"]) for _ in range(4)]
        assert len(lobby.sessions) == 2
        for address, token in tables:
            with tab(client, address, token) as ann:
                assert ann.state["you"] == 0


def test_the_tables_played_longest_ago_are_deleted(path, monkeypatch):
    monkeypatch.setattr(storage, "MOST_SAVED", 3)
    with Servers(path) as (client, lobby):
        for _ in range(5):
            open_table(client, lobby, seats=[None, "random"])
        wait_for(lambda: len(lobby.folder.ids()) == 3)


@pytest.mark.thorough
def test_tables_can_be_forgotten(tmp_path):
    """`--forget` saves none; that tables are saved otherwise, test_load.py shows."""
    process = subprocess.Popen(
        [sys.executable, "-c", "from train.cli.main import main; main()", "play", "--web", "--port", "0", "--forget"],
        stdout=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"},
    )
    try:
        said = [process.stdout.readline() for _ in range(2)]
        assert "forgets its tables" in said[1]
        assert list(tmp_path.iterdir()) == []
    finally:
        process.kill()
        process.communicate()


def test_deals_without_a_seed_are_of_a_secret_that_the_file_keeps(path):
    """A game that may be saved tells its seed; the next deal must not follow from it."""
    servers = Servers(path)
    with servers as (client, lobby):
        tables = []
        for seed in ({}, {}, {"seed": 5}):
            values = {**{name: value for name, value in SETUP.items() if name != "seed"}, **seed}
            answer = client.post("/api/tables", json=values, headers=bearer(lobby.key))
            assert answer.status_code == 200, answer.text
            tables.append(answer.json()["table"])
        setups = [lobby.sessions[table].table.setup for table in tables]
    assert len({setup.secret for setup in setups}) == 3
    assert len({setup.seed for setup in setups}) == 3
    assert (setups[2].seed, setups[2].secret) == (5, "")
    with servers as (_client, lobby):
        assert [restore(lobby.folder.read(table)).setup.secret for table in tables] == [each.secret for each in setups]
