"""Rules that no decision depends on, for players who read the rules in force: :func:`without_idle_rules`.

An observation tells all rules. In a single hand with the reward ``outcome`` no decision depends on points, on how the
hand was dealt, or on what would happen after an illegal action. Nor does any depend on the penalty for a missing call
where UNO is called automatically, and so on. A player who reads these fields should see one value in each of them.
Saved policies of single hands do (:mod:`agents.policy.policy_agent`), and networks for many rules do not read the
fields of :data:`ALWAYS_IDLE` at all (:func:`uno_env.policy_columns.policy_columns`).
"""

from typing import NamedTuple

import numpy as np

from uno_env.cards import WILD_CUSTOMIZABLE, WILD_DRAW_FOUR
from uno_env.core.arrays import Array, Ints
from uno_env.core.observe.layout import LAYOUT, OBSERVATION_SIZE, RULE_COLUMNS, RULES_START
from uno_env.core.record import FLAGS, SWITCHES
from uno_env.observation import float_form, integer_form, rules_columns
from uno_env.rules import Rules

__all__ = ["ALWAYS_IDLE", "IDLE", "IdleRules", "without_idle_rules"]

ALWAYS_IDLE = ("dealer", "first_card", "first_reverse", "illegal_action", "scoring", "special_wild_points", "target")
"""Fields that no decision of a single hand with the reward ``outcome`` depends on."""


class IdleRules(NamedTuple):
    """When fields of the rules do not matter: each condition compares a column of an observation with a number."""

    conditions: Array
    """Columns that are compared, int64 [K]."""
    numbers: Array
    """Numbers that they are compared with, float32 [K]."""
    if_equal: Array
    """Whether a condition holds where they are equal, or where they differ, bool [K]."""
    columns: Array
    """Columns of the fields, int64 [M]."""
    idle: Array
    """Which columns do not matter where a condition holds, float32 [K, M] of 0 and 1."""
    defaults: Array
    """Values of these columns in the integer form, float32 [M]."""


def _idle_rules() -> IdleRules:
    deck, rules = LAYOUT["deck"].start, RULE_COLUMNS
    table: tuple[tuple[int, int, bool, tuple[str, ...]], ...] = (
        (LAYOUT["seats"].start, 1, True, ALWAYS_IDLE),
        (rules["uno_call"], SWITCHES["uno_call"].index("automatic"), True, ("uno_penalty", "late_call", "call_before")),
        (rules["call_before"], FLAGS["call_before"].index(True), True, ("late_call",)),
        (rules["players"], 2, False, ("two_player_reverse",)),
        (deck + WILD_CUSTOMIZABLE, 0, True, ("customizable_effect",)),
        (deck + WILD_DRAW_FOUR, 0, True, ("wild_draw_four", "wild_is_match")),
        (rules["wild_draw_four"], SWITCHES["wild_draw_four"].index("free"), True, ("wild_is_match",)),
    )
    defaults = _default_columns()
    columns = [column for names in (row[3] for row in table) for name in names for column in _columns_of(name)]
    columns = sorted(set(columns))
    idle = np.zeros((len(table), len(columns)), np.float32)
    for condition, (_, _, _, names) in enumerate(table):
        for name in names:
            idle[condition, np.searchsorted(columns, _columns_of(name))] = 1
    compared, numbers, if_equal, _ = zip(*table, strict=True)
    return IdleRules(
        np.array(compared), np.array(numbers, np.float32), np.array(if_equal), np.array(columns), idle,
        np.array([defaults[column] for column in columns], np.float32),
    )  # fmt: skip


def _columns_of(name: str) -> list[int]:
    return [RULE_COLUMNS[name], RULE_COLUMNS[name] + 1] if name == "target" else [RULE_COLUMNS[name]]


def _default_columns() -> dict[int, int]:
    """Default values of the columns of the rules."""
    row = np.concatenate((np.zeros(RULES_START, np.uint8), rules_columns(Rules())))
    return {column: row[column].item() for name in RULE_COLUMNS for column in _columns_of(name)}


IDLE = _idle_rules()
"""The idle fields of single hands with the reward ``outcome``."""


def without_idle_rules(observations: Array) -> Array:
    """Observations, uint8 or float32 [N, OBSERVATION_SIZE] of single hands, with the fields of the rules that cannot
    matter at their defaults; a copy, in the form that is given. Raises ValueError if they have another shape.
    """
    if observations.ndim != 2 or observations.shape[1] != OBSERVATION_SIZE:
        raise ValueError(f"observations must have shape [N, {OBSERVATION_SIZE}], not {list(observations.shape)}")
    changed = integer_form(observations).copy()
    changed[:, IDLE.columns] = idle_columns(changed)
    return changed if observations.dtype == np.uint8 else float_form(changed)


def idle_columns(observations: Array) -> Array:
    """Return the columns ``IDLE.columns`` of observations, uint8 [N, D or more], as [N, M]. Where a column does not
    matter, it has its default.
    """
    holds = (observations[:, IDLE.conditions] == IDLE.numbers) == IDLE.if_equal
    idle = holds @ IDLE.idle > 0
    return np.where(idle, IDLE.defaults.astype(observations.dtype), observations[:, IDLE.columns])


def idle_places(columns: Ints) -> tuple[Ints, Ints]:
    """Return which of ``IDLE.columns`` are among ``columns``, int64 [C], and where; none of them if the scores are
    among them, too.

    A network that reads the scores of a match plays for points.
    """
    for_matches = np.isin(columns, np.r_[LAYOUT["scores"].columns]).any()
    kept = np.flatnonzero(np.isin(IDLE.columns, columns)) if not for_matches else np.zeros(0, np.int64)
    return kept, np.searchsorted(columns, IDLE.columns[kept])
