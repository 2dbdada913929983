"""A seat's observation as arrays: the layout table, and the integer and float forms.

The table is :data:`LAYOUT`. :mod:`uno_env.core.observe.layout` says where each fact stands, and
:mod:`uno_env.core.observe.encode` writes it.
"""

from functools import cache, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from uno_env.common.validation import short_repr
from uno_env.core.arrays import Array, Bytes, Singles
from uno_env.core.observe.layout import (
    LAYOUT,
    LAYOUT_VERSION,
    LOW,
    OBSERVATION_SIZE,
    SCALES,
    Section,
    layout_of,
    rule_columns_of,
    scales_in,
    starts_of,
)
from uno_env.core.record import ALL_SWITCHES, FLAGS, MAX_SEATS, values_of
from uno_env.editions import EDITIONS, edition_for
from uno_env.editions.edition import Edition
from uno_env.rules import Rules

__all__ = [
    "LAYOUT",
    "LAYOUT_VERSION",
    "OBSERVATION_SIZE",
    "OBS_DTYPES",
    "SCALES",
    "Section",
    "edition_shown",
    "float_form",
    "highest_values",
    "integer_form",
    "layout",
    "number_of_columns",
    "rules_columns",
    "rules_of",
]

OBS_DTYPES = ("float32", "uint8")
"""The float form, and the integer form."""


def layout(rules: Rules | None = None) -> dict[str, Section]:
    """The columns of observations by section, of the edition that some rules are of; without, of the first one."""
    return LAYOUT if rules is None else layout_of(edition_for(rules))


def number_of_columns(rules: Rules | None = None) -> int:
    """The number of columns of observations, of the edition that some rules are of; without, of the first one."""
    return OBSERVATION_SIZE if rules is None else int(starts_of(edition_for(rules)).end)


@cache
def edition_shown(columns: int) -> Edition:
    """The edition whose observations have this number of columns. Raises ValueError if there is none."""
    widths = {}
    for edition in EDITIONS.values():
        for each in (edition, edition.with_mercy):
            widths[int(starts_of(each).end)] = each
    if columns not in widths:
        others = ", ".join(str(width) for width in widths if width != OBSERVATION_SIZE)
        raise ValueError(
            f"an observation has {OBSERVATION_SIZE} columns, not {columns} (in other editions and with mercy {others})"
        )
    return widths[columns]


@lru_cache(maxsize=256)
def rules_columns(rules: Rules) -> Bytes:
    """The columns from ``seats`` on, which hold the rules in force; uint8, read-only."""
    sections, columns = layout(rules), rule_columns_of(edition_for(rules))
    row, record = np.zeros(sum(section.width for section in sections.values()), np.uint8), rules.record
    row[sections["seats"].start :][: rules.players] = 1
    row[sections["deck"].columns] = rules.deck_counts
    target = columns["target"]
    for name, column in columns.items():
        if column != target:
            row[column] = record[name]
    row[target : target + 2] = min(rules.target // LOW, 255), rules.target % LOW
    row.flags.writeable = False
    return row[sections["seats"].start :]


def rules_of(observation: Bytes, max_decisions: int = 10_000) -> Rules:
    """The rules that an observation in integer form, uint8 [D], tells; its number of columns says which edition.

    The reflexes are by relative seat: those of seat k are the ones of the k-th player to the observer's left. An
    observation does not tell ``dealer_seat``, which gets its default, nor ``max_decisions``, which is as given. Raises
    ValueError if nobody can play by these rules, or it has another form.
    """
    shape = getattr(observation, "shape", None)
    try:
        edition = edition_shown(shape[0] if shape is not None and len(shape) == 1 else 0)
    except ValueError:
        text = f"observation must be an array [{OBSERVATION_SIZE}], or of the columns of another edition"
        raise ValueError(f"{text}, not {short_repr(observation)}") from None
    sections = layout_of(edition)
    told = observation[sections["reflexes"].columns].tobytes(), observation[sections["seats"].start :].tobytes()
    return _rules_of(edition, *told, max_decisions)


@lru_cache(maxsize=64)
def _rules_of(edition: Edition, reflexes: bytes, columns: bytes, max_decisions: int) -> Rules:
    sections, places = layout_of(edition), rule_columns_of(edition)
    row = np.zeros(starts_of(edition).end, np.uint8)
    row[sections["seats"].start :] = np.frombuffer(columns, np.uint8)
    values: dict[str, Any] = {name: row[column].item() for name, column in places.items()}
    values["target"] = values["target"] * LOW + row[places["target"] + 1].item()
    for name in (*ALL_SWITCHES, *FLAGS):
        if name not in places:
            continue
        texts = values_of(name, edition)
        if values[name] >= len(texts):
            raise ValueError(f"the observation tells a rule that does not exist: {name} number {values[name]}")
        values[name] = texts[values[name]]
    weights = tuple(reflexes[: values["players"]])
    return Rules(
        **values,
        edition=edition.name,
        deck=tuple(row[sections["deck"].columns].tolist()),
        reflexes=() if set(weights) == {1} else weights,
        max_decisions=max_decisions,
    )


@lru_cache(maxsize=256)
def highest_values(rules: Rules) -> npt.NDArray[np.float32]:
    """The highest value of each column in float form under some rules, float32 [OBSERVATION_SIZE]; read-only.

    It is 1, but for decks with more than four cards of a kind, or more to draw than 32 cards, and for reflexes above 8
    and ``mercy`` above 32.
    """
    counts = np.array(rules.deck_counts)
    edition = edition_for(rules)
    draws = max((counts * [face.demands for face in edition.faces_on(side)]).sum() for side in range(edition.sides))
    highest: dict[str, Any] = {
        "hand": counts,
        "discards": counts,
        "known": np.tile(counts, MAX_SEATS - 1),
        "deck": counts,
        "penalty": draws,
        "reflexes": max(rules.reflexes, default=1),
    }
    if edition.sides > 1:
        highest["backs"] = 0.5 / scales_in(edition)[layout(rules)["backs"].start] + counts.max()
    scales = scales_in(edition)
    values = np.ones(len(scales), np.float32)
    for name, numbers in highest.items():
        columns = layout(rules)[name].columns
        values[columns] = np.maximum(1, numbers * scales[columns])
    if edition.mercy:
        column = rule_columns_of(edition)["mercy"]
        values[column] = max(1, rules.mercy * scales[column])
    values.flags.writeable = False
    return values


def integer_form(observations: Array) -> Bytes:
    """The integer form (uint8) of observations in either form; arrays [..., D] of any edition. Raises ValueError if the
    last axis is not an observation.
    """
    scales = _scales_of(observations)
    if observations.dtype == np.uint8:
        return observations
    return np.rint(observations / scales).astype(np.uint8)


def float_form(observations: Array) -> npt.NDArray[np.float32]:
    """The float form (float32) of observations in either form; arrays [..., D] of any edition. Raises ValueError if the
    last axis is not an observation.
    """
    rows = np.asarray(observations)
    scales = _scales_of(rows)
    return rows * scales if rows.dtype == np.uint8 else rows.astype(np.float32, copy=False)


def _scales_of(observations: Array) -> Singles:
    """Factor of each column of some observations, [D]."""
    if not observations.ndim:
        raise ValueError(f"an observation has {OBSERVATION_SIZE} columns, not shape {observations.shape}")
    columns = observations.shape[-1]
    if columns == OBSERVATION_SIZE:
        return SCALES
    try:
        return scales_in(edition_shown(columns))
    except ValueError as error:
        raise ValueError(str(error).replace(f"not {columns} ", f"not shape {observations.shape} ")) from None
