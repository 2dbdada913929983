"""The time that a move takes at tables in the browser while many sockets are open: ``python -m tools.table_load``.

A server is started, tables are set up, and three people at each of them play with ten tabs open. They think before
each move, for a time by chance. A move takes from its message to the state after it, as the tab that was opened last is
sent it. With ``--pause 0 0`` nobody thinks: this measures how many moves a second the server can do.
"""

import argparse
import asyncio
import json
import random
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
        self._shown: dict[str, Any] = {"hand": [], "moves": [], "result": None}
        self._news = asyncio.Event()
        self._readers: list[asyncio.Task[None]] = []

    async def open_tabs(self, number: int) -> None:
        """Open ``number`` tabs, each of which says hello. The last one is looked at."""
        for _ in range(number):
            self._tabs.append(await connect(self._address, max_queue=None))
            await self._tabs[-1].send(self._hello)
        readers = [*map(_read_all, self._tabs[:-1]), self._look(self._tabs[-1])]
        self._readers = [asyncio.create_task(each) for each in readers]

    async def play(self, pause: Callable[[], float], took: list[float]) -> None:
        """Play until cancelled; add to ``took`` the seconds that each move took.

        Before each move, the person thinks for the seconds that ``pause`` returns. If the question is gone then, such
        as a chance to catch somebody, the person does not answer it.
        """
        while True:
            asked = await self.state(lambda new: bool(new["result"] or _actions(new)))
            await asyncio.sleep(pause())
            if self._shown["ticket"] != asked["ticket"]:
                continue
            if self._shown["result"]:
                await self.say(type="go_on")
                await self.state(lambda new: not new["result"])
                continue
            begun = time.monotonic()
            await self.say(type="move", action=_actions(self._shown)[0], ticket=asked["ticket"])
            await self.state(partial(_is_another, asked["ticket"]))
            took.append(time.monotonic() - begun)

    async def state(self, is_wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The first state from the present one on that is wanted."""
        while not is_wanted(self._shown):
            self._news.clear()
            await self._news.wait()
        return self._shown

    async def say(self, **message: Any) -> None:
        await self._tabs[0].send(json.dumps(message))

    async def _look(self, tab: ClientConnection) -> None:
        """Keep the state that a tab shows."""
        async for text in tab:
            message = json.loads(text)
            if message["type"] == "state":
                self._shown = message
                self._news.set()


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
    shown = await people[0].state(lambda new: bool(new.get("invitations")))
    for invited in shown["invitations"]:
        body = {"invitation": invited["invitation"], "name": f"Guest {invited['seat']}"}
        seat = await asyncio.to_thread(post, server, f"/{opened['table']}/seats", body)
        people.append(Person(server, opened["table"], seat["token"]))
    for person, tabs in zip(people[1:], TABS[1:], strict=True):
        await person.open_tabs(tabs)
    return people


async def measure(
    server: str, key: str, tables: int, seconds: float, pause: tuple[float, float], seed: int
) -> list[float]:
    """The seconds that each move of all people took, at ``tables`` tables.

    Args:
        server: its address, such as ``"127.0.0.1:8137"``.
        key: what shows the server that the host asks.
        tables: their number.
        seconds: the time to play.
        pause: the shortest and the longest time in seconds that people think before a move.
        seed: that of the times that people think.
    """
    people = [person for _ in range(tables) for person in await people_at_a_table(server, key)]
    by_chance = partial(random.Random(seed).uniform, *pause)
    took: list[float] = []
    playing = [asyncio.create_task(person.play(by_chance, took)) for person in people]
    done, _ = await asyncio.wait(playing, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    for each in playing:
        each.cancel()
    for each in done:
        each.result()
    return took


def main() -> None:
    """Print how many moves were played in a second, and the 50th and the 95th percentile of their times."""
    description = (__doc__ or "").partition(":")[0]
    parser = argparse.ArgumentParser(prog="python -m tools.table_load", description=description)
    parser.add_argument("--tables", type=int, default=20, help="tables, 1 to 20 (default 20)")
    parser.add_argument("--seconds", type=float, default=60.0, help="time to play (default 60)")
    parser.add_argument(
        "--pause", type=float, nargs=2, default=(1.0, 3.0), metavar=("SHORTEST", "LONGEST"),
        help="seconds that people think before a move (default 1 3)",
    )  # fmt: skip
    parser.add_argument("--seed", type=int, default=0, help="seed of the times that people think (default 0)")
    plan = parser.parse_args()
    shortest, longest = plan.pause
    if not 1 <= plan.tables <= 20 or plan.seconds <= 0 or not 0 <= shortest <= longest:
        parser.error("choose 1 to 20 tables, a positive number of seconds, and pauses of 0 seconds or more in order")
    command = [sys.executable, "-m", "train.cli", "play", "greedy", "--web", "--port", "0", "--forget"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            server, key = process.stdout.readline().split("http://")[1].strip().split("/#key=")
            moves = asyncio.run(measure(server, key, plan.tables, plan.seconds, (shortest, longest), plan.seed))
        finally:
            process.kill()
    if not moves:
        sys.exit(f"nobody made a move within {plan.seconds:g} seconds; choose more with --seconds")
    half, most = np.percentile(moves, [50, 95]) * 1000
    print("tables  sockets  moves  moves a second  50 % within  95 % within")
    print(f"{plan.tables:6}  {plan.tables * sum(TABS):7}  {len(moves):5}  {len(moves) / plan.seconds:14.1f}"
          f"  {half:8.0f} ms  {most:8.0f} ms")  # fmt: skip


if __name__ == "__main__":
    main()
