"""The switches of the rules as fields of a form, made from :mod:`uno_env.rules`: :func:`rules_form`."""

from dataclasses import fields
from typing import Any

from uno_env.core.record import ALL_SWITCHES, FLAGS, NUMBERS, SWITCHES, SWITCHES_OF_EDITIONS
from uno_env.editions import EDITIONS
from uno_env.guide import pages
from uno_env.rules import PRESETS, RANGES, Rules
from uno_table.table.sentences import TABLE_SENTENCES, value_word

_say = TABLE_SENTENCES.phrase

_GROUPS = {
    2: "deal",
    3: "deal",
    4: "turn",
    5: "cards",
    6: "uno",
    7: "limits",
    8: "points",
    9: "points",
    10: "house",
    11: "limits",
    13: "house",
    14: "house",
}
"""The group of the fields of each chapter of GUIDE.md."""

_KNOWN = ("draw", "double_play")
"""Switches that people know as house rules, besides those of the chapter of house rules."""

_ELSEWHERE = ("players",)
"""Fields that the seats at the table decide."""

_PLACES = {"max_decisions": "limits", "edition": "deal"}
"""Fields that are shown in another group than that of their chapter, or have none."""


def rules_form() -> dict[str, Any]:
    """Fields in groups, and the values of each preset, as plain values for JSON.

    Returns:
        ``groups``: a list of ``title`` and ``fields``, first the house rules that people know; a field has ``name``,
        ``label``, ``help``, ``kind`` (``choice`` with ``values`` and their ``words``, ``flag``, ``number`` with
        ``low`` and ``high``, or ``text``). ``presets``: by name, the value of each field; ``titles``: what people call
        each; ``players``: for how many players each is, None for any number. ``editions``: by name, the preset with
        which an edition begins.
    """
    known = _known()
    groups: dict[str, list[dict[str, Any]]] = {"known": [_field(name) for name in known]}
    for field in fields(Rules):
        if field.name not in (*_ELSEWHERE, *known):
            groups.setdefault(_group(field.name), []).append(_field(field.name))
    return {
        "groups": [{"title": _say(f"group.{name}"), "fields": members} for name, members in groups.items()],
        "presets": {name: form_values(Rules.preset(name)) for name in PRESETS},
        "titles": {name: _say(f"preset.{name}") for name in PRESETS},
        "players": {name: PRESETS[name].get("players") for name in PRESETS},
        "editions": {name: next(each for each in PRESETS if Rules.preset(each).edition == name) for name in EDITIONS},
    }


def _known() -> list[str]:
    """The house rules that people know, in the order of the guide."""
    house = [name for page in pages().values() if _GROUPS.get(page.section[0]) == "house" for name in page.switches]
    return [*(name for name in house if name in SWITCHES | FLAGS), *_KNOWN]


def _field(name: str) -> dict[str, Any]:
    described = {"name": name, "label": _say(f"rule.{name}"), "help": _say(f"rule.{name}.help")}
    values = list(ALL_SWITCHES.get(name) or FLAGS.get(name, ())) + list(SWITCHES_OF_EDITIONS.get(name, ()))
    if name == "edition":
        values = list(EDITIONS)
    if values == [False, True]:
        return {**described, "kind": "flag"}
    if values:
        return {**described, "kind": "choice", "values": values, "words": [value_word(name, each) for each in values]}
    if name in NUMBERS:
        low, high = RANGES.get(name, (0, 9))
        return {**described, "kind": "number", "low": low, "high": high}
    return {**described, "kind": "text"}


def _group(name: str) -> str:
    if name in _PLACES:
        return _PLACES[name]
    return _GROUPS[next(page.section[0] for page in pages().values() if name in page.switches)]


def form_values(rules: Rules) -> dict[str, Any]:
    """Rules as the values of the form's fields."""
    values = rules.to_dict()
    if not isinstance(rules.deck, str):
        values["deck"] = " ".join(text for text, count in values["deck"].items() for _ in range(count))
    values["reflexes"] = " ".join(map(str, rules.reflexes))
    return {name: value for name, value in values.items() if name not in _ELSEWHERE}
