"""The languages of the pages, and the texts in each: :func:`languages`, :func:`texts_of`.

There is one file a language in ``pages/strings/``. English is complete with the sentences that the game and the table
make; the other files hold those sentences, too.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

from agents.human.table.sentences import TABLE_SENTENCES
from uno_env.render.sentences import CATALOGUE

FOLDER = Path(__file__).parent / "pages" / "strings"
ENGLISH = "en"

Texts = dict[str, Any]
"""Each text, or its forms, by key."""


@cache
def languages() -> list[dict[str, Any]]:
    """The ``code``, the ``name`` and whether it is a ``draft``, for each language, English first."""
    codes = sorted((path.stem for path in FOLDER.glob("*.json")), key=lambda code: (code != ENGLISH, code))
    return [{"code": code, "name": _read(code)["name"], "draft": _read(code)["draft"]} for code in codes]


@cache
def texts_of(code: str) -> Texts:
    """The texts in a language. Raises KeyError if there is none of this code."""
    if code not in [each["code"] for each in languages()]:
        raise KeyError(code)
    texts: Texts = _read(code)["texts"]
    return {**CATALOGUE.texts, **TABLE_SENTENCES.texts, **texts} if code == ENGLISH else texts


def _read(code: str) -> dict[str, Any]:
    values: dict[str, Any] = json.loads((FOLDER / f"{code}.json").read_text(encoding="utf-8"))
    return values
