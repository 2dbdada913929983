"""Choices of every strategy in many positions, kept as one number for each table and strategy.

``python -m tests.agents.scripted.kept`` keeps the choices of today. Whoever changes an opponent does this, and measures
its strength anew (docs/benchmarks/ladder.md).
"""

import json
import zlib
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt

FILE = Path(__file__).with_name("kept.json")


def number_of(choices: npt.ArrayLike) -> int:
    """A number for the actions that were chosen, int [N]; other actions have another one."""
    return zlib.crc32(np.asarray(choices, np.int64).tobytes())


def kept_number(table: str, strategy: str) -> int:
    """The number that was kept for a strategy at a table."""
    return int(json.loads(FILE.read_text())[table][strategy])


def _write(numbers: Mapping[str, Mapping[str, int]]) -> None:
    FILE.write_text(json.dumps(numbers, indent=1) + "\n")


if __name__ == "__main__":
    from tests.agents.scripted.choices import choices_by_name
    from tests.agents.test_editions import TABLES, choices_at, table_name

    _write(
        {"classic": {name: number_of(chosen) for name, chosen in choices_by_name(many=True).items()}}
        | {
            table_name(edition, mercy): {name: number_of(chosen) for name, chosen in choices_at(edition, mercy).items()}
            for edition, mercy in TABLES
        }
    )
