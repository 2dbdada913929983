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
        same = set(_forms(other.values()))
        self._english = [_pattern(form) for form in _forms(english.values()) if form not in same and _is_said(form)]
        self._other = [_pattern(form) for form in same if _is_said(form)]

    def among(self, shown: Iterable[str]) -> list[str]:
        """Those of the texts that are English: alone, or as the sentences of a text, or the parts of a list."""
        return [text for text in shown if any(map(self._is_english, {text, *re.split(r"(?<=[.:;,!?])\s+", text)}))]

    def _is_english(self, text: str) -> bool:
        text = text.rstrip(".:;,")
        matches = any(pattern.fullmatch(text) for pattern in self._english)
        return matches and not any(pattern.fullmatch(text) for pattern in self._other)


def _forms(entries: Iterable[object]) -> list[str]:
    return [form for entry in entries for form in (entry.values() if isinstance(entry, dict) else [str(entry)])]


def _is_said(form: str) -> bool:
    """Whether a text has a word of its own, besides its arguments."""
    return re.search("[A-Za-z]{3}", re.sub(r"\{\w+\}", "", form)) is not None


def _pattern(form: str) -> re.Pattern[str]:
    parts = re.split(r"\{\w+\}", form.rstrip(".:;,"))
    return re.compile(".+".join(map(re.escape, parts)), re.IGNORECASE)
