"""Phrases that came as plain values, in English again: :func:`english`."""

from typing import Any

from uno_env.actions import ACTION_NAMES, parse
from uno_env.cards import CARD_NAMES, CARD_TEXTS
from uno_env.render.sentences import CATALOGUE, capital, sentence
from uno_table.table.sentences import TABLE_SENTENCES


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
        "card": lambda: CARD_NAMES[CARD_TEXTS.index(rest["card"])],
        "action": lambda: ACTION_NAMES[parse(rest["action"])],
        "colour": lambda: rest["colour"],
        "capital": lambda: str(capital(rest["text"])),
        "sentence": lambda: str(sentence(rest["text"])),
    }
    if key in made:
        return made[key]()
    return str((CATALOGUE if key in CATALOGUE.texts else TABLE_SENTENCES).phrase(key, **rest))
