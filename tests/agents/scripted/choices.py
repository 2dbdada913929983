"""Choices of every scripted strategy in the same positions: ``python -m tests.agents.scripted.choices FILE``.

With ``NUMBA_DISABLE_JIT=1`` the same source runs as plain Python, with a table that has one more name in its middle.
"""

import sys
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from agents.scripted.agent import ScriptedAgent, new_scratch
from agents.scripted.dispatch import STRATEGIES, STRATEGY_NUMBERS, DecideBy, decide, decide_by_number
from agents.scripted.faces import faces_of
from tests.helpers.positions import MORE_TABLES, TABLES, asked
from uno_env.core.jit.njit import INTERPRETED
from uno_env.editions.classic import CLASSIC

MANY_AT = (("duel", 2), ("house", 4), ("edition_2018", 3), ("rlcard", 2))
"""Tables of the many positions in which choices are kept."""
Choices = dict[str, npt.NDArray[np.int64]]


def choices_by_number(decide: DecideBy, numbers: dict[str, int]) -> Choices:
    """What each strategy does, called by its number as a playout calls it."""
    return {name: _by_number(decide, name, numbers[name]) for name in STRATEGIES}


def _by_number(decide: DecideBy, name: str, number: int) -> npt.NDArray[np.int64]:
    faces, scratch = faces_of(CLASSIC)[0], new_scratch(name, np.array([7], np.uint64))
    return np.array([decide(number, faces, row, mask, scratch) for row, mask in zip(*_positions(), strict=True)])


def choices_by_name(many: bool = False) -> Choices:
    """What each strategy does, called as an agent is called; in ``many`` positions if code is compiled."""
    return {name: _by_name(name, many) for name in STRATEGIES}


def _by_name(name: str, many: bool) -> npt.NDArray[np.int64]:
    agent = ScriptedAgent(name)
    agent._scratch.random[0] = 7
    return agent.act_batch(*_positions(many))


def with_a_name_inserted() -> Choices:
    """:func:`choices_by_number` with a table that has one more name in its middle."""
    table = list(STRATEGIES.items())
    table.insert(len(table) // 2, ("new", STRATEGIES["random"]))
    numbers = {name: number for number, (name, _) in enumerate(table)}
    return choices_by_number(decide_by_number([strategy.decide for _, strategy in table]), numbers)


@cache
def _positions(many: bool = False) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8]]:
    at, steps, games, every = (MANY_AT, 100, 32, 1) if many else ((*TABLES, *MORE_TABLES), 40, 3, 4)
    tables = [asked(*table, steps=steps, games=games) for table in at]
    rows, masks = (np.concatenate(parts) for parts in zip(*tables, strict=True))
    return rows[::every], masks[::every]


if __name__ == "__main__":
    assert INTERPRETED
    ways = {"by name": choices_by_name(), "by number": choices_by_number(decide, STRATEGY_NUMBERS)}
    ways["with a name inserted"] = with_a_name_inserted()
    np.savez(Path(sys.argv[1]), **{f"{way}/{name}": made for way, each in ways.items() for name, made in each.items()})
