"""What a table plays, in a few words: :func:`rules_title`."""

from functools import lru_cache

from agents.human.table.table_config import Setup
from uno_env.rules import PRESETS, Rules

MOST_CHANGES = 3


@lru_cache(maxsize=64)
def rules_title(setup: Setup) -> str:
    """``"house, stacking any; match to 500 points"``."""
    return f"{_rules(setup.rules)}; {_length(setup)}"


def _rules(rules: Rules) -> str:
    """The preset that is nearest, and what differs from it."""
    changes = {name: _changes(rules, name) for name in PRESETS}
    nearest = min(PRESETS, key=lambda name: len(changes[name]))
    different = changes[nearest]
    more = [f"{len(different) - MOST_CHANGES} more changes"] if len(different) > MOST_CHANGES else []
    return ", ".join([nearest.replace("_", " "), *different[:MOST_CHANGES], *more])


def _changes(rules: Rules, preset: str) -> list[str]:
    before, now = Rules.preset(preset).to_dict(), rules.to_dict()
    return [
        f"{name.replace('_', ' ')} {_value(now[name])}"
        for name in now
        if now[name] != before[name] and name != "players"
    ]


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value).replace("_", " ") if isinstance(value, str | int) else "of its own"


def _length(setup: Setup) -> str:
    if not setup.match:
        return "every hand stands alone"
    return "first out wins" if setup.rules.scoring == "hand" else f"match to {setup.rules.target} points"
