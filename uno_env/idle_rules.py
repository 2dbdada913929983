"""Rules that no decision depends on, for players who read the rules in force: :func:`without_idle_rules`.

An observation tells all rules. In a single hand with the reward ``outcome`` no decision depends on points, on how the
hand was dealt, or on what would happen after an illegal action. Nor does any depend on the penalty for a missing call
where UNO is called automatically, and so on. A player who reads these fields should see one value in each of them.
Saved policies of single hands do (:mod:`agents.policy.policy_agent`), and networks for many rules do not read the
fields of :data:`ALWAYS_IDLE` at all (:func:`uno_env.policy_columns.policy_columns`).
"""

from functools import cache
from typing import NamedTuple

import numpy as np

from uno_env.core.arrays import Array, Ints
from uno_env.core.observe.layout import OBSERVATION_SIZE, layout_of, rule_columns_of, starts_of
from uno_env.core.record import FLAGS, SWITCHES
from uno_env.editions.classic import CLASSIC
from uno_env.editions.edition import NO_COLOUR, Edition
from uno_env.observation import edition_shown, float_form, integer_form, rules_columns
from uno_env.rules import Rules

__all__ = ["ALWAYS_IDLE", "IDLE", "IdleRules", "idle_rules_of", "without_idle_rules"]

ALWAYS_IDLE = ("dealer", "first_card", "first_reverse", "illegal_action", "scoring", "special_wild_points", "target")
"""Fields that no decision of a single hand with the reward ``outcome`` depends on."""


class IdleRules(NamedTuple):
    """Conditions under which fields of rules do not matter: each compares a column of an observation to a number."""

    conditions: Array
    """Columns that are compared, int64 [K]."""
    numbers: Array
    """Numbers that they are compared with, float32 [K]."""
    if_equal: Array
    """True if a condition holds where they are equal, False if it holds where they differ, bool [K]."""
    columns: Array
    """Columns of the fields, int64 [M]."""
    idle: Array
    """The columns that do not matter where a condition holds, float32 [K, M] of 0 and 1."""
    defaults: Array
    """Values of these columns in the integer form, float32 [M]."""


@cache
def idle_rules_of(edition: Edition) -> IdleRules:
    """The idle fields of single hands of an edition with the reward ``outcome``."""
    sections, rules = layout_of(edition), rule_columns_of(edition)
    deck = sections["deck"].start
    customizables = [kind for kind, face in enumerate(edition.kinds) if face.effect == "customizable"]
    wild_draws = [kind for kind, face in enumerate(edition.kinds) if face.colour == NO_COLOUR and face.demands]
    never = ALWAYS_IDLE if customizables else (*ALWAYS_IDLE, "customizable_effect")
    table: list[tuple[int, int, bool, tuple[str, ...]]] = [
        (sections["seats"].start, 1, True, never),
        (rules["uno_call"], SWITCHES["uno_call"].index("automatic"), True, ("uno_penalty", "late_call", "call_before")),
        (rules["call_before"], FLAGS["call_before"].index(True), True, ("late_call",)),
        (rules["players"], 2, False, () if edition.mercy else ("two_player_reverse",)),  # with mercy, two can be left
        (rules["wild_draw_four"], SWITCHES["wild_draw_four"].index("free"), True, ("wild_is_match",)),
    ]
    # A condition compares one column, so it takes a single kind of these cards.
    if len(customizables) == 1:
        table.append((deck + customizables[0], 0, True, ("customizable_effect",)))
    if len(wild_draws) == 1:
        table.append((deck + wild_draws[0], 0, True, ("wild_draw_four", "wild_is_match")))
    defaults = _default_columns(edition)
    columns = [column for row in table for name in row[3] for column in _columns_of(name, edition)]
    columns = sorted(set(columns))
    idle = np.zeros((len(table), len(columns)), np.float32)
    for condition, (_, _, _, names) in enumerate(table):
        for name in names:
            idle[condition, np.searchsorted(columns, _columns_of(name, edition))] = 1
    compared, numbers, if_equal, _ = zip(*table, strict=True)
    return IdleRules(
        np.array(compared), np.array(numbers, np.float32), np.array(if_equal), np.array(columns), idle,
        np.array([defaults[column] for column in columns], np.float32),
    )  # fmt: skip


def _columns_of(name: str, edition: Edition) -> list[int]:
    column = rule_columns_of(edition)[name]
    return [column, column + 1] if name == "target" else [column]


def _default_columns(edition: Edition) -> dict[int, int]:
    """Default values of the columns of the rules."""
    rules = Rules(edition=edition.name, deck=next(iter(edition.decks)), mercy=25 * edition.mercy)
    told = rules_columns(rules)
    row = np.concatenate((np.zeros(starts_of(edition).end - len(told), np.uint8), told))
    names = rule_columns_of(edition)
    return {column: row[column].item() for name in names for column in _columns_of(name, edition)}


IDLE = idle_rules_of(CLASSIC)
"""The idle fields of single hands of the first edition."""


def without_idle_rules(observations: Array) -> Array:
    """Observations, uint8 or float32 [N, D] of single hands, with the fields of the rules that cannot matter at their
    defaults; a copy, in the form that is given. Raises ValueError if they have another shape.
    """
    if observations.ndim != 2:
        raise ValueError(f"observations must have shape [N, {OBSERVATION_SIZE}], not {list(observations.shape)}")
    idle = idle_rules_of(edition_shown(observations.shape[1]))
    changed = integer_form(observations).copy()
    changed[:, idle.columns] = idle_columns(changed, idle)
    return changed if observations.dtype == np.uint8 else float_form(changed)


def idle_columns(observations: Array, idle: IdleRules = IDLE) -> Array:
    """Return the columns ``idle.columns`` of observations, uint8 [N, D or more], as [N, M]. Where a column does not
    matter, it has its default.
    """
    holds = (observations[:, idle.conditions] == idle.numbers) == idle.if_equal
    is_idle = holds @ idle.idle > 0
    return np.where(is_idle, idle.defaults.astype(observations.dtype), observations[:, idle.columns])


def idle_places(columns: Ints, edition: Edition = CLASSIC) -> tuple[Ints, Ints]:
    """Return which of an edition's idle columns are among ``columns``, int64 [C], and where; none of them if the scores
    are among them, too.

    A network that reads the scores of a match plays for points.
    """
    idle = idle_rules_of(edition)
    for_matches = np.isin(columns, np.r_[layout_of(edition)["scores"].columns]).any()
    kept = np.flatnonzero(np.isin(idle.columns, columns)) if not for_matches else np.zeros(0, np.int64)
    return kept, np.searchsorted(columns, idle.columns[kept])
