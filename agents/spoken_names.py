"""Names of agents for people: :func:`short_name`, :func:`seat_names`, and one line on each, :func:`about`."""

import re
from collections.abc import Sequence
from pathlib import PurePath
from urllib.parse import parse_qs

from agents.scripted.dispatch import STRATEGIES
from uno_env.common.importing import names_object

LONGEST = 40
"""Characters of a name."""
_PLAYERS = re.compile(r"-\d+p$")


def seat_names(specs: Sequence[str | None]) -> list[str]:
    """The first names of seats: agents have the name of their spec, with a number if several are the same."""
    names = [f"Seat {number}" if spec is None else short_name(spec) for number, spec in enumerate(specs, 1)]
    return [
        name if names.count(name) == 1 else f"{name} {names[: number + 1].count(name)}"
        for number, name in enumerate(names)
    ]


def short_name(spec: str) -> str:
    """The name of an agent at the table: ``"Zoo duel"``, ``"Highest points"``, or the folder of a saved policy."""
    body = spec.partition("?")[0]
    if body.startswith("chat:"):
        return parse_qs(spec.partition("?")[2]).get("model", ["Chat"])[0][:LONGEST]
    kind, colon, argument = body.rpartition(":")
    if names_object(body) and kind not in _KINDS:
        return argument[:LONGEST]
    if "/" in body or "\\" in body or "." in body:
        path = PurePath(argument.replace("\\", "/"))
        return (path.parent.name if path.stem == "policy" and path.parent.name else path.stem)[:LONGEST]
    if colon:
        body = f"{kind} {_PLAYERS.sub('', argument)}"
    words = body.replace("-", " ").replace("_", " ")[:LONGEST]
    return f"{words[:1].upper()}{words[1:]}".replace("Rlcard", "RLCard")


_KINDS = {
    "zoo": "a network that has taught itself these rules; very strong",
    "search": "tries out many hands that you might hold; slow and very strong",
    "rlcard": "a player of the RLCard library",
    "cheat": "sees all hands; not for tables with people",
    "chat": "a language model behind an address",
    "policy": "a policy that was trained and saved",
}


def about(spec: str) -> str:
    """One line on what an agent is."""
    body = spec.partition("?")[0]
    if body in STRATEGIES:
        return STRATEGIES[body].about
    return _KINDS.get(body.partition(":")[0], _KINDS["policy"])
