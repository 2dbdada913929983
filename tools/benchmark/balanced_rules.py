"""Rules to report on, drawn by other code than those to train on: :func:`balanced_rules`."""

from typing import Any

import numpy as np

from uno_env.common.numbers import checked_whole
from uno_env.core.record import FLAGS, SWITCHES
from uno_env.rules import Rules

__all__ = ["balanced_rules"]

DECISIONS = 400
"""Decisions for each player after which a hand is truncated."""

_NUMBERS: dict[str, tuple[Any, ...]] = {
    "players": (2, 3, 4, 5, 6, 7, 8, 9, 10),
    "deck": ("classic", "edition_2018", "h2o"),
    "hand_size": (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12),
    "uno_penalty": (0, 1, 2, 3, 4, 6, 8),
    "special_wild_points": (0, 20, 40, 50, 100),
    "target": (50, 200, 500, 1_000),
    "slow_seat": (None, None, 0, 1),
}
"""Values of the fields that are no switches; ``slow_seat`` is one whose reflexes are slower than the others'."""
VALUES = _NUMBERS | {name: values for name, values in (SWITCHES | FLAGS).items() if name != "dialect"}
"""Values of each field: those of a switch are all that it has."""


def balanced_rules(seed: int, number: int) -> list[Rules]:
    """``number`` rules in which each value of each field is met as often as any other, give or take one.

    The fields are independent of each other, but for hands that are smaller where the deck is too small for them.
    Nothing here was used for training: draw once, report what comes out, and choose nothing by it.

    Raises:
        ValueError: the seed or the number is no whole number that is allowed.
    """
    generator = np.random.default_rng(checked_whole("seed", seed, 0))
    checked_whole("number", number, 1)
    columns = {name: _dealt(generator, values, number) for name, values in VALUES.items()}
    return [_rules({name: column[place] for name, column in columns.items()}) for place in range(number)]


def _dealt(generator: np.random.Generator, values: tuple[Any, ...], number: int) -> list[Any]:
    """Each value as often as any other, in random order."""
    begin = int(generator.integers(len(values)))
    places = (begin + np.arange(number)) % len(values)
    return [values[place] for place in generator.permutation(places)]


def _rules(values: dict[str, Any]) -> Rules:
    players, slow = values["players"], values.pop("slow_seat")
    room = (108 if values["deck"] == "classic" else 112) - 20
    values["hand_size"] = min(values["hand_size"], room // players)
    reflexes = () if slow is None else tuple(4 if seat == slow else 1 for seat in range(players))
    return Rules(**values, reflexes=reflexes, max_decisions=DECISIONS * players)
