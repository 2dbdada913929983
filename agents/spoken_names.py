"""Names of agents for people, in English: :func:`short_name`, :func:`seat_names`."""

import re
from collections.abc import Callable, Sequence
from pathlib import PurePath
from urllib.parse import parse_qs

from uno_env.common.importing import names_object

LONGEST = 40
"""Characters of a name."""
_PLAYERS = re.compile(r"-\d+p$")
_KINDS = ("zoo", "search", "rlcard", "cheat", "chat", "policy")


def short_name(spec: str) -> str:
    """The name of an agent: ``"Zoo duel"``, ``"Highest points"``, or the folder of a saved policy."""
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


def seat_names(names: Sequence[str], numbered: Callable[[str, int], str] = "{} {}".format) -> list[str]:
    """The names of seats; names that are the same get a number."""
    return [
        name if names.count(name) == 1 else numbered(name, names[: seat + 1].count(name))
        for seat, name in enumerate(names)
    ]
