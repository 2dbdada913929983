"""Opponents of known strength play as they did when it was measured; compiled, by other editions: test_editions.py."""

import json
import os
import subprocess
import sys

import pytest

from agents.scripted.dispatch import STRATEGIES
from tests.agents.scripted.choices import Choices, choices_by_name
from tests.agents.scripted.edition_choices import table_name
from tests.agents.scripted.kept import kept_checksum
from tests.helpers import ROOT
from tests.uno_env.core.lockstep import checksum


@pytest.fixture(scope="module")
def many_choices() -> Choices:
    return choices_by_name(many=True)


@pytest.mark.parametrize("name", STRATEGIES)
def test_opponents_play_as_when_their_strength_was_measured(name: str, many_choices: Choices) -> None:
    chosen = checksum(many_choices[name])
    assert chosen == kept_checksum("classic", name), f"{name} plays otherwise than when its choices were kept (kept.py)"


def test_opponents_play_no_mercy_as_when_they_were_kept() -> None:
    """In plain Python, which takes less than compiling them for another edition."""
    command = [sys.executable, "-m", "tests.agents.scripted.edition_choices", "no_mercy", "25"]
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True, text=True)
    kept = {name: kept_checksum(table_name("no_mercy", 25), name) for name in STRATEGIES}
    assert json.loads(done.stdout) == kept, "opponents play No Mercy otherwise than when they were kept (kept.py)"
