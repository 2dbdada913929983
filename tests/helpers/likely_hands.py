"""Likely hands from so few draws that a whole hand is measured in seconds: :func:`few_draws`."""

import pytest

from train.evaluation.choices import likely_hands


@pytest.fixture
def few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """Likely hands come from few draws."""
    for name, value in {"DRAWS": 256, "ENOUGH": 20, "MOVED": 40, "MOVES": 1, "LAST_MOVES": 1}.items():
        monkeypatch.setattr(likely_hands, name, value)
