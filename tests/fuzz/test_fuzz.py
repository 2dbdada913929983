"""The fuzzer itself in processes of its own: a crash, an endless loop or an error that is not documented fails."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

MODES = {
    "plain Python, with bounds": {"NUMBA_DISABLE_JIT": "1"},
    "compiled": {"NUMBA_DISABLE_JIT": "0"},
}
CHECKED = {"compiled, with bounds": {"NUMBA_DISABLE_JIT": "0", "NUMBA_BOUNDSCHECK": "1"}}
"""Compiles for minutes, with code that is of no use elsewhere."""


@pytest.mark.parametrize(
    ("calls", "mode"),
    [
        (1_500, {}),
        pytest.param(100_000, {}, marks=pytest.mark.slow),
        pytest.param(100_000, {"NUMBA_BOUNDSCHECK": "1"}, marks=pytest.mark.slow),
    ],
)
def test_functions_called_with_wrong_arguments_work_or_raise_documented_errors(
    calls: int, mode: dict[str, str]
) -> None:
    seed = "1" if calls < 10_000 else str(int.from_bytes(os.urandom(4), "little"))
    done = subprocess.run(
        [sys.executable, "-m", "tests.fuzz.functions", "--calls", str(calls), "--seed", seed],
        env={**os.environ, **mode},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, f"{done.stdout[-10_000:]}\n{done.stderr[-5_000:]}"
    assert f"{calls:,} calls" in done.stdout


def _fuzz(folder: Path, seconds: int, seed: int, mode: dict[str, str]) -> None:
    log = folder / "fuzz.log"
    plan = ["--seconds", str(seconds), "--seed", str(seed), "--log", str(log)]
    done = subprocess.run(
        [sys.executable, "-m", "tests.fuzz.calls", *plan],
        env={**os.environ, **mode},
        capture_output=True,
        text=True,
        timeout=seconds + 900,  # the first calls are compiled
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr[-5_000:]}\nlast call: {log.read_text()[:2_000]}"


@pytest.mark.parametrize("mode", MODES.values(), ids=MODES.keys())
def test_hostile_calls_work_or_raise_documented_errors(tmp_path: Path, mode: dict[str, str]) -> None:
    pytest.importorskip("stable_baselines3")
    _fuzz(tmp_path, 5, 4, mode)


@pytest.mark.slow
@pytest.mark.parametrize("mode", (MODES | CHECKED).values(), ids=(MODES | CHECKED).keys())
def test_hostile_calls_for_ten_minutes(tmp_path: Path, mode: dict[str, str]) -> None:
    pytest.importorskip("stable_baselines3")
    _fuzz(tmp_path, 300, int.from_bytes(os.urandom(4), "little"), mode)
