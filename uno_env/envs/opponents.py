"""Who plays the other seats where one seat learns: :class:`Opponents`."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from uno_env.core.rng import stream
from uno_env.player import Player, as_player, is_player, load_player
from uno_env.rules import Rules

_CHANCE = 2**63 + 1
"""Streams of a seed from which the agents' chance begins, one for each; below it, games have theirs."""


class Opponents:
    """The players at the seats to the learner's left.

    Args:
        opponents: agents, or specs for :func:`agents.load`, by place to the learner's left; one alone, listed or not,
            plays all other seats. Who is listed several times is one agent, asked for several seats.
        rules: the rules of the table.
        seed: what the chance of agents given by spec begins with.

    Attributes:
        agents: every agent once.
        seating: int64 [players], by place to the learner's left the number of who sits there: 0 for the learner, whose
            place is the first, n for the n-th of :attr:`agents`.

    Raises:
        ValueError: there is no such agent, or their number does not fit the table.
    """

    def __init__(self, opponents: Any, rules: Rules, seed: int = 0) -> None:
        listed = _listed(opponents, rules)
        distinct: list[Any] = []
        for opponent in listed:
            if not any(_same(opponent, other) for other in distinct):
                distinct.append(opponent)
        numbers = [next(n for n, other in enumerate(distinct, 1) if _same(opponent, other)) for opponent in listed]
        self.seating = np.array([0, *numbers], np.int64)
        self.agents = [_player(opponent, _start(seed, number), rules) for number, opponent in enumerate(distinct)]

    def reset(self, seed: int) -> None:
        """Restart the random generators of all agents, as if made with ``seed``."""
        for number, agent in enumerate(self.agents):
            agent.reset(_start(seed, number))

    def at(self, place: int) -> Player:
        """The agent that many places to the learner's left, 1 or more."""
        return self.agents[self.seating[place] - 1]


def _listed(opponents: Any, rules: Rules) -> list[Any]:
    """The opponents by place, as many as there are other seats."""
    others = rules.players - 1
    alone = _is_one(opponents) or not isinstance(opponents, Iterable)
    listed = [opponents] if alone else list(opponents)
    if len(listed) not in (1, others):
        allowed = "1" if others == 1 else f"1 or {others}"
        raise ValueError(f"opponents={opponents!r} is not allowed: list {allowed} for {rules.players} players")
    return listed * (others if len(listed) == 1 else 1)


def _is_one(opponent: Any) -> bool:
    return isinstance(opponent, str | Path) or is_player(opponent)


def _same(one: Any, other: Any) -> bool:
    specs = isinstance(one, str | Path) and isinstance(other, str | Path)
    return str(one) == str(other) if specs else one is other


def _player(opponent: Any, seed: int, rules: Rules) -> Player:
    return load_player(opponent, seed, rules) if isinstance(opponent, str | Path) else as_player(opponent)


def _start(seed: int, number: int) -> int:
    return int(stream(np.uint64(seed), np.uint64(_CHANCE + number)))
