"""The options of a table, chosen before the first deal: :class:`Setup`."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, Literal, NamedTuple

from msgspec import Meta

import agents
from agents import Agent
from uno_env.common.phrases import Phrase
from uno_env.common.plain_text import printable
from uno_env.common.validation import convert
from uno_env.render.sentences import CATALOGUE
from uno_env.rules import PRESETS, Rules, as_rules
from uno_table.table.agent_names import seat_names, short_name
from uno_table.table.levels import LEVEL_OF, LEVELS, people_of
from uno_table.table.sentences import TABLE_SENTENCES, refusal, said_by, value_word

_say = TABLE_SENTENCES.phrase

LONGEST_NAME = 24
MOST_CHANGES = 3
"""Fields of rules that a title names."""
_Seconds = Annotated[float, Meta(ge=0, le=600)]
_Seed = Annotated[int, Meta(ge=0, le=2**53 - 1)]
"""A browser's numbers hold such seeds."""


@dataclass(frozen=True)
class Setup:
    """A table before the first deal. Raises ValueError if its seats do not fit its rules."""

    seats: tuple[str | None, ...]
    """By seat, clockwise: an agent's spec, or None for a person; the first is the person who sets it up."""
    rules: Rules
    """The rules, for as many players as there are seats."""
    match: bool = True
    """True if hand after hand counts towards a match (GUIDE.md 9); False if every hand stands alone."""
    hints: bool = True
    """True if people may ask for hints."""
    adviser: str = "zoo"
    """The agent that gives the hints."""
    reaction_seconds: _Seconds = 10.0
    """Time to catch, to call late and to jump in; 0 for no limit."""
    turn_seconds: _Seconds = 0.0
    """Time for any other decision; 0 for no limit."""
    secret_seconds: _Seconds = 5.0
    """Time of a person to jump in, to answer a penalty and to play a card just drawn, at a table of several people.

    All wait so long wherever the rules could ask a person that, so that nobody can tell who was asked. 0 for no limit:
    then the others wait only if somebody is asked, and notice it."""
    pace: _Seconds = 0.8
    """Seconds that an agent takes for a move, so that people can follow; one that thinks longer takes a multiple."""
    seed: _Seed = 0
    """Seed of the deals and the agents; game k (from 0) of the table is dealt from ``seed + k``."""
    level: Literal["", "easy", "medium", "hard", "master"] = ""
    """The level of "Play now" (:mod:`uno_table.table.levels`); empty for none."""
    cast: bool = False
    """True if agents that play at a level have the names of its people."""
    secret: Annotated[str, Meta(max_length=64)] = ""
    """A secret that games are dealt from instead of the seed, if it is not empty.

    A saved game tells its seed, and so it would tell the next deal."""

    def __post_init__(self) -> None:
        if self.rules.players != len(self.seats):
            raise ValueError(f"the rules are for {self.rules.players} players, and the table has {len(self.seats)}")
        if self.seats[0] is not None:
            raise ValueError("the first seat is that of the person who sets up the table, not an agent's")

    @classmethod
    def against(cls, specs: Sequence[str], rules: Rules, **changes: Any) -> "Setup":
        """One person against agents. ``specs`` are those of the agents, from the person's left on."""
        return cls((None, *specs), rules, **changes)

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> "Setup":
        """The setup of a form's values, ``rules`` with a ``preset``. Raises ValueError if one is not allowed."""
        seats = values.get("seats")
        players = len(seats) if isinstance(seats, list) else 2  # what is no list is refused below
        return convert({**values, "rules": rules_of(values.get("rules", {}), players)}, cls)


def rules_of(rules: Any, players: int) -> Rules:
    """Rules of a form's values, with a ``preset``. Raises ValueError if a value or a combination is not allowed."""
    if not isinstance(rules, Mapping):
        raise ValueError("rules must be a mapping of fields")
    try:
        return as_rules(rules, players)
    except TypeError:
        raise ValueError("rules must be a mapping of fields to plain values") from None


class LoadedAgents(NamedTuple):
    """The agents of a table."""

    players: list[Agent | None]
    """By seat; None for people."""
    advisers: dict[int, Agent]
    """By seat of a person, the agent that gives them hints; each has its own, so that nobody waits for another."""


def load_agents(setup: Setup, trusted: Collection[str] | None = None) -> LoadedAgents:
    """Load the agents at the seats, and those that give hints, if there are any.

    Code of users is loaded only if the spec that names it is ``trusted``; None: all are. Raises ValueError if there is
    no such agent, or it does not play by these rules.
    """

    def load(spec: str, seat: int, gives_hints: bool = False) -> Agent:
        seed = (setup.seed + seat) % 2**64
        try:
            agent = agents.load(spec, seed, setup.rules, trusted=trusted is None or spec in trusted)
            if agent.sees_all_hands:  # agents/search/cheating.py
                text = f"agent {spec!r} sees all hands: it may not sit with people, nor advise them"
                raise ValueError(Phrase(text, "refused.all_hands", agent=repr(spec)))
        except ValueError as error:
            why = said_by(error)
            if gives_hints:
                raise ValueError(Phrase(f"who gives hints: {why}", "refused.at_hints", why=why)) from None
            raise ValueError(Phrase(f"seat {seat + 1}: {why}", "refused.at_seat", number=seat + 1, why=why)) from None
        return agent

    players = [None if spec is None else load(spec, seat) for seat, spec in enumerate(setup.seats)]
    people = [seat for seat, spec in enumerate(setup.seats) if spec is None and setup.hints]
    return LoadedAgents(players, {seat: load(setup.adviser, seat, gives_hints=True) for seat in people})


def names_of(setup: Setup) -> list[str]:
    """The first names of the seats. Where people of the levels play, the agents have their names."""
    names = seat_names(setup.seats)
    if not setup.cast:
        return names
    return [person or name for person, name in zip(people_of(setup.seats), names, strict=True)]


def adviser_name(setup: Setup) -> str:
    """The name of the agent that gives hints. At a table with the people of the levels, it is the name of its level."""
    spec = setup.adviser
    return LEVELS[LEVEL_OF[spec]].title if setup.cast and spec in LEVEL_OF else short_name(spec)


def clean_name(name: Any) -> str:
    """A person's name with printable characters alone. Raises RefusedError if it is empty or too long."""
    printed = printable(name[: 10 * LONGEST_NAME]) if isinstance(name, str) else ""
    if not 1 <= len(printed) <= LONGEST_NAME:
        raise refusal("name", most=LONGEST_NAME, name=repr(printed[:40]), size=len(printed))
    return printed


def rules_title(setup: Setup) -> Phrase:
    """``"house, stacking any; match to 500 points"``."""
    return game_title(setup.rules, setup.match)


def game_title(rules: Rules, match: bool) -> Phrase:
    """The title of a game with some rules, in words for people: one hand after the other, or a match."""
    return CATALOGUE.joined("clauses", [rules_name(rules), _length(rules, match)])


@lru_cache(maxsize=64)
def rules_name(rules: Rules) -> Phrase:
    """Rules in words for people: the preset that is nearest, and what differs from it."""
    changes = {name: _changes(rules, name) for name in PRESETS}
    nearest = min(PRESETS, key=lambda name: len(changes[name]))
    different, preset = changes[nearest], Phrase(nearest.replace("_", " "), f"preset.{nearest}")
    more = different[MOST_CHANGES:]
    parts = [preset, *different[:MOST_CHANGES], *([_say("more_changes", number=len(more))] if more else [])]
    return CATALOGUE.joined("list", parts)


def _changes(rules: Rules, preset: str) -> list[Phrase]:
    before, now = Rules.preset(preset).to_dict(), rules.to_dict()
    return [_change(name, now[name]) for name in now if now[name] != before[name] and name != "players"]


def _change(name: str, value: object) -> Phrase:
    """A switch and its value, which pages call as the form does."""
    text = f"{name.replace('_', ' ')} {_value(value)}"
    return Phrase(text, "changed_rule", rule=_say(f"rule.{name}"), value=field_word(name, value))


def field_word(name: str, value: object) -> str | int:
    """The value of a field of rules in words for people. A deck or reflexes of one's own are not written out."""
    if isinstance(value, bool | str):
        return value_word(name, value)
    return value if isinstance(value, int) else _say("value_of_its_own")


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value).replace("_", " ") if isinstance(value, str | int) else "of its own"


def _length(rules: Rules, match: bool) -> Phrase:
    if not match:
        return _say("match.stands_alone")
    if rules.scoring == "hand":
        return _say("match.first_out")
    return _say("match.points", points=rules.target)
