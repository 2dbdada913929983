"""The time that a move takes at tables in the browser while many sockets are open: ``python -m tools.table_load``.

A server is started, tables are set up, and three people at each of them play with ten tabs open. A move takes
from its message to the state after it, as the tab that was opened last is sent it.
"""

import argparse
import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any
from urllib.request import Request, urlopen

import numpy as np
from websockets.asyncio.client import ClientConnection, connect

SETUP = {
    "name": "First",
    "seats": [None, None, None, "greedy"],
    "rules": {"preset": "classic"},
    "pace": 0.2,
    "hints": False,
    "reaction_seconds": 1,
    "secret_seconds": 0,
}
TABS = (4, 3, 3)
"""Open tabs of each person at a table."""


class Person:
    """Somebody at a table.

    Args:
        server: its address, such as ``"127.0.0.1:8137"``.
        table: the table's id.
        token: that of the person's seat.
    """

    def __init__(self, server: str, table: str, token: str) -> None:
        self._address = f"ws://{server}/api/tables/{table}/socket"
        self._hello = json.dumps({"type": "hello", "token": token})
        self._tabs: list[ClientConnection] = []
        self._shown: dict[str, Any] = {"hand": [], "moves": []}

    async def open_tabs(self, number: int) -> None:
        """Open ``number`` tabs, each of which says hello."""
        for _ in range(number):
            self._tabs.append(await connect(self._address, max_queue=None))
            await self._tabs[-1].send(self._hello)

    async def play(self, took: list[float]) -> None:
        """Play until cancelled; add to ``took`` the seconds that each move took."""
        async with asyncio.TaskGroup() as readers:
            for tab in self._tabs[:-1]:
                readers.create_task(_read_all(tab))
            while True:
                state = await self.state(lambda new: bool(_actions(new)))
                begun = time.monotonic()
                await self.say(type="move", action=_actions(state)[0], ticket=state["ticket"])
                await self.state(partial(_is_another, state["ticket"]))
                took.append(time.monotonic() - begun)

    async def state(self, is_wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The first state from the last one on that is wanted. A hand that is over is followed by the next one."""
        while not is_wanted(self._shown):
            message = json.loads(await self._tabs[-1].recv())
            if message["type"] == "state":
                self._shown = message
                if message["result"]:
                    await self.say(type="go_on")
        return self._shown

    async def say(self, **message: Any) -> None:
        await self._tabs[0].send(json.dumps(message))


def _is_another(ticket: str, state: dict[str, Any]) -> bool:
    return bool(state["ticket"] != ticket)


def _actions(state: dict[str, Any]) -> list[int]:
    """The actions that a state offers."""
    cards = [each["action"] for card in state["hand"] for each in card["actions"]]
    return [*cards, *(move["action"] for move in state["moves"])]


async def _read_all(tab: ClientConnection) -> None:
    async for _ in tab:
        pass


def post(server: str, path: str, body: Mapping[str, Any], key: str = "") -> dict[str, Any]:
    headers = {"authorization": f"Bearer {key}", "content-type": "application/json"}
    with urlopen(Request(f"http://{server}/api/tables{path}", json.dumps(body).encode(), headers)) as answer:
        return dict(json.load(answer))


async def people_at_a_table(server: str, key: str) -> list[Person]:
    """The people at a new table, with all tabs open."""
    opened = await asyncio.to_thread(post, server, "", SETUP, key)
    people = [Person(server, opened["table"], opened["token"])]
    await people[0].open_tabs(TABS[0])
    for invited in (await people[0].state(lambda new: bool(new.get("invitations"))))["invitations"]:
        body = {"invitation": invited["invitation"], "name": f"Guest {invited['seat']}"}
        seat = await asyncio.to_thread(post, server, f"/{opened['table']}/seats", body)
        people.append(Person(server, opened["table"], seat["token"]))
    for person, tabs in zip(people[1:], TABS[1:], strict=True):
        await person.open_tabs(tabs)
    return people


async def measure(server: str, key: str, tables: int, seconds: float) -> list[float]:
    """The seconds that each move of all people took, at ``tables`` tables."""
    people = [person for _ in range(tables) for person in await people_at_a_table(server, key)]
    took: list[float] = []
    playing = [asyncio.create_task(person.play(took)) for person in people]
    await asyncio.wait(playing, timeout=seconds)
    for each in playing:
        each.cancel()
    return took


def main() -> None:
    """Print the 50th and the 95th percentile."""
    description = (__doc__ or "").partition(":")[0]
    parser = argparse.ArgumentParser(prog="python -m tools.table_load", description=description)
    parser.add_argument("--tables", type=int, default=20, help="tables, 1 to 20 (default 20)")
    parser.add_argument("--seconds", type=float, default=60.0, help="time to play (default 60)")
    plan = parser.parse_args()
    if not 1 <= plan.tables <= 20 or plan.seconds <= 0:
        parser.error("choose 1 to 20 tables and a positive number of seconds")
    command = [sys.executable, "-m", "train.cli", "play", "greedy", "--web", "--port", "0", "--forget"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            server, key = process.stdout.readline().split("http://")[1].strip().split("/#key=")
            moves = asyncio.run(measure(server, key, plan.tables, plan.seconds))
        finally:
            process.kill()
    half, most = np.percentile(moves, [50, 95]) * 1000
    print(f"{len(moves)} moves at {plan.tables} tables with {plan.tables * sum(TABS)} sockets: "
          f"50 % took {half:.0f} ms or less, 95 % {most:.0f} ms or less")  # fmt: skip


if __name__ == "__main__":
    main()
