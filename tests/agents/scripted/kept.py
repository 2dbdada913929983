"""Choices of every strategy in many positions, kept as one checksum for each table and strategy.

``python -m tests.agents.scripted.kept`` keeps the choices of today. Whoever changes an opponent does this, and measures
its strength anew (docs/benchmarks/ladder.md).
"""

import json
from pathlib import Path

from tests.uno_env.core.lockstep import checksum

FILE = Path(__file__).with_name("kept.json")


def kept_checksum(table: str, strategy: str) -> int:
    """The checksum that was kept of the actions that a strategy chooses at a table."""
    return int(json.loads(FILE.read_text())[table][strategy])


if __name__ == "__main__":
    from tests.agents.scripted.choices import choices_by_name
    from tests.agents.scripted.edition_choices import TABLES, choices_at, table_name

    choices = {"classic": choices_by_name(many=True)}
    choices |= {table_name(*table): choices_at(*table) for table in TABLES}
    numbers = {table: {name: checksum(chosen) for name, chosen in made.items()} for table, made in choices.items()}
    FILE.write_text(json.dumps(numbers, indent=1) + "\n")
