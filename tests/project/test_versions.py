"""Saved policies rest on what columns and action ids mean: a change that they notice must raise the version."""

import hashlib
from typing import Any

import pytest

from uno_env.actions import ACTION_TEXTS, CATALOGUE_VERSION
from uno_env.observation import LAYOUT, LAYOUT_VERSION

COLUMNS = [(section.name, section.start, section.width, section.scale) for section in LAYOUT.values()]


@pytest.mark.parametrize(
    ("table", "version", "digest"),
    [(COLUMNS, LAYOUT_VERSION, (3, "a9cd5529209a")), (ACTION_TEXTS, CATALOGUE_VERSION, (1, "6ca5e200fcc1"))],
    ids=["columns", "actions"],
)
def test_a_version_stands_for_one_table(table: Any, version: int, digest: tuple[int, str]) -> None:
    """If this fails, raise the version, unless a column was only added at the end, and write the new digest."""
    assert (version, hashlib.sha256(repr(table).encode()).hexdigest()[:12]) == digest
