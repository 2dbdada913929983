"""Speeds measured in turns in one process, so that whatever else the machine does touches all alike."""

import time
from collections.abc import Callable, Mapping
from typing import Any

Turn = Callable[[], Any]
"""Does some work, and returns how much: a number, or an array of several counts."""


def take_turns(
    turns: Mapping[str, Turn], repeats: int, seconds: float, done: Callable[[], object] = lambda: None
) -> dict[str, list[Any]]:
    """Work a second of each, for every turn but the first, which is not counted.

    Args:
        turns: what is measured, by name.
        repeats: turns of each that count.
        seconds: length of a turn at least.
        done: called after every turn.
    """
    speeds: dict[str, list[Any]] = {name: [] for name in turns}
    for repeat in range(repeats + 1):
        for name, turn in turns.items():
            speed = speed_of(turn, seconds if repeat else 0.0)
            if repeat:
                speeds[name].append(speed)
            done()
    return speeds


def speed_of(turn: Turn, seconds: float) -> Any:
    """Work a second, of turns that take so many seconds together, or one turn."""
    work, began = 0, time.perf_counter()
    while True:
        work = work + turn()
        elapsed = time.perf_counter() - began
        if elapsed >= seconds:
            return work / elapsed
