"""Checkpoints whose checksum is right, and whose content is not: one sentence, and nothing reaches compiled code."""

import json
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import save_file

from agents.policy.policy_file import METADATA_KEY as POLICY_KEY
from tests.train.runs.test_run_folder import ITERATION, SMALL, flip, go_on, newest
from train.algorithms.ppo import PPO
from train.algorithms.registry import train
from train.cli.main import main
from train.runs.checkpoint import load_checkpoint, save_checkpoint
from train.runs.learner import RunError
from uno_env.history import HISTORY_VERSION


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return train(replace(SMALL, folder=str(tmp_path_factory.mktemp("runs")), eval_every=0))


@pytest.fixture
def run(trained: Path, tmp_path: Path) -> Path:
    """A run's folder, of whose four iterations all are done."""
    return Path(shutil.copytree(trained, tmp_path / "small"))


def changed_arrays(arrays: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The arrays of a checkpoint, by what is wrong with them."""
    chance = np.random.default_rng(4)
    games = next(name for name in arrays if name.startswith("games.") and name.endswith("games"))
    moments = [name for name in arrays if name.endswith("exp_avg_sq")]
    other = arrays[games].copy()
    other[0], other[1:, 3::64] = 255, 99
    return {
        "games of bytes": arrays | {games: np.frombuffer(chance.bytes(other.nbytes), np.uint8).reshape(other.shape)},
        "games of 255": arrays | {games: np.full_like(other, 255)},
        "one game": arrays | {games: other},
        "fewer games": arrays | {games: other[:-1]},
        "no games": {name: array for name, array in arrays.items() if name != games},
        "short moments": arrays | {name: arrays[name][:-1] for name in moments},
        "other moments": arrays | {name: arrays[name].astype(np.float64) for name in moments},
        "negative moments": arrays | {name: -np.ones_like(arrays[name]) for name in moments},
        "infinite moments": arrays | {name: np.full_like(arrays[name], np.inf) for name in moments},
        "moments of one": {name: array for name, array in arrays.items() if name not in moments[1:]},
        "no weights": {name: array for name, array in arrays.items() if not name.startswith("network.")},
    }


CHANGES = ["games of bytes", "games of 255", "one game", "fewer games", "no games", "short moments", "other moments",
           "negative moments", "infinite moments", "moments of one", "no weights"]  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
def test_wrong_content_under_a_right_checksum_is_one_sentence(
    change: str, run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Games reach compiled code, and moments PyTorch's, which read and write where such arrays send them."""
    arrays, values = load_checkpoint(newest(run))
    save_checkpoint(newest(run), changed_arrays(arrays)[change], values)
    policy = (run / "policy.safetensors").read_bytes()
    assert main(["train", str(run), "--total-timesteps", str(6 * ITERATION)]) == 2
    said = capsys.readouterr().err
    assert "does not fit its config.yaml, or is damaged" in said
    assert "delete it to go on from the one before" in said
    assert (run / "policy.safetensors").read_bytes() == policy
    newest(run).unlink()
    assert main(["train", str(run), "--total-timesteps", str(6 * ITERATION)]) == 0, "and the sentence is true"


@pytest.mark.parametrize(
    "values",
    [{"decisions": -1}, {"decisions": 2**70}, {"choices": []}, {"seconds": None}, {"seconds": float("inf")},
     {"evaluations": 1.5}, {"evaluations": ["x"]}, {"evaluations": [{"agent": 1}]}, {"config": "x"}],
)  # fmt: skip
def test_wrong_counts_under_a_right_checksum_fall_back_to_the_checkpoint_before(
    values: dict[str, Any], run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arrays, own = load_checkpoint(newest(run))
    save_checkpoint(newest(run), arrays, own | values)
    assert main(["train", str(run), "--total-timesteps", str(6 * ITERATION)]) == 0
    assert "it lacks the counts of a run: going on from" in " ".join(capsys.readouterr().out.split())


def test_the_command_itself_says_what_is_wrong_with_a_checkpoint(run: Path) -> None:
    """A process of its own, as a user runs it: one sentence or the checkpoint before, and never a traceback."""
    command = [sys.executable, "-m", "train.cli", "train", str(run), "--total-timesteps", str(5 * ITERATION)]
    flip(newest(run), 0.6)
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    assert "is damaged" in done.stdout
    arrays, values = load_checkpoint(newest(run))
    save_checkpoint(newest(run), changed_arrays(arrays)["games of bytes"], values)
    command[-1] = str(6 * ITERATION)
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 2
    assert "is impossible" in done.stderr
    assert "Traceback" not in done.stderr


def test_weights_that_are_not_finite_are_not_saved(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = newest(run).read_bytes()
    state = PPO.get_state

    def diverged(self: PPO) -> Any:
        arrays, values = state(self)
        return arrays | {"network.value.bias": np.full(1, np.nan, np.float32)}, values

    monkeypatch.setattr(PPO, "get_state", diverged)
    with pytest.raises(RunError, match=r"network\.value\.bias holds numbers that are not finite"):
        go_on(run)
    assert newest(run).read_bytes() == before


def test_runs_whose_past_events_meant_something_else_are_to_be_trained_anew(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = train(replace(SMALL, folder=str(tmp_path), eval_every=0, history=2))
    arrays, values = load_checkpoint(newest(run))
    assert values.pop("history_version") == HISTORY_VERSION
    save_checkpoint(newest(run), arrays, values)
    assert go_on(run, 5) == 5 * ITERATION, "the policy beside it tells the version"
    arrays, values = load_checkpoint(newest(run))
    save_checkpoint(newest(run), arrays, values | {"history_version": 1})
    command = ["train", str(run), "--total-timesteps", str(6 * ITERATION)]
    sentence = "reads past events, which told something else when it began: train it anew"
    assert main(command) == 2
    assert sentence in capsys.readouterr().err
    del values["history_version"]
    save_checkpoint(newest(run), arrays, values)
    policy = run / "policy.safetensors"
    with safe_open(policy, framework="np") as file:
        weights, metadata = {name: file.get_tensor(name) for name in file.keys()}, file.metadata()  # noqa: SIM118
    card = json.loads(metadata[POLICY_KEY])
    save_file(weights, policy, metadata | {POLICY_KEY: json.dumps(card | {"history_version": 1})})
    assert main(command) == 2
    assert sentence in capsys.readouterr().err
