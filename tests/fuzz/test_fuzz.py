"""The fuzzer itself in processes of its own: a crash, an endless loop or an error that is not documented fails."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

MODES = {"plain Python, with bounds": "1", "compiled": "0"}


def _fuzz(folder: Path, seconds: int, seed: int, without_jit: str) -> None:
    log = folder / "fuzz.log"
    plan = ["--seconds", str(seconds), "--seed", str(seed), "--log", str(log)]
    done = subprocess.run(
        [sys.executable, "-m", "tests.fuzz.calls", *plan],
        env={**os.environ, "NUMBA_DISABLE_JIT": without_jit},
        capture_output=True,
        text=True,
        timeout=seconds + 900,  # the first calls are compiled
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr[-5_000:]}\nlast call: {log.read_text()[:2_000]}"


@pytest.mark.parametrize("without_jit", MODES.values(), ids=MODES.keys())
def test_hostile_calls_work_or_raise_documented_errors(tmp_path: Path, without_jit: str) -> None:
    pytest.importorskip("stable_baselines3")
    _fuzz(tmp_path, 10, 1, without_jit)


@pytest.mark.slow
@pytest.mark.parametrize("without_jit", MODES.values(), ids=MODES.keys())
def test_hostile_calls_for_ten_minutes(tmp_path: Path, without_jit: str) -> None:
    pytest.importorskip("stable_baselines3")
    _fuzz(tmp_path, 300, int.from_bytes(os.urandom(4), "little"), without_jit)
