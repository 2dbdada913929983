"""Opponents of known strength play as they did when it was measured; by other editions' rules: test_editions.py."""

import pytest

from agents.scripted.dispatch import STRATEGIES
from tests.agents.scripted.choices import Choices, choices_by_name
from tests.agents.scripted.kept import kept_checksum
from tests.uno_env.core.lockstep import checksum


@pytest.fixture(scope="module")
def many_choices() -> Choices:
    return choices_by_name(many=True)


@pytest.mark.parametrize("name", STRATEGIES)
def test_opponents_play_as_when_their_strength_was_measured(name: str, many_choices: Choices) -> None:
    chosen = checksum(many_choices[name])
    assert chosen == kept_checksum("classic", name), f"{name} plays otherwise than when its choices were kept (kept.py)"
