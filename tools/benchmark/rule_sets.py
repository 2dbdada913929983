"""The rule sets of the track ``unseen-rules``, drawn once and then written as data.

What is trained on holds out some *values* of fields, some *combinations* of two house rules, and some *switches*
altogether. Each of the lists to be measured on has one kind of what was held out, in every rule set of it.
"""

import random
from dataclasses import fields
from typing import Any

from uno_env.rules import Rules

SEED = 2032
TRAINING, MEASURED = 128, 24
"""Rule sets to train on, and of each list to be measured on."""
DECISIONS_A_SEAT = 200
"""Decisions for each player after which a hand is truncated."""

VALUES: dict[str, tuple[Any, ...]] = {
    "players": (2, 2, 3, 4, 6),
    "deck": ("classic", "edition_2018"),
    "hand_size": (5, 7, 7, 9),
    "voluntary_draw": (True, False),
    "action_match": ("symbol_or_colour", "colour"),
    "draw": ("one", "until_playable"),
    "after_draw": ("may_play", "must_play"),
    "renew": ("when_needed", "at_once"),
    "two_player_reverse": ("skip", "reverse"),
    "wild_draw_four": ("bluff", "restricted", "free"),
    "uno_call": ("declared", "automatic"),
    "uno_penalty": (2, 4),
    "late_call": (True, False),
    "call_before": (False, True),
    "stacking": ("off", "same"),
    "seven_zero": (False, True),
    "six_smackdown": (False, True),
}
"""Values that are trained on; fields that are not here keep their defaults."""
NEW_VALUES: dict[str, tuple[Any, ...]] = {
    "players": (5, 8),
    "deck": ("h2o",),
    "hand_size": (3, 12),
    "wild_draw_four": ("colour_or_symbol",),
    "uno_penalty": (0, 6),
    "stacking": ("any",),
}
NEW_COMBINATIONS: tuple[dict[str, Any], ...] = (
    {"seven_zero": True, "stacking": "same"},
    {"draw": "until_playable", "after_draw": "must_play"},
    {"uno_call": "automatic", "six_smackdown": True},
    {"wild_draw_four": "free", "voluntary_draw": False},
)
"""Values that are trained on one by one, and never together."""
NEW_SWITCHES: dict[str, tuple[Any, ...]] = {
    "jump_in": (True,),
    "double_play": (True, "two_or_more"),
    "go_out_on": ("not_action", "number"),
    "customizable_effect": ("swap_hands", "everyone_draws", "skip_all"),
}
"""Switches that are trained on in one position alone, that of their default."""


LAST_FIELD = "renew"
"""The last field of rules when ``v1`` was frozen. Its files do not name later ones, and mean their defaults."""


def later_fields() -> dict[str, Any]:
    """The defaults of the fields that are younger than ``v1``."""
    names = [field.name for field in fields(Rules)]
    return {field.name: field.default for field in fields(Rules)[names.index(LAST_FIELD) + 1 :]}


def spelled_out(rules: Rules) -> dict[str, Any]:
    """All fields of rules as plain values, but later fields only where they are not at their defaults."""
    later = later_fields()
    return {name: value for name, value in rules.to_dict().items() if name not in later or value != later[name]}


def combines_anew(values: dict[str, Any]) -> bool:
    """Return whether values are there together that are never trained on together."""
    return any(all(values[name] == value for name, value in pair.items()) for pair in NEW_COMBINATIONS)


def rule_sets() -> dict[str, list[dict[str, Any]]]:
    """The lists, field by field: ``training``, and ``seen``, ``values``, ``combinations`` and ``switches`` to be
    measured on; ``seen`` is the beginning of ``training``."""
    rng = random.Random(SEED)
    training = [_spelled_out(_known(rng)) for _ in range(TRAINING)]
    lists: dict[str, list[dict[str, Any]]] = {"training": training, "seen": training[:MEASURED]}
    for name, changes in (("values", NEW_VALUES), ("switches", NEW_SWITCHES)):
        lists[name] = [_spelled_out(_known(rng) | _changed(rng, changes, place)) for place in range(MEASURED)]
    pairs = [NEW_COMBINATIONS[place % len(NEW_COMBINATIONS)] for place in range(MEASURED)]
    lists["combinations"] = [_spelled_out(_known(rng) | pair) for pair in pairs]
    return lists


def _known(rng: random.Random) -> dict[str, Any]:
    """A value for every field of :data:`VALUES`, without new combinations."""
    while True:
        values = {name: rng.choice(allowed) for name, allowed in VALUES.items()}
        if not combines_anew(values):
            return values


def _changed(rng: random.Random, changes: dict[str, tuple[Any, ...]], place: int) -> dict[str, Any]:
    """One held-out field, each in turn; the effect of a card needs a deck that has the card."""
    name = list(changes)[place % len(changes)]
    deck = {"deck": "edition_2018"} if name == "customizable_effect" else {}
    return {name: rng.choice(changes[name]), **deck}


def _spelled_out(values: dict[str, Any]) -> dict[str, Any]:
    return spelled_out(Rules(**values, max_decisions=DECISIONS_A_SEAT * values["players"]))
