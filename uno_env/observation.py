"""A seat's observation as arrays: the layout table, and the integer and float forms.

The table is :data:`LAYOUT`. :mod:`uno_env.core.observe.layout` says where each fact stands, and
:mod:`uno_env.core.observe.encode` writes it.
"""

from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from uno_env.common.validation import short_repr
from uno_env.core.arrays import Array, Bytes
from uno_env.core.observe.layout import (
    LAYOUT,
    LAYOUT_VERSION,
    LOW,
    OBSERVATION_SIZE,
    RULE_COLUMNS,
    RULES_START,
    SCALES,
    Section,
    layout_of,
    rule_columns_of,
    scales_in,
)
from uno_env.core.record import FLAGS, MAX_SEATS, SWITCHES
from uno_env.editions import EDITIONS
from uno_env.rules import Rules

__all__ = [
    "LAYOUT",
    "LAYOUT_VERSION",
    "OBSERVATION_SIZE",
    "OBS_DTYPES",
    "SCALES",
    "Section",
    "float_form",
    "highest_values",
    "integer_form",
    "layout",
    "rules_columns",
    "rules_of",
]

OBS_DTYPES = ("float32", "uint8")
"""The float form, and the integer form."""


def layout(rules: Rules | None = None) -> dict[str, Section]:
    """The columns of observations by section, of the edition that some rules are of; without, of the first one."""
    return LAYOUT if rules is None else layout_of(EDITIONS[rules.edition])


@lru_cache(maxsize=256)
def rules_columns(rules: Rules) -> Bytes:
    """The columns from ``seats`` on, which hold the rules in force; uint8, read-only."""
    sections, columns = layout(rules), rule_columns_of(EDITIONS[rules.edition])
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
    """The rules that an observation in integer form, uint8 [OBSERVATION_SIZE], tells.

    The reflexes are by relative seat: those of seat k are the ones of the k-th player to the observer's left. An
    observation does not tell ``dealer_seat``, which gets its default, nor ``max_decisions``, which is as given. Raises
    ValueError if nobody can play by these rules, or it has another form.
    """
    if getattr(observation, "shape", None) != (OBSERVATION_SIZE,):
        raise ValueError(f"observation must be an array [{OBSERVATION_SIZE}], not {short_repr(observation)}")
    columns = observation[LAYOUT["reflexes"].columns].tobytes(), observation[RULES_START:].tobytes()
    return _rules_of(*columns, max_decisions)


@lru_cache(maxsize=64)
def _rules_of(reflexes: bytes, columns: bytes, max_decisions: int) -> Rules:
    row = np.zeros(OBSERVATION_SIZE, np.uint8)
    row[RULES_START:] = np.frombuffer(columns, np.uint8)
    values: dict[str, Any] = {name: row[column].item() for name, column in RULE_COLUMNS.items()}
    values["target"] = values["target"] * LOW + row[RULE_COLUMNS["target"] + 1].item()
    for name, texts in (SWITCHES | FLAGS).items():
        if values[name] >= len(texts):
            raise ValueError(f"the observation tells a rule that does not exist: {name} number {values[name]}")
        values[name] = texts[values[name]]
    weights = tuple(reflexes[: values["players"]])
    return Rules(
        **values,
        deck=tuple(row[LAYOUT["deck"].columns].tolist()),
        reflexes=() if set(weights) == {1} else weights,
        max_decisions=max_decisions,
    )


@lru_cache(maxsize=256)
def highest_values(rules: Rules) -> npt.NDArray[np.float32]:
    """The highest value of each column in float form under some rules, float32 [OBSERVATION_SIZE]; read-only.

    It is 1, but for decks with more than four cards of a kind, or more to draw than 32 cards, and reflexes above 8.
    """
    counts = np.array(rules.deck_counts)
    edition = EDITIONS[rules.edition]
    draws = (counts * [face.demands for face in edition.kinds]).sum()
    highest: dict[str, Any] = {
        "hand": counts,
        "discards": counts,
        "known": np.tile(counts, MAX_SEATS - 1),
        "deck": counts,
        "penalty": draws,
        "reflexes": max(rules.reflexes, default=1),
    }
    scales = scales_in(edition)
    values = np.ones(len(scales), np.float32)
    for name, numbers in highest.items():
        columns = layout(rules)[name].columns
        values[columns] = np.maximum(1, numbers * scales[columns])
    values.flags.writeable = False
    return values


def integer_form(observations: Array) -> Bytes:
    """The integer form (uint8) of observations in either form; arrays [..., OBSERVATION_SIZE]. Raises ValueError if the
    last axis is not an observation.
    """
    if observations.shape[-1:] != (OBSERVATION_SIZE,):
        raise ValueError(f"an observation has {OBSERVATION_SIZE} columns, not shape {observations.shape}")
    if observations.dtype == np.uint8:
        return observations
    return np.rint(observations / SCALES).astype(np.uint8)


def float_form(observations: Array) -> npt.NDArray[np.float32]:
    """The float form (float32) of observations in either form; arrays [..., OBSERVATION_SIZE]. Raises ValueError if the
    last axis is not an observation.
    """
    rows = np.asarray(observations)
    if rows.shape[-1:] != (OBSERVATION_SIZE,):
        raise ValueError(f"an observation has {OBSERVATION_SIZE} columns, not shape {rows.shape}")
    return rows * SCALES if rows.dtype == np.uint8 else rows.astype(np.float32, copy=False)
