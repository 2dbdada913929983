"""The languages of the table's pages, and the texts in each: :func:`table_languages`, :func:`texts_of`.

To the texts of the game and of a replay's page (:mod:`uno_env.render.languages`) they add those in ``strings/``, one
file a language.
"""

from dataclasses import replace
from functools import cache

from uno_env.common.phrases import Catalogue
from uno_env.render.languages import Language, Texts, languages
from uno_table.table.sentences import STRINGS


@cache
def table_languages() -> tuple[Language, ...]:
    """All languages with the texts of all pages, English first."""
    return tuple(map(_with_own_texts, languages()))


def texts_of(code: str) -> Texts:
    """The texts in a language. Raises KeyError if there is none of this code."""
    return {each.code: each.texts for each in table_languages()}[code]


def _with_own_texts(language: Language) -> Language:
    own = Catalogue(STRINGS / f"{language.code}.json").texts
    return replace(language, texts={**language.texts, **own})
