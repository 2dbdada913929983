"""Finds English texts of the catalogues in what a page in another language shows: :class:`EnglishTexts`."""

import re
from collections.abc import Iterable

from uno_env.render.languages import Texts

SHOWN = """
const texts = new Set(), SILENT = 'script, style, noscript, kbd, [lang]:not(html)';
const LABELS = ['title', 'aria-label', 'placeholder', 'alt', 'label'];
const isShown = (element) => element.checkVisibility({ visibilityProperty: true }) && !element.closest(SILENT);
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) if (isShown(walker.currentNode.parentElement)) texts.add(walker.currentNode.data);
for (const element of document.querySelectorAll('[title], [aria-label], [placeholder], [alt], optgroup')) {
  if (!isShown(element)) continue;
  for (const name of LABELS) texts.add(element.getAttribute(name) ?? '');
}
for (const option of document.querySelectorAll('option')) if (!option.hidden && !option.lang) texts.add(option.text);
texts.add(document.title);
return [...texts].map((text) => text.replace(/\\s+/g, ' ').trim()).filter((text) => /[a-z]{3}/i.test(text));
"""
"""A program for the page: all texts that somebody can see or hear, also as labels, tooltips and choices of a list."""


class EnglishTexts:
    """The English texts that another language says otherwise.

    Args:
        english: all texts in English.
        other: all texts in the language of the page.
    """

    def __init__(self, english: Texts, other: Texts) -> None:
        said = _forms(other.values())
        self._english = [
            _pattern(form) for form in _forms(english.values()) if form not in said and _letters(form) >= 3
        ]
        self._other = [_pattern(form) for form in said if _letters(form) >= 2]

    def among(self, shown: Iterable[str]) -> list[str]:
        """Those of the texts that are English: alone, or as one of the sentences of a text or the parts of a list."""
        return [text for text in shown if not self._is_other(text) and any(map(self._is_english, _parts(text)))]

    def _is_english(self, text: str) -> bool:
        return any(pattern.fullmatch(text) for pattern in self._english) and not self._is_other(text)

    def _is_other(self, text: str) -> bool:
        return any(pattern.fullmatch(text.rstrip(_ENDS)) for pattern in self._other)


_ENDS = ".:;,।"


def _forms(entries: Iterable[object]) -> list[str]:
    return [form for entry in entries for form in (entry.values() if isinstance(entry, dict) else [str(entry)])]


def _parts(text: str) -> set[str]:
    return {part.rstrip(_ENDS) for part in (text, *re.split(rf"(?<=[{_ENDS}!?])\s+", text))}


def _letters(form: str) -> int:
    """How many letters a text has besides its arguments."""
    return sum(map(str.isalpha, re.sub(r"\{\w+\}", "", form)))


def _pattern(form: str) -> re.Pattern[str]:
    parts = re.split(r"\{\w+\}", form.rstrip(_ENDS))
    return re.compile(".+".join(map(re.escape, parts)), re.IGNORECASE)
