"""Names in files and messages that somebody else may have written: :func:`verify_name` decides for all of them.

A name that the user types, or gives in Python, is trusted. One in a file, or from a browser, is not: it may be that of
a saved policy or of an agent that plays by what its seat sees, but none of the three of :class:`Risk`. The files are
cards of submissions, configs, the folders of runs, tournaments that are resumed, and saved tables. ``--trust-code``
takes from a file what the command line may name.
"""

import importlib.util
import re
from collections.abc import Collection, Iterator, Mapping
from enum import Enum
from pathlib import Path
from typing import Any

from agents.custom_agents import offered
from uno_env.common.errors import NotAllowedError
from uno_env.common.importing import names_object, search_in
from uno_env.common.validation import short_repr

OPTION = "--trust-code"
"""The option of the commands that read such files."""
DATA_KINDS = ("policy", "zoo", "rlcard", "search")
"""Kinds of agents, written ``kind:argument``, that have no risk: they are data, or code of this project."""
OURS = ("tools", "examples")
"""Folders of a checkout with code that its configs name."""
_CHECKOUT = Path(__file__).resolve().parents[1]


class Risk(Enum):
    """The things that an agent may do besides playing by what its seat sees. Each has the words that a refusal begins
    with.
    """

    CODE = "is code, and names of code"
    """``module:Name`` or ``file.py:Name``: importing it runs it, with the rights of the user."""
    ADDRESS = "calls an address, and addresses"
    """It asks a server: for a policy's file, or how to decide. The latter gets the game, and the key of an environment
    variable."""
    ALL_HANDS = "is not allowed: an agent that sees all hands plays only where games are evaluated, and such agents"


RISKY_KINDS = {"chat": Risk.ADDRESS, "http": Risk.ADDRESS, "https": Risk.ADDRESS, "cheat": Risk.ALL_HANDS}
"""Kinds of agents that have one."""


def risk_of(name: str) -> Risk | None:
    """The risk of an agent's spec, its options included, which may name agents; nothing is imported to find it."""
    for part in re.split("[?&=]", name):
        kind, colon, _ = part.partition(":")
        if colon and kind in RISKY_KINDS:
            return RISKY_KINDS[kind]
        if part.startswith(("\\\\", "//")):  # a file on another machine, to Windows
            return Risk.ADDRESS
        if names_object(part) and kind not in DATA_KINDS and part not in offered():
            return Risk.CODE
    return None


def verify_name(name: str, field: str = "agent ", allowed: Collection[Risk] = ()) -> None:
    """Raise :class:`ValueError` if a name that is not trusted has a risk that is not ``allowed``.

    ``field`` is what the sentence calls it, such as ``"agent "`` or ``"opponent="``.
    """
    risk = risk_of(name)
    if risk is not None and risk not in allowed:
        raise refusal(name, risk, field)


def verify_names(values: Mapping[str, Any], typed: Collection[str] = ()) -> None:
    """Raise :class:`ValueError` if a text in the plain values of a file names an agent with a risk, wherever it stands.

    ``typed`` are names that the user has typed: they are trusted.
    """
    for field, value in values.items():
        for text in texts_in(value):
            if text not in typed:
                verify_name(text, f"{field}=")


def is_ours(name: str) -> bool:
    """True if ``module:Name`` or ``file.py:Name`` is code of this checkout, in one of the folders :data:`OURS`.

    It is as trusted as the program itself, but only where the object is checked before it is called, as learners are:
    a module holds all that it has imported, too. Nothing is imported to find it.
    """
    source, colon, _ = name.rpartition(":")
    if not colon or not (_CHECKOUT / "pyproject.toml").is_file():
        return False
    if source.endswith(".py"):
        return any(Path(source).resolve().is_relative_to(_CHECKOUT / folder) for folder in OURS)
    package = source.partition(".")[0]
    if package not in OURS:
        return False
    search_in(Path.cwd())
    found = importlib.util.find_spec(package)
    places = [] if found is None else list(found.submodule_search_locations or ())
    return [Path(place).resolve() for place in places] == [_CHECKOUT / package]


def texts_in(value: Any) -> Iterator[str]:
    """All texts in a plain value, keys included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, each in value.items():
            yield from texts_in(key)
            yield from texts_in(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from texts_in(each)


def refusal(name: str, risk: Risk, field: str = "agent ") -> NotAllowedError:
    """The error that refuses a name."""
    text = (
        f"{field}{short_repr(name)} {risk.value} are taken from the command line and from Python alone, not from files "
        f"or messages; a command that has {OPTION} takes them from its file"
    )
    return NotAllowedError(text, risk.name.lower(), agent=name)
