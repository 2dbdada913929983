"""Signals that arrive twice."""

import pytest

from train.common.interrupts import once_a_second


def test_signals_within_a_second_of_the_first_are_that_one(monkeypatch: pytest.MonkeyPatch) -> None:
    signals = ((0.0, 2), (0.001, 2), (0.9, 15), (1.0, 2), (1.9, 2), (2.5, 15))
    times, called = iter([when for when, _ in signals]), []
    monkeypatch.setattr("train.common.interrupts.monotonic", lambda: next(times))
    handle = once_a_second(lambda number, frame: called.append(number))
    for _, number in signals:
        handle(number, None)
    assert called == [2, 2, 15]
