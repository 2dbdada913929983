"""Saved policies rest on what columns and action ids mean: a change must raise the version."""

import hashlib
from typing import Any

import pytest

from uno_env.actions import ACTION_TEXTS, CATALOGUE_VERSION
from uno_env.core.observe.layout import FIRST_SECTION_SCALES
from uno_env.observation import LAYOUT, LAYOUT_SIZES, LAYOUT_VERSION

COLUMNS = [(section.name, section.start, section.width, section.scale) for section in LAYOUT.values()]
EARLIER = [(name, start, width, FIRST_SECTION_SCALES.get(name, 1)) for name, start, width, _ in COLUMNS]
DIGESTS = {1: "526f26c685b1", 2: "f62e6386d0ab", 3: "d12cacc8661b"}


@pytest.mark.parametrize(
    ("table", "version", "digests"),
    [
        (COLUMNS, LAYOUT_VERSION, DIGESTS),
        *(
            (list(filter(lambda column: column[1] < LAYOUT_SIZES[layout], EARLIER)), layout, DIGESTS)
            for layout in (1, 2)
        ),
        (ACTION_TEXTS, CATALOGUE_VERSION, {1: "6ca5e200fcc1"}),
    ],
)
def test_a_version_stands_for_one_table(table: Any, version: int, digests: dict[int, str]) -> None:
    """If this fails, raise the version and add its digest, or undo the change; never edit a digest of a release."""
    assert hashlib.sha256(repr(table).encode()).hexdigest()[:12] == digests[version]
