"""Runs that fail in the middle."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from train.algorithms.self_play import SelfPlayLearner


@contextmanager
def failing(
    monkeypatch: pytest.MonkeyPatch,
    learner_class: type[SelfPlayLearner],
    decisions: int,
    error: Exception | None = None,
) -> Iterator[None]:
    """Training must fail within, when a learner has made so many decisions; by default as if the power was cut."""
    error = error or RuntimeError("power cut")
    iterate = learner_class.iterate

    def fail(learner: SelfPlayLearner, progress: float) -> dict[str, float]:
        if learner.decisions == decisions:
            raise error
        return iterate(learner, progress)

    with monkeypatch.context() as patch:
        patch.setattr(learner_class, "iterate", fail)
        with pytest.raises(type(error), match=str(error)):
            yield
