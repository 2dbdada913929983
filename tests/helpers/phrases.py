"""Phrases that came as plain values, in English again: :func:`english`."""

from typing import Any

from uno_env.actions import catalogue
from uno_env.editions import EDITIONS
from uno_env.render.sentences import CATALOGUE, capital, sentence
from uno_table.table.sentences import TABLE_SENTENCES

_CARDS = {text: name for edition in EDITIONS.values() for text, name in zip(edition.texts, edition.names, strict=True)}
_ACTIONS = {
    text: name
    for edition in reversed(EDITIONS.values())  # a challenge is called as in the first edition
    for text, name in zip(catalogue(edition).texts, catalogue(edition).names, strict=True)
}


def english(value: Any) -> Any:
    """A phrase as English; anything else as it is."""
    if not isinstance(value, dict):
        return value
    key, rest = (
        value["phrase"],
        {name: english(each) for name, each in value.items() if name not in ("phrase", "parts")},
    )
    if key in ("list", "clauses", "text", "and"):
        return str(CATALOGUE.texts[f"joint.{key}"]).join(map(english, value["parts"]))
    made = {
        "card": lambda: _CARDS[rest["card"]],
        "action": lambda: _ACTIONS[rest["action"]],
        "colour": lambda: rest["colour"],
        "capital": lambda: str(capital(rest["text"])),
        "sentence": lambda: str(sentence(rest["text"])),
    }
    if key in made:
        return made[key]()
    return str((CATALOGUE if key in CATALOGUE.texts else TABLE_SENTENCES).phrase(key, **rest))
