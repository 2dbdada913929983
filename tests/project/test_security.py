"""Every promise of SECURITY.md names tests, and they are there."""

import re

import pytest

from tests.helpers import ROOT

PROMISES = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in (ROOT / "SECURITY.md").read_text(encoding="utf-8").splitlines()
    if line.startswith("| ") and not line.startswith(("| What", "| ---", "| **"))
]


def test_there_are_promises():
    assert len(PROMISES) >= 15
    assert len({promise for promise, _ in PROMISES}) == len(PROMISES)


@pytest.mark.parametrize(("promise", "tests"), PROMISES)
def test_a_promise_is_held_by_tests_that_are_there(promise: str, tests: str) -> None:
    named = re.fullmatch(r"`[^`]+`(, `[^`]+`)*", tests)
    assert named, f"{promise!r} names no tests"
    for path in re.findall(r"`([^`]+)`", tests):
        assert re.fullmatch(r"tests/[\w/]+/test_\w+\.py", path)
        assert re.search(r"^(async )?def test_", (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE)
