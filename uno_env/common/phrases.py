"""Texts for people that also say what they are made of, so that a browser can say them in another language.

A catalogue is a file of JSON with each text of a language by its key. A text has places for arguments, ``"{who} draws
{cards}"``. One that has several forms is an object: ``one`` and ``other`` go by the argument ``number``, ``you`` and
``other`` by the argument ``form``. English is said here, other languages by the pages (``render/strings/phrases.js``).
"""

import json
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Self


class Phrase(str):
    """A text in English, with its ``key`` in a catalogue and its ``arguments``: numbers, names, other phrases."""

    key: str
    arguments: dict[str, Any]

    def __new__(cls, text: str, key: str, /, **arguments: Any) -> Self:
        phrase = super().__new__(cls, text)
        phrase.key, phrase.arguments = key, arguments
        return phrase

    @cached_property
    def plain(self) -> dict[str, Any]:
        """The result of :func:`plain_values` for it, made once: nobody may change it."""
        return {"phrase": self.key, **plain_values(self.arguments)}

    def __getnewargs_ex__(self) -> tuple[tuple[str, str], dict[str, Any]]:
        """The arguments that make a copy."""
        return (str(self), self.key), self.arguments


class Catalogue:
    """The texts of a file, by key. They are the whole file, or stand under ``texts``, beside facts on the language."""

    def __init__(self, file: Path) -> None:
        self.file = file

    @cached_property
    def texts(self) -> dict[str, str | dict[str, str]]:
        """Each text, or its forms, by key."""
        values = json.loads(self.file.read_text(encoding="utf-8"))
        texts: dict[str, str | dict[str, str]] = values.get("texts", values)
        return texts

    def phrase(self, key: str, /, **arguments: Any) -> Phrase:
        """The text of a key with its arguments. Raises KeyError if there is no such key, or an argument is missing."""
        text = self.texts[key]
        if isinstance(text, dict):
            number = arguments.get("number")
            text = text[arguments.get("form", "one" if number == 1 else "other")]
        return Phrase(text.format(**arguments), key, **arguments)

    def joined(self, how: str, parts: Sequence[str]) -> Phrase:
        """Texts one after the other: a ``list``, ``clauses``, the sentences of a ``text``, or with ``and`` between."""
        return Phrase(str(self.texts[f"joint.{how}"]).join(parts), how, parts=list(parts))


def plain_values(values: Any) -> Any:
    """Values for JSON in which each phrase is an object: its key as ``phrase``, and its arguments."""
    if isinstance(values, Phrase):
        return values.plain
    if isinstance(values, dict):
        return {name: plain_values(value) for name, value in values.items()}
    if isinstance(values, list | tuple):
        return [plain_values(value) for value in values]
    return values
