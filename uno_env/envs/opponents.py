"""The players of the other seats while one seat learns: :class:`Opponents`."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from uno_env.common.copies import read_only
from uno_env.common.numbers import checked_seed, checked_whole
from uno_env.core.rng import stream
from uno_env.player import Player, as_player, is_player, load_player
from uno_env.rules import Rules

_FIRST_STREAM = 2**63 + 1
"""Of the streams of a seed that seed the agents, one for each; games have the streams below it."""


class Opponents:
    """The players at the seats to the learner's left, agents or specs for :func:`agents.load`, by relative seat.

    One alone, listed or not, plays all other seats. Who is listed several times is one agent, asked for several seats;
    :attr:`agents` has each once. ``seed`` seeds those given by spec. Raises ValueError if there is no such agent, or
    their number does not fit the table.
    """

    def __init__(self, opponents: Any, rules: Rules, seed: int = 0) -> None:
        listed = _listed(opponents, rules)
        keys = [str(opponent) if isinstance(opponent, str | Path) else id(opponent) for opponent in listed]
        distinct = dict(zip(keys, listed, strict=True))
        numbers = {key: number for number, key in enumerate(distinct, 1)}
        self._seating = np.array([0, *(numbers[key] for key in keys)], np.int64)
        self.agents = [
            load_player(each, _seed_of(seed, number), rules) if isinstance(each, str | Path) else as_player(each)
            for number, each in enumerate(distinct.values())
        ]

    @property
    def seating(self) -> npt.NDArray[np.int64]:
        """The number of the player at each relative seat, int64 [players], read-only.

        It is 0 for the learner, whose seat is the first, and n for the n-th of :attr:`agents`.
        """
        view: npt.NDArray[np.int64] = read_only(self._seating)
        return view

    def __repr__(self) -> str:
        return repr([self.agents[number - 1] for number in self._seating[1:]])

    def reset(self, seed: int) -> None:
        """Restart all agents' generators as if made with ``seed``. Raises ValueError if it is no seed."""
        checked_seed(seed)
        for number, agent in enumerate(self.agents):
            agent.reset(_seed_of(seed, number))

    def at(self, relative_seat: int) -> Player:
        """The agent that many seats to the learner's left, 1 or more. Raises ValueError if nobody sits there."""
        checked_whole("relative_seat", relative_seat, 1, len(self._seating) - 1)
        return self.agents[self._seating[relative_seat] - 1]


def _listed(opponents: Any, rules: Rules) -> list[Any]:
    """The opponents by relative seat, as many as there are other seats."""
    others = rules.players - 1
    alone = isinstance(opponents, str | Path) or is_player(opponents) or not isinstance(opponents, Iterable)
    listed = [opponents] if alone else list(opponents)
    if len(listed) not in (1, others):
        allowed = "1" if others == 1 else f"1 or {others}"
        raise ValueError(f"opponents={opponents!r} is not allowed: list {allowed} for {rules.players} players")
    return listed * (others if len(listed) == 1 else 1)


def _seed_of(seed: int, number: int) -> int:
    return int(stream(np.uint64(seed), np.uint64(_FIRST_STREAM + number)))
