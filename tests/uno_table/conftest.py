"""What tests of people's table share."""

from collections.abc import Callable

import pytest


@pytest.fixture
def review_by(monkeypatch: pytest.MonkeyPatch) -> Callable[[object], None]:
    """A function that has hands measured by another one, step by step."""
    return lambda steps: monkeypatch.setattr("uno_table.hands.review.measure_choices", steps)
