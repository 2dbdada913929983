"""tools/docs/layout_tables.py: the tables of columns that the pages show."""

import re
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from tools.docs.layout_tables import history_table, layout_table, planes_table
from uno_env.encodings import FORMS, PLANES, SOURCES
from uno_env.history import EVENT_SIZE, HISTORY_LAYOUT
from uno_env.observation import LAYOUT, OBSERVATION_SIZE


@pytest.mark.parametrize(
    ("table", "sections", "number"),
    [
        (layout_table, LAYOUT, OBSERVATION_SIZE),
        (planes_table, PLANES, len(SOURCES)),
        (history_table, HISTORY_LAYOUT, EVENT_SIZE),
    ],
)
def test_a_table_has_a_row_for_each_section_and_every_column_once(
    table: Callable[[], str], sections: Mapping[str, Any], number: int
) -> None:
    rows, columns = table().splitlines()[2:], list[int]()
    for row, (name, section) in zip(rows, sections.items(), strict=True):
        meaning = FORMS[section.form][1] if sections is PLANES else section.meaning
        assert f"| `{name}` |" in row
        assert row.endswith(f"| {meaning} |")
        place = re.search(r"\| (\d+)(?:–(\d+))? \|", row)
        assert place
        columns += range(int(place[1]), int(place[2] or place[1]) + 1)
    assert columns == list(range(number))
