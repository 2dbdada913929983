"""The core compiled, uncompiled, and compiled by plain Numba, in lock step: the same bits after every action."""

import os
import subprocess
import sys

import numpy as np
import numpy.typing as npt
import pytest

from tests.helpers import ROOT
from tests.uno_env.core.lockstep import CASES, COLUMNS, all_checksums, checksum
from uno_env.core.jit.njit import INTERPRETED
from uno_env.core.record import END_NAMES, PHASE_NAMES

Checksums = dict[str, npt.NDArray[np.uint32]]


OTHER_WAYS = {
    "compiled" if INTERPRETED else "uncompiled": {"NUMBA_DISABLE_JIT": "0" if INTERPRETED else "1"},
    "plain njit": {"NUMBA_DISABLE_JIT": "0", "UNO_ENV_PLAIN_NJIT": "1"},
}


@pytest.fixture(scope="module", params=[next(iter(OTHER_WAYS)), pytest.param("plain njit", marks=pytest.mark.slow)])
def both(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> tuple[Checksums, Checksums]:
    """Checksums of this process, and of one in which the core runs in another way."""
    file = tmp_path_factory.mktemp("lockstep") / "other.npz"
    environment = {**os.environ, **OTHER_WAYS[request.param]}
    command = [sys.executable, "-m", "tests.uno_env.core.lockstep", str(file)]
    with subprocess.Popen(command, cwd=ROOT, env=environment) as other:
        here = all_checksums()
    assert other.returncode == 0
    return here, dict(np.load(file))


def test_games_are_bit_identical(both: tuple[Checksums, Checksums]) -> None:
    here, other = both
    assert here.keys() == other.keys()
    for name, rows in here.items():
        assert rows.shape == other[name].shape
        differing = np.argwhere(rows != other[name])
        if len(differing):
            row, column = differing[0]
            what = COLUMNS[column] if name.startswith("case") else f"result {column}"
            pytest.fail(f"{name} differs in {what!r} after {row + 1} decisions")


def test_lock_step_covers_enough(both: tuple[Checksums, Checksums]) -> None:
    states = np.concatenate([rows for name, rows in both[0].items() if name.startswith("case")])
    assert len(states) >= 20_000
    assert {case.get("players", 4) for case in CASES} >= {2, 3, 4, 5, 6, 7, 10}
    for column, names, missing in (("phase", PHASE_NAMES, set()), ("end", END_NAMES, {"too_many_hands"})):
        seen = set(states[:, COLUMNS.index(column)].tolist())
        assert seen == {checksum(number) for number, name in enumerate(names) if name not in missing}
