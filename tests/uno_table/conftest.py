"""What tests of people's table share."""

from collections.abc import Callable

import pytest

from tests.helpers.likely_hands import few_draws

__all__ = ["few_draws", "review_by"]


@pytest.fixture
def review_by(monkeypatch: pytest.MonkeyPatch) -> Callable[[object], None]:
    """A function that has hands measured by another one, step by step."""
    return lambda steps: monkeypatch.setattr("uno_table.hands.review.measure_choices", steps)
