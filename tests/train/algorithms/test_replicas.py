"""Processes that train one network together, as ``torchrun`` starts them; two on the processor."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from train.common import replicas
from train.runs.checkpoint import load_checkpoint

pytestmark = pytest.mark.adapters

LEARNER = '''
from dataclasses import dataclass

import numpy as np
from train.algorithms.{module} import {name}, {name}Config
from train.common import replicas


@dataclass(frozen=True, kw_only=True)
class NotingConfig({name}Config):
    algorithm: str = ""


class Noting({name}):
    """Writes down, at the end, what each process has."""

    config_class = NotingConfig

    def __exit__(self, *error):
        if self.config.num_steps == 16 and self.decisions:
            arrays, values = self.get_state()
            games = {{name: array for name, array in arrays.items() if name.startswith(("games.", "network."))}}
            np.savez(f"rank-{{replicas.rank()}}.npz", decisions=self.decisions, choices=self.choices, **games)
        super().__exit__(*error)
'''
ITERATION = 2 * 24 * 16
OPTIONS = (
    "--rules duel --name run --threads 1 --num-envs 24 --num-steps 16 --hidden [8] --minibatch-size 50 --eval-every 0 "
    f"--precision float32 --checkpoint-every {2 * ITERATION}"
)


def launched(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Two processes of ``uno train``."""
    return subprocess.run(command(*arguments), cwd=folder, capture_output=True, text=True, env=environment())


def command(*arguments: str) -> list[str]:
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", "--no-python"]
    return [*torchrun, sys.executable, "-m", "train.cli", "train", *arguments]


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONDONTWRITEBYTECODE": ""}


def own_learner(folder: Path, name: str, fields: str = "") -> Path:
    """A config of a learner that writes down what each process has."""
    (folder / "own.py").write_text(LEARNER.format(module=name.lower(), name=name))
    config = folder / "config.yaml"
    config.write_text(f"algorithm: own.py:Noting\nfolder: .\n{fields}\n")
    return config


def noted(folder: Path) -> list[dict[str, Any]]:
    return [dict(np.load(folder / f"rank-{rank}.npz")) for rank in range(2)]


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("PPO", "random_rules: 2\nleague_share: 0.5\nleague_scripted: [greedy]"),
        pytest.param("MMD", "symmetry: true", marks=pytest.mark.slow),
        pytest.param("DMC", "", marks=pytest.mark.slow),
    ],
)
def test_processes_have_one_network_and_games_of_their_own(name: str, fields: str, tmp_path: Path) -> None:
    config = own_learner(tmp_path, name, fields)
    for iterations in (3, 5):
        arguments = [*OPTIONS.split()] if iterations == 3 else []
        target = str(config) if iterations == 3 else "run"
        total = str(iterations * ITERATION)
        done = launched(tmp_path, target, *arguments, "--total-timesteps", total, "--trust-code")
        assert done.returncode == 0, done.stderr
        assert done.stdout.count("The policy is") == 1
        first, second = noted(tmp_path)
        assert first.keys() == second.keys()
        for key, array in first.items():
            if key.endswith(".games"):
                assert not np.array_equal(array, second[key]), key
            elif not key.startswith("games."):
                np.testing.assert_array_equal(array, second[key], err_msg=key)
        assert first["decisions"] == iterations * ITERATION
        assert 0 < first["choices"] < first["decisions"]
        (checkpoint,) = (tmp_path / "run" / "checkpoints").glob(f"{iterations * ITERATION:012d}.*")
        arrays, values = load_checkpoint(checkpoint)
        assert values["decisions"] == iterations * ITERATION
        for key in first:
            if key.startswith("network."):
                np.testing.assert_array_equal(first[key], arrays[key])


def test_a_signal_stops_all_with_a_checkpoint(tmp_path: Path) -> None:
    config = own_learner(tmp_path, "PPO")
    arguments = [str(config), *OPTIONS.split(), "--trust-code"]
    with subprocess.Popen(
        command(*arguments),
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=environment(),
    ) as process:
        deadline = time.monotonic() + 120
        while not list(tmp_path.glob("run/checkpoints/*")) and time.monotonic() < deadline:
            time.sleep(0.2)
        process.send_signal(signal.SIGTERM)
        text, _ = process.communicate(timeout=60)
    assert "Stopped. To go on: uno train run" in text
    first, second = noted(tmp_path)
    assert first["decisions"] == second["decisions"]


def test_a_users_mistake_is_told_once(tmp_path: Path) -> None:
    done = launched(tmp_path, "ppo_duel-2p", "--num-envs", "0")
    assert done.returncode != 0
    assert done.stderr.count("num_envs=0 is not allowed") == 1


def test_other_algorithms_are_refused(tmp_path: Path) -> None:
    pytest.importorskip("sb3_contrib")
    done = launched(tmp_path, "sb3_ppo_duel-2p", "--folder", str(tmp_path))
    assert done.returncode != 0
    assert re.search(r"algorithm='sb3_ppo' trains in one process: start it without torchrun", done.stderr)


def test_one_process_needs_no_others() -> None:
    with replicas.joined():
        assert (replicas.number(), replicas.rank()) == (1, 0)
        assert replicas.from_first("value") == "value"
        assert replicas.total([1, 2.5]) == [1.0, 2.5]
