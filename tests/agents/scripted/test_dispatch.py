"""Every strategy does the same by its name, by its number in a playout, compiled, and as plain Python."""

import os
import subprocess
import sys

import numpy as np
import numpy.typing as npt
import pytest

from agents.scripted.agent import new_scratch
from agents.scripted.dispatch import STRATEGIES, STRATEGY_NUMBERS, decide
from agents.scripted.faces import faces_of
from tests.agents.scripted.choices import choices_by_name, choices_by_number
from tests.helpers import ROOT
from uno_env.actions import NUM_ACTIONS
from uno_env.editions.classic import CLASSIC
from uno_env.observation import OBSERVATION_SIZE

Ways = dict[str, npt.NDArray[np.int64]]


@pytest.fixture(scope="module")
def uncompiled(tmp_path_factory: pytest.TempPathFactory) -> Ways:
    """Choices of plain Python, where an overflow is an error: by name, by number, and by number with a name inserted in
    the middle of the table.
    """
    file = tmp_path_factory.mktemp("choices") / "choices.npz"
    command = [sys.executable, "-W", "error::RuntimeWarning", "-m", "tests.agents.scripted.choices", str(file)]
    subprocess.run(command, cwd=ROOT, env={**os.environ, "NUMBA_DISABLE_JIT": "1"}, check=True)
    return dict(np.load(file))


def _of(uncompiled: Ways, way: str) -> dict[str, list[int]]:
    return {name: uncompiled[f"{way}/{name}"].tolist() for name in STRATEGIES}


def _lists(choices: Ways) -> dict[str, list[int]]:
    return {name: made.tolist() for name, made in choices.items()}


def test_each_strategy_has_choices_of_its_own(uncompiled: Ways) -> None:
    """Or the other tests could not tell strategies apart."""
    chosen = _of(uncompiled, "by name")
    assert len({tuple(made) for made in chosen.values()}) == len(STRATEGIES)


def test_compiled_agents_choose_as_plain_python(uncompiled: Ways) -> None:
    assert _lists(choices_by_name()) == _of(uncompiled, "by name")


def test_playouts_choose_as_agents_compiled_and_as_plain_python(uncompiled: Ways) -> None:
    assert _of(uncompiled, "by number") == _of(uncompiled, "by name")
    assert _lists(choices_by_number(decide, STRATEGY_NUMBERS)) == _of(uncompiled, "by name")


def test_a_name_inserted_in_the_middle_changes_nothing(uncompiled: Ways) -> None:
    assert _of(uncompiled, "with a name inserted") == _of(uncompiled, "by name")


@pytest.mark.parametrize("number", [-1, len(STRATEGIES)])
def test_a_number_of_no_strategy_fails_loudly(number: int) -> None:
    row, mask = np.zeros(OBSERVATION_SIZE, np.uint8), np.ones(NUM_ACTIONS, np.uint8)
    scratch = new_scratch("random", np.zeros(1, np.uint64))
    with pytest.raises(ValueError, match="no strategy has this number"):
        decide(number, faces_of(CLASSIC)[0], row, mask, scratch)


def test_every_strategy_is_told_in_one_line() -> None:
    assert all("; " in strategy.about for strategy in STRATEGIES.values())
