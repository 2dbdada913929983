"""What tests of the server share."""

from collections.abc import Sequence
from functools import cache

import pytest

from uno_env.rules import Rules
from uno_table.table.rehearsal import rehearse


@cache
def _rehearse(specs: tuple[str, ...], rules: Rules) -> None:
    rehearse(specs, rules)


@pytest.fixture(autouse=True)
def _tables_are_rehearsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every lobby rehearses its tables in a third of a second; here, the first one does so for all."""

    def rehearse_once(specs: Sequence[str], rules: Rules) -> None:
        _rehearse(tuple(specs), rules)

    monkeypatch.setattr("uno_table.web.lobby.rehearse", rehearse_once)
