"""Names of agents for people: :func:`short_name`, :func:`seat_names`, and one line on each, :func:`about`.

They are phrases, which the table in the browser says in the reader's language.
"""

import re
from collections.abc import Sequence
from pathlib import PurePath
from urllib.parse import parse_qs

from agents.scripted.dispatch import STRATEGIES
from uno_env.common.importing import names_object
from uno_env.common.phrases import Phrase

LONGEST = 40
"""Characters of a name."""
_PLAYERS = re.compile(r"-\d+p$")

KINDS = {
    "zoo": "a network that has taught itself these rules; very strong",
    "search": "tries out many hands that you might hold; slow and very strong",
    "rlcard": "a player of the RLCard library",
    "cheat": "sees all hands; not for tables with people",
    "chat": "a language model behind an address",
    "policy": "a policy that was trained and saved",
}
"""One line on each kind of agents that are no strategy."""
_NETWORKS = ("any", "classic", "duel", "house", "rlcard")
"""What stands behind the colon of the shipped networks, without the number of players."""


def seat_names(specs: Sequence[str | None]) -> list[str]:
    """The first names of seats: agents have the name of their spec, with a number if several are the same."""
    names = [_unknown(number) if spec is None else short_name(spec) for number, spec in enumerate(specs, 1)]
    return [
        name if names.count(name) == 1 else _numbered(name, names[: seat + 1].count(name))
        for seat, name in enumerate(names)
    ]


def _unknown(seat: int) -> str:
    return Phrase(f"Seat {seat}", "seat", number=seat)


def _numbered(name: str, number: int) -> str:
    return Phrase(f"{name} {number}", "agent.numbered", name=name, number=number)


def short_name(spec: str) -> str:
    """The name of an agent at the table: ``"Zoo duel"``, ``"Highest points"``, or the folder of a saved policy.

    A name that somebody else gave, such as that of a folder, is the same in all languages.
    """
    name, kind, preset = _english_name(spec), _kind(spec), _preset(spec)
    if kind in STRATEGIES:
        return Phrase(name, f"agent.{kind}")
    return Phrase(name, f"agent.zoo.{preset}") if kind == "zoo" and preset in _NETWORKS else name


def _english_name(spec: str) -> str:
    body = spec.partition("?")[0]
    if body.startswith("chat:"):
        return parse_qs(spec.partition("?")[2]).get("model", ["Chat"])[0][:LONGEST]
    kind, colon, argument = body.rpartition(":")
    if names_object(body) and kind not in KINDS:
        return argument[:LONGEST]
    if "/" in body or "\\" in body or "." in body:
        path = PurePath(argument.replace("\\", "/"))
        return (path.parent.name if path.stem == "policy" and path.parent.name else path.stem)[:LONGEST]
    if colon:
        body = f"{kind} {_preset(spec)}"
    words = body.replace("-", " ").replace("_", " ")[:LONGEST]
    return f"{words[:1].upper()}{words[1:]}".replace("Rlcard", "RLCard")


def about(spec: str) -> Phrase:
    """One line on what an agent is."""
    kind = _kind(spec)
    return Phrase(STRATEGIES[kind].about if kind in STRATEGIES else KINDS[kind], f"agent.{kind}.about")


def _kind(spec: str) -> str:
    """The name of an agent's strategy, or what kind of agent it is."""
    body = spec.partition("?")[0]
    kind = body if body in STRATEGIES else body.partition(":")[0]
    return kind if kind in STRATEGIES or kind in KINDS else "policy"


def _preset(spec: str) -> str:
    """What stands behind the colon of a spec, without the number of players: ``"duel"`` of ``"zoo:duel-2p"``."""
    return _PLAYERS.sub("", spec.partition("?")[0].rpartition(":")[2])
