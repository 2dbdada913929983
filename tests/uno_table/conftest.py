"""What tests of people's table share."""

from collections.abc import Callable

import pytest

from tests.helpers.likely_hands import few_draws
from uno_table.hands import measuring

__all__ = ["few_draws", "review_by", "short_reviews"]


@pytest.fixture
def short_reviews(monkeypatch: pytest.MonkeyPatch, few_draws: None) -> None:
    """Whole hands are measured in moments: each choice by few games, from few draws."""
    monkeypatch.setattr(measuring, "BUDGET", 60)


@pytest.fixture
def review_by(monkeypatch: pytest.MonkeyPatch) -> Callable[[object], None]:
    """A function that has hands measured by another one, step by step."""
    return lambda steps: monkeypatch.setattr("uno_table.hands.review.measure_choices", steps)
