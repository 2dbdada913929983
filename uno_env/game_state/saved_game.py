"""A saved game: its JSON document, and a game's record as plain values, and back.

Values are those of the fields by name; ``seats`` is a list with the values of each seat at the table, and ``known`` a
list of ``[viewer, owner, kind, number]``: so many cards of a kind that a viewer knows another seat to hold.
"""

import json
from typing import Any

import numpy as np

from uno_env import actions as catalogue
from uno_env.common.files import parse_json
from uno_env.common.validation import short_repr
from uno_env.core.arrays import Array
from uno_env.core.packed_games import known_table
from uno_env.core.record import game_fields, records_of, seat_fields
from uno_env.editions import edition_for
from uno_env.editions.edition import Edition
from uno_env.rules import Rules

FORMAT = "uno-game"
FORMAT_VERSION = 3


def write_document(rules: Rules, match: bool, start: Array, actions: list[int], state: Array) -> str:
    """The text of a saved game; ``start`` and ``state`` are games as :func:`to_values` takes them."""
    values = {
        "rules": rules.to_dict(),
        "match": match,
        "start": to_values(start, rules),
        "actions": [catalogue.name(action, rules) for action in actions],
        "state": to_values(state, rules),
    }
    return json.dumps({"format": FORMAT, "version": FORMAT_VERSION, **values})


def read_document(text: Any) -> dict[str, Any]:
    """The fields of a saved game, by their types. Raises ValueError if it is none, or of another version."""
    if not isinstance(text, str | bytes):
        raise ValueError(f"{short_repr(text)} is no saved game: give the text that to_json() made")
    try:
        saved = parse_json(text)
    except ValueError:
        raise ValueError("this is no saved game: it is not JSON") from None
    if not isinstance(saved, dict) or saved.get("format") != FORMAT:
        raise ValueError(f"this is no saved game: it lacks format={FORMAT!r}")
    if saved.get("version") != FORMAT_VERSION:
        raise ValueError(
            f"the saved game has version {short_repr(saved.get('version'))}, and this program reads {FORMAT_VERSION}"
        )
    for name, kind in {"rules": dict, "match": bool, "start": dict, "actions": list, "state": dict}.items():
        if not isinstance(saved.get(name), kind):
            raise ValueError(f"the saved game lacks {name!r}")
    return saved


_LISTS = ("seats", "known")


def to_values(array: Array, rules: Rules) -> dict[str, Any]:
    """The values of a game by some rules, a record [1]."""
    edition = edition_for(rules)
    seats = array["seats"][0, : rules.players]
    known = known_table(array["known"][0], rules.players, edition) if array["knows"][0] else np.zeros(0)
    return {
        **{name: array[name][0].tolist() for name in _names(edition)},
        "seats": [{name: seat[name].tolist() for name, _, _ in seat_fields(edition)} for seat in seats],
        "known": [[*index, int(known[tuple(index)])] for index in np.argwhere(known).tolist()],
    }


def _names(edition: Edition) -> dict[str, tuple[int, ...]]:
    """The fields of a game that are saved as they are, with their shapes; some editions have no use for some."""
    return {name: shape for name, _, shape in game_fields(edition) if name not in _LISTS and 0 not in shape}


def from_values(values: dict[str, Any], rules: Rules) -> Array:
    """The game of some values, a record [1], possible or not. Raises ValueError if a value lacks its form."""
    edition = edition_for(rules)
    array = np.zeros(1, records_of(edition).game)
    for name, shape in _names(edition).items():
        _set(array[name], values, name, shape)
    for name in _LISTS:
        if not isinstance(values.get(name), list):
            raise ValueError(f"the saved game has no usable {name!r}")
    if len(values["seats"]) != rules.players or not all(isinstance(seat, dict) for seat in values["seats"]):
        raise ValueError("the saved game has no usable 'seats'")
    for index, seat in enumerate(values["seats"]):
        for name, _, shape in seat_fields(edition):
            _set(array["seats"][:, index][name], seat, name, shape)
    known = known_table(array["known"][0], rules.players, edition)
    try:
        for viewer, owner, kind, number in values["known"]:
            if min(viewer, owner, kind) < 0 or number < 1:
                raise ValueError
            known[viewer, owner, kind] = number
    except (ValueError, TypeError, IndexError, OverflowError):
        raise ValueError("the saved game has no usable 'known'") from None
    return array


def _set(column: Array, values: dict[str, Any], name: str, shape: tuple[int, ...]) -> None:
    """Set the only element of a column."""
    try:
        value = np.array(values[name])
        if value.shape != shape or value.dtype.kind not in "iu":
            raise ValueError
        limits = np.iinfo(column.dtype)
        if value.min() < limits.min or value.max() > limits.max:
            raise ValueError
        column[0] = value
    except (KeyError, ValueError, TypeError, OverflowError):
        raise ValueError(f"the saved game has no usable {name!r}") from None


def replay_actions(game: Any, texts: list[Any]) -> None:
    """Do the actions of a saved game, from its start. Raises ValueError if one cannot be done."""
    for number, text in enumerate(texts, 1):
        try:
            game.step(catalogue.parse(text, game.rules))
        except (ValueError, AttributeError) as error:
            raise ValueError(f"action {number} of the saved game cannot be done: {error}") from None
