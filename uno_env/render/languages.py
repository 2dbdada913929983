"""The languages of the pages for browsers, and the texts in each: :func:`languages`.

There is one file a language in ``strings/``, with the sentences of :mod:`uno_env.render.sentences` and the texts of a
replay's page.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

STRINGS = Path(__file__).parent / "strings"
"""The files of the languages, and the scripts that say a text in one of them (``translate.js``, ``phrases.js``)."""
ENGLISH = "en"

Texts: TypeAlias = Mapping[str, Any]
"""Each text, or its forms, by key."""


@dataclass(frozen=True)
class Language:
    """A language that pages speak."""

    code: str
    name: str
    """The name of the language in that language."""
    draft: bool
    """True if nobody who speaks it has read all of it yet."""
    texts: Texts


@cache
def languages() -> tuple[Language, ...]:
    """All languages with the texts of a replay's page, English first."""
    found = sorted(map(_language, STRINGS.glob("*.json")), key=lambda each: (each.code != ENGLISH, each.code))
    return tuple(found)


def _language(file: Path) -> Language:
    values = json.loads(file.read_text(encoding="utf-8"))
    return Language(file.stem, values["name"], values["draft"], values["texts"])
