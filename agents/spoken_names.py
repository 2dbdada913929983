"""What people call agents: :func:`short_name`, :func:`seat_names`, and one line on each, :func:`about`."""

import re
from collections.abc import Sequence
from pathlib import PurePath

from uno_env.common.importing import names_object

LONGEST = 40
"""Characters of a name."""
_PLAYERS = re.compile(r"-\d+p$")


def seat_names(specs: Sequence[str | None]) -> list[str]:
    """What the seats are called at first: agents by their spec, numbered where several are the same."""
    names = [f"Seat {number}" if spec is None else short_name(spec) for number, spec in enumerate(specs, 1)]
    return [
        name if names.count(name) == 1 else f"{name} {names[: number + 1].count(name)}"
        for number, name in enumerate(names)
    ]


def short_name(spec: str) -> str:
    """What an agent is called at the table: ``"Zoo duel"``, ``"Highest points"``, or the folder of a saved policy."""
    body = spec.partition("?")[0]
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


ABOUT = {
    "random": "takes any legal action; very weak",
    "random-play": "lays any card that fits; a beginner",
    "highest-points": "lays the card with the most points; easy",
    "save-wilds": "keeps its wilds for the end; average",
    "dump-wilds": "lays its wilds first; easy",
    "keep-zero": "keeps zeros and wilds for the end; average",
    "colour-major": "stays with the colour it holds most of; average",
    "aggressive": "lays cards that hurt others first; average",
    "counter": "lays the colour that the next player can least follow; average",
    "mixed": "plays like counter, but draws its card by lot; easy",
    "rlcard-rule": "the rule player of the RLCard library; easy",
    "greedy": "watches the table and looks one card ahead; strong",
    "tuned": "weighs all that good players look at; very strong",
}
"""What agents are and how strong, by their names; the words for strength follow the ladder
(docs/benchmarks/ladder.md)."""
_KINDS = {
    "zoo": "a network that has taught itself these rules; very strong",
    "search": "tries out many hands that you might hold; slow and very strong",
    "rlcard": "a player of the RLCard library",
    "cheat": "sees all hands; not for tables with people",
    "policy": "a policy that was trained and saved",
}


def about(spec: str) -> str:
    """One line on what an agent is."""
    body = spec.partition("?")[0]
    return ABOUT.get(body) or _KINDS.get(body.partition(":")[0]) or "a policy that was trained and saved"
