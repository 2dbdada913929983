"""What is agreed before the first deal: :class:`Setup`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import agents
from agents import Agent
from uno_env.core.record import MAX_SEATS
from uno_env.rules import Rules, as_rules

LONGEST_NAME = 24
MOST_SECONDS = 600.0
SEEDS = 2**53
"""Seeds of a table stay below, so that a browser's numbers hold them."""


@dataclass(frozen=True)
class SeatSetup:
    """Who is to sit at a seat: a person, or the agent of a spec (see :func:`agents.load`)."""

    agent: str | None = None
    """None for a person."""


@dataclass(frozen=True)
class Setup:
    """A table before the first deal; a value that is not allowed raises :class:`ValueError` naming it."""

    seats: tuple[SeatSetup, ...]
    """By seat, clockwise; the first is the person who sets up the table."""
    rules: Rules
    """For as many players as there are seats."""
    match: bool = True
    """Whether hand after hand counts towards a match (GUIDE.md 9.2), or every hand stands alone."""
    hints: bool = True
    """Whether people may ask for hints."""
    adviser: str = "greedy"
    """The agent that gives the hints."""
    reaction_seconds: float = 10.0
    """Time to catch, to call late and to jump in; 0 for no limit."""
    turn_seconds: float = 0.0
    """Time for any other decision; 0 for no limit."""
    pace: float = 0.8
    """Seconds that an agent takes for a move, so that people can follow."""
    seed: int = 0
    """What chance begins with; game k (from 0) of the table is dealt from ``seed + k``."""

    def __post_init__(self) -> None:
        if not 2 <= len(self.seats) <= MAX_SEATS:
            raise ValueError(f"{len(self.seats)} seats are not allowed: a table has 2 to {MAX_SEATS}")
        if self.seats[0].agent is not None:
            raise ValueError("the first seat is that of the person who sets up the table, not an agent's")
        if self.rules.players != len(self.seats):
            raise ValueError(f"the rules are for {self.rules.players} players, and the table has {len(self.seats)}")
        for name in ("reaction_seconds", "turn_seconds", "pace"):
            _check_seconds(name, getattr(self, name))
        for name in ("match", "hints"):
            if not isinstance(getattr(self, name), bool):
                raise ValueError(f"{name}={getattr(self, name)!r} is not allowed: choose true or false")
        _check_seed(self.seed)

    @classmethod
    def against(cls, specs: Sequence[str], rules: Rules, **changes: Any) -> "Setup":
        """One person against agents; ``specs`` are those to the person's left."""
        return cls((SeatSetup(), *map(SeatSetup, specs)), rules, **changes)

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> "Setup":
        """The setup of plain values, as a form sends them.

        Args:
            values: the fields of this class; ``seats`` as a list with the spec of each seat, None for a person;
                ``rules`` as a mapping of rules with a ``preset``, without ``players``.

        Raises:
            ValueError: a value is not allowed, or there is no such field.
        """
        known = [field.name for field in fields(cls)]
        for name in values:
            if name not in known:
                raise ValueError(f"unknown field {name!r}: a table has {', '.join(known)}")
        seats = values.get("seats")
        if not isinstance(seats, list) or not all(spec is None or isinstance(spec, str) for spec in seats):
            raise ValueError("seats must be a list with an agent for each seat, or null for a person")
        rules = rules_of(values.get("rules", {}), len(seats))
        return cls(**{**values, "seats": tuple(map(SeatSetup, seats)), "rules": rules})


def rules_of(values: Any, players: int) -> Rules:
    """Rules of plain values as a form sends them: a mapping of fields with a ``preset``.

    Raises:
        ValueError: a value or a combination is not allowed.
    """
    if not isinstance(values, Mapping):
        raise ValueError("rules must be a mapping of fields")
    try:
        return as_rules(values, players)
    except TypeError:
        raise ValueError("rules must be a mapping of fields to plain values") from None


def load_agents(setup: Setup) -> tuple[list[Agent | None], Agent | None]:
    """The agents at the seats (None for people), and the one that gives hints, if there are any.

    Raises:
        ValueError: there is no such agent, or it does not play by these rules.
    """
    players = [
        None if seat.agent is None else _load(seat.agent, setup.seed + place, setup.rules)
        for place, seat in enumerate(setup.seats)
    ]
    adviser = _load(setup.adviser, setup.seed, setup.rules) if setup.hints else None
    return players, adviser


def _load(spec: str, seed: int, rules: Rules) -> Agent:
    agent = agents.load(spec, seed, rules)
    if agent.sees_all_hands:  # agents/search/cheating.py
        raise ValueError(f"agent {spec!r} sees all hands: it may not sit at a table with people, nor advise them")
    return agent


def clean_name(name: Any) -> str:
    """A person's name without what does not belong on a screen.

    Raises:
        ValueError: nothing is left, or it is too long.
    """
    if not isinstance(name, str):
        raise ValueError("a name is a text")
    name = " ".join("".join(char if char.isprintable() else " " for char in name[: 10 * LONGEST_NAME]).split())
    if not 1 <= len(name) <= LONGEST_NAME:
        raise ValueError(f"a name has 1 to {LONGEST_NAME} characters, and {name[:40]!r} has {len(name)}")
    return name


def _check_seed(seed: Any) -> None:
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < SEEDS:
        raise ValueError(f"seed={seed!r} is not allowed: choose a whole number from 0 to {SEEDS - 1}")


def _check_seconds(name: str, value: Any) -> None:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not 0 <= value <= MOST_SECONDS:
        raise ValueError(f"{name}={value!r} is not allowed: choose seconds from 0 to {MOST_SECONDS:g}")
