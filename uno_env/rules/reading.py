"""Read rules from a preset's name, a mapping or :class:`Rules`: :func:`as_rules`."""

from collections.abc import Mapping
from typing import Any

from uno_env.rules.fields import Rules
from uno_env.rules.presets import PRESETS, preset_fields


def as_rules(rules: Any, players: int | None = None) -> Rules:
    """Rules from rules, a preset's name or a mapping of fields, for ``players`` if given. Raises ValueError if there is
    no such preset or field, or a value is not allowed.
    """
    changes = {} if players is None else {"players": players}
    if isinstance(rules, Rules):
        return rules.replace(**changes) if changes else rules
    if isinstance(rules, str):
        return Rules.preset(rules, **changes)
    if isinstance(rules, Mapping):
        values = dict(rules)
        preset = values.pop("preset", "classic")
        return Rules.from_dict({**preset_fields(preset), **values, **changes})
    raise ValueError(
        f"rules={rules!r} is not allowed: give Rules, the name of a preset ({', '.join(PRESETS)}) or a mapping"
    )
