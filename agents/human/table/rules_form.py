"""The switches of the rules as fields of a form, made from :mod:`uno_env.rules`: :func:`rules_form`."""

import re
from dataclasses import fields
from typing import Any

from uno_env.cards import DECKS
from uno_env.core.record import FLAGS, NUMBERS, SWITCHES
from uno_env.guide import field_texts, pages
from uno_env.rules import PRESETS, RANGES, Rules

_GROUPS = {
    2: "Deck and deal",
    3: "Deck and deal",
    4: "A turn",
    5: "Cards",
    6: "UNO",
    7: "Mistakes and limits",
    8: "Going out and points",
    9: "Going out and points",
    10: "House rules",
    11: "Mistakes and limits",
}
"""Heading of the fields of each chapter of GUIDE.md."""

_ELSEWHERE = ("players",)
"""Said by who sits at the table."""

_LIMITS = {"max_decisions": "Mistakes and limits"}
"""Fields that stand elsewhere than their chapter."""


def rules_form() -> dict[str, Any]:
    """Fields in groups, and the values of each preset; plain values for JSON.

    Returns:
        ``groups``: a list of ``title`` and ``fields``; a field has ``name``, ``label``, ``help``, ``kind`` (``choice``
        with ``values``, ``flag``, ``number`` with ``low`` and ``high``, or ``text``). ``presets``: by name, the value
        of each field.
    """
    groups: dict[str, list[dict[str, Any]]] = {}
    for field in fields(Rules):
        if field.name not in _ELSEWHERE:
            groups.setdefault(_group(field.name), []).append(_field(field.name))
    return {
        "groups": [{"title": title, "fields": members} for title, members in groups.items()],
        "presets": {name: form_values(Rules.preset(name)) for name in PRESETS},
    }


def _field(name: str) -> dict[str, Any]:
    described = {"name": name, "label": name.replace("_", " ").capitalize().replace("Uno", "UNO"), "help": _help(name)}
    if name in SWITCHES:
        return {**described, "kind": "choice", "values": list(SWITCHES[name])}
    if name in FLAGS:
        values = list(FLAGS[name])
        return (
            {**described, "kind": "flag"}
            if values == [False, True]
            else {**described, "kind": "choice", "values": values}
        )
    if name in NUMBERS:
        low, high = RANGES.get(name, (0, 9))
        return {**described, "kind": "number", "low": low, "high": high}
    if name == "deck":
        return {**described, "kind": "text", "suggestions": list(DECKS)}
    return {**described, "kind": "text", "suggestions": []}


def _help(name: str) -> str:
    return re.sub(r", whose departures.*?(?=;)", "", field_texts()[name].replace("``", ""))


def _group(name: str) -> str:
    chapter = next(page.section[0] for page in pages().values() if name in page.switches)
    return _LIMITS.get(name, _GROUPS[chapter])


def form_values(rules: Rules) -> dict[str, Any]:
    """Rules as the values of the form's fields."""
    values = rules.to_dict()
    if not isinstance(rules.deck, str):
        values["deck"] = " ".join(text for text, count in values["deck"].items() for _ in range(count))
    values["reflexes"] = " ".join(map(str, rules.reflexes))
    return {name: value for name, value in values.items() if name not in _ELSEWHERE}
