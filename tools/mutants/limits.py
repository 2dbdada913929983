"""A plugin of pytest: a test that takes :data:`EACH` seconds fails, and no more begin after ``MUTANT_SECONDS``."""

import os
import signal
import time
from collections.abc import Iterator

import pytest

EACH = 5
BEGUN, SECONDS = time.monotonic(), float(os.environ.get("MUTANT_SECONDS", "inf"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Iterator[None]:
    """Let a test fail that takes too long."""

    def too_long(*_: object) -> None:
        raise TimeoutError(f"took more than {EACH} seconds")

    before = signal.signal(signal.SIGALRM, too_long)
    signal.alarm(EACH)
    try:
        return (yield)
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def pytest_runtest_logfinish() -> None:
    """End the run when its time is over."""
    if time.monotonic() - BEGUN > SECONDS:
        pytest.exit("the time is over", returncode=0)
