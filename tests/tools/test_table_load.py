"""The people of ``python -m tools.table_load`` play, and think before each move."""

import asyncio
from typing import Any

import pytest

from tests.uno_table.wire import DEFAULTS, running
from tools.table_load import Person, measure, post
from uno_table.web.lobby import Lobby


@pytest.mark.parametrize(("pause", "plays"), [((0.0, 0.0), True), ((1e3, 2e3), False)])
def test_people_think_before_they_move(pause: tuple[float, float], plays: bool) -> None:
    lobby = Lobby(DEFAULTS)
    with running(lobby) as port:
        took = asyncio.run(measure(f"127.0.0.1:{port}", lobby.key, 2, 3.0, pause, seed=0))
    assert bool(took) is plays
    assert all(seconds > 0 for seconds in took)


def test_somebody_sees_the_table_without_playing() -> None:
    """So ``tools.first_minute`` measures the first hint."""
    lobby = Lobby(DEFAULTS)

    async def first_hint(server: str) -> dict[str, Any]:
        values = {"name": "You", "seats": [None, "greedy"], "rules": {"preset": "duel"}, "adviser": "greedy"}
        opened = await asyncio.to_thread(post, server, "", values, lobby.key)
        person = Person(server, opened["table"], opened["token"])
        await person.open_tabs(1)
        await person.say(type="hints", on=True)
        async with asyncio.timeout(120):
            return await person.state(lambda state: bool(state["hand"] and state.get("hints")))

    with running(lobby) as port:
        assert asyncio.run(first_hint(f"127.0.0.1:{port}"))["hand"]
