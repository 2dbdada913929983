"""Runs that fail in the middle."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from train.runs.learner import Learner


@contextmanager
def failing(
    monkeypatch: pytest.MonkeyPatch,
    learner_class: Any,
    decisions: int,
    error: Exception | None = None,
) -> Iterator[None]:
    """Training must fail within, when a learner has made so many decisions or more; by default as in a power cut."""
    error = error or RuntimeError("power cut")
    iterate = learner_class.iterate

    def fail(learner: Learner, progress: float) -> dict[str, float]:
        if learner.decisions >= decisions:
            raise error
        figures: dict[str, float] = iterate(learner, progress)
        return figures

    with monkeypatch.context() as patch:
        patch.setattr(learner_class, "iterate", fail)
        with pytest.raises(type(error), match=str(error)):
            yield
