"""The languages of the table's pages, and the texts in each: :func:`table_languages`, :func:`texts_of`.

To the texts of a replay's page (:mod:`uno_env.render.languages`) they add those in ``web/pages/strings/``, one file a
language, and what the table says.
"""

import json
from dataclasses import replace
from functools import cache
from pathlib import Path

from uno_env.render.languages import ENGLISH, Language, Texts, languages
from uno_table.table.sentences import TABLE_SENTENCES

FOLDER = Path(__file__).parent / "web" / "pages" / "strings"


@cache
def table_languages() -> tuple[Language, ...]:
    """All languages with the texts of all pages, English first."""
    return tuple(map(_with_own_texts, languages()))


def texts_of(code: str) -> Texts:
    """The texts in a language. Raises KeyError if there is none of this code."""
    return {each.code: each.texts for each in table_languages()}[code]


def _with_own_texts(language: Language) -> Language:
    own = json.loads((FOLDER / f"{language.code}.json").read_text(encoding="utf-8"))
    sentences = TABLE_SENTENCES.texts if language.code == ENGLISH else {}
    return replace(language, texts={**language.texts, **sentences, **own})
