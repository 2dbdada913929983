"""The table of what differs between the doors (docs/environment.md), and what a door does in truth."""

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from tests.helpers import ROOT
from uno_env import Rules

SHORT = {"preset": "starter", "hand_size": 2}
"""Rules of two players, of whose hands few decisions are needed."""


class Door(NamedTuple):
    """One game behind a door, dealt."""

    rules: Rules
    names: Callable[[], dict[str, Any]]
    """What a program has at hand, by the names of the page; ``observation`` is that of the player to move."""
    step: Callable[[int], tuple[Any, bool]]
    """Do an action: the rewards, a number for each seat or one alone, and whether the hand is over."""


class Seen(dict[str, Any]):
    """An observation that is a mapping, with the dtype of its array."""

    def __init__(self, parts: Mapping[str, Any], array: str) -> None:
        super().__init__(parts)
        self.dtype = parts[array].dtype


def doors() -> dict[str, list[str]]:
    """The cells of the table, by the name of the door."""
    text = (ROOT / "docs" / "environment.md").read_text(encoding="utf-8")
    section = text.partition("\n## What differs between the doors\n")[2].partition("\n## ")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in re.findall(r"^\|.*\|$", section, re.M)]
    return {name.strip("`"): cells for name, *cells in rows[2:]}


def verify_door(name: str, open_door: Callable[..., Door]) -> None:
    """Fail unless a door does what its row of the table says. ``open_door`` takes rules, or nothing for the default."""
    default, observation, mask, place, illegal, rewards, next_hand = doors()[name]
    where = re.findall("`([^`]*)`", place)[0]
    door = open_door()
    assert default == f"`{next(preset for preset in ('classic', 'starter') if _is(door.rules, preset))}`"
    assert door.names()["observation"].dtype == observation
    assert str(eval(where, door.names()).dtype).removeprefix("torch.") == mask
    assert illegal == _illegal(door, where)
    assert (rewards, next_hand) == _end(open_door(rules=SHORT), where)


def _is(rules: Rules, preset: str) -> bool:
    return rules == Rules.preset(preset, players=rules.players)


def _mask(door: Door, where: str) -> Any:
    return np.asarray(eval(where, door.names())).reshape(-1)


def _illegal(door: Door, where: str) -> str:
    try:
        rewards, over = door.step(int(_mask(door, where).argmin()))
    except ValueError:
        return "is an error"
    assert over
    assert np.min(rewards) == -1
    return "loses the hand, −1" if np.ndim(rewards) == 0 else "ends the hand, −1"


def _end(door: Door, where: str) -> tuple[str, str]:
    """Whose rewards come at the end of a hand, none before, and when the next one is dealt."""
    over = False
    while not over:
        rewards, over = door.step(int(_mask(door, where).argmax()))
        assert over or not np.any(rewards)
    assert np.all(rewards)
    whose = "of your seat" if np.ndim(rewards) == 0 else "of every seat"
    if _mask(door, where).any():
        return whose, "in the same step"
    try:
        door.step(0)
    except Exception:  # each library has its own
        return whose, "at your `reset`"
    return whose, "in the next step" if _mask(door, where).any() else "at your `reset`"
