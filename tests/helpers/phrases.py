"""Phrases that came as plain values, in English again: :func:`english`."""

from typing import Any

from uno_env.actions import catalogue
from uno_env.editions import EDITIONS
from uno_env.render.sentences import CATALOGUE, action_name, capital, sentence
from uno_table.table.sentences import TABLE_SENTENCES

_SIDES = [(edition, side) for edition in EDITIONS.values() for side in range(edition.sides)]
_CARDS = {face.text: face.name for edition in EDITIONS.values() for face in edition.faces}
_CARDS |= {
    edition.shown(kind, side): edition.name_shown(kind, side)
    for edition, side in _SIDES
    for kind in range(len(edition.kinds))
}
_ACTIONS = {
    name.arguments["action"]: str(name)
    for edition, side in reversed(_SIDES)  # a challenge is called as in the first edition
    for name in (action_name(action, edition, side) for action in range(catalogue(edition).first.number))
    if name.key == "action"
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
