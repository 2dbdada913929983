"""A plugin of pytest: limits on the time of tests that run against a mistake.

A test fails that takes :data:`EACH` seconds of the processor, or :data:`ASLEEP` times as long by the clock. No more
tests begin after ``MUTANT_SECONDS`` of the processor. So a busy machine changes no outcome.
"""

import os
import signal
from collections.abc import Iterator

import pytest

EACH = int(os.environ.get("MUTANT_EACH", "5"))
"""With 0 there is no limit."""
ASLEEP = 12
SECONDS = float(os.environ.get("MUTANT_SECONDS", "inf"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Iterator[None]:
    """Let a test fail that takes too long."""

    def too_long(*_: object) -> None:
        raise TimeoutError(f"took more than {EACH} seconds")

    before = [(number, signal.signal(number, too_long)) for number in (signal.SIGPROF, signal.SIGALRM)]
    signal.setitimer(signal.ITIMER_PROF, EACH)
    signal.alarm(ASLEEP * EACH)
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.alarm(0)
        for number, handler in before:
            signal.signal(number, handler)


def pytest_runtest_logfinish() -> None:
    """End the run when its time is over."""
    used = os.times()
    if used.user + used.system + used.children_user + used.children_system > SECONDS:
        pytest.exit("the time is over", returncode=0)
