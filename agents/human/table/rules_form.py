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
    10: "More house rules",
    11: "Mistakes and limits",
}
"""Heading of the fields of each chapter of GUIDE.md."""

HOUSE = "House rules"
HOUSE_RULES: dict[str, tuple[str, str, dict[str, str]]] = {
    "stacking": (
        "Stacking",
        "Answer a Draw card with one of your own: the cards add up, and the next player takes them all.",
        {"off": "no", "same": "with the same card", "any": "also +4 on +2", "both": "also +2 of the colour on +4"},
    ),
    "seven_zero": ("Seven-zero", "A 7 swaps hands with another player, a 0 passes all hands on.", {}),
    "jump_in": ("Jump-in", "Whoever holds exactly the card that was just played may play it out of turn.", {}),
    "draw": (
        "Drawing",
        "Who cannot play draws one card, or goes on drawing until one can be played.",
        {
            "one": "one card",
            "until_playable": "until you can play",
            "until_playable_if_stuck": "until you can play, if stuck",
        },
    ),
    "double_play": ("Doubles", "Equal cards, same number and same colour, may be played together.", {}),
    "deflect": (
        "Turning away",
        "Answer a Draw Two with a Skip or a Reverse of its colour: the Skip passes it on, the Reverse hands it back.",
        {},
    ),
    "six_smackdown": ("Six smackdown", "After a 6 everybody slaps the pile, and the last one draws.", {}),
}
"""The house rules that people know: what they call them, what they say, and words for the values."""

_PRESET_TITLES = {
    "classic": "Classic",
    "edition_2018": "Edition of 2018",
    "edition_2022": "Edition of 2022: no points",
    "h2o": "H2O: with Downpour cards",
    "guide_001": "Lowest score wins",
    "guide_003": "Pairs, and no action card last",
    "house": "House rules",
    "mini": "Seven cards only",
    "duel": "Duel: no calls, no challenges",
    "starter": "Starter: a duel in which you draw only if you must",
    "rlcard": "As the RLCard library plays",
}
"""The presets' names for people."""

_ON_OR_OFF = {"False": "off", "True": "on"}
_ELSEWHERE = ("players",)
"""Fields that the seats at the table decide."""

_LIMITS = {"max_decisions": "Mistakes and limits"}
"""Fields that are shown under another chapter than their own."""


def rules_form() -> dict[str, Any]:
    """Fields in groups, and the values of each preset, as plain values for JSON.

    Returns:
        ``groups``: a list of ``title`` and ``fields``, first the house rules that people know; a field has ``name``,
        ``label``, ``help``, ``kind`` (``choice`` with ``values`` and their ``words``, ``flag``, ``number`` with
        ``low`` and ``high``, or ``text``). ``presets``: by name, the value of each field; ``titles``: what people call
        each; ``players``: for how many players each is, None for any number.
    """
    groups: dict[str, list[dict[str, Any]]] = {HOUSE: [_field(name) for name in HOUSE_RULES]}
    for field in fields(Rules):
        if field.name not in (*_ELSEWHERE, *HOUSE_RULES):
            groups.setdefault(_group(field.name), []).append(_field(field.name))
    return {
        "groups": [{"title": title, "fields": members} for title, members in groups.items()],
        "presets": {name: form_values(Rules.preset(name)) for name in PRESETS},
        "titles": {name: _PRESET_TITLES.get(name, name.replace("_", " ")) for name in PRESETS},
        "players": {name: PRESETS[name].get("players") for name in PRESETS},
    }


def _field(name: str) -> dict[str, Any]:
    label = name.replace("_", " ").capitalize().replace("Uno", "UNO")
    label, text, words = HOUSE_RULES.get(name, (label, _help(name), {}))
    described = {"name": name, "label": label, "help": text}
    values = list(SWITCHES.get(name) or FLAGS.get(name, ()))
    if values == [False, True]:
        return {**described, "kind": "flag"}
    if values:
        texts = [
            words.get(str(value)) or _ON_OR_OFF.get(str(value)) or str(value).replace("_", " ") for value in values
        ]
        return {**described, "kind": "choice", "values": values, "words": texts}
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
