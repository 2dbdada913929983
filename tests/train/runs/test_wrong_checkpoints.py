"""Checkpoints whose checksum is right, and whose content is not: one sentence, and nothing reaches compiled code."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.train.runs.test_run_folder import DECK, ITERATION, SMALL, contents, flip, go_on, newest
from train.algorithms.ppo import PPO
from train.algorithms.registry import find_algorithm, train
from train.cli.main import main
from train.runs.checkpoint import load_checkpoint, save_checkpoint
from train.runs.config import make_config
from train.runs.learner import RunError


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


MEASURED: dict[str, Any] = dict.fromkeys(
    ("players", "seed", "deals", "games", "win_rate", "standard_error", "low", "high", "par", "truncated",
     "starter_win_rate", "mean_length", "decisions", "seconds", "decisions_per_second"), 1,
) | {"agent": "a", "opponent": "b", "rules": {}}  # fmt: skip


@pytest.mark.parametrize(
    "values",
    [{"decisions": -1}, {"decisions": 2**70}, {"choices": []}, {"seconds": None}, {"seconds": float("inf")},
     {"seconds": 10**400}, {"seconds": 1e308}, {"evaluations": 1.5}, {"evaluations": ["x"]},
     {"evaluations": [{"agent": 1}]}, {"evaluations": [{**MEASURED, "rules": 5}]},
     {"evaluations": [{**MEASURED, "low": "x"}]}, {"evaluations": [{**MEASURED, "high": float("nan")}]},
     {"evaluations": [{**MEASURED, "win_rate": float("inf")}]}, {"config": "x"}, {"config": None}],
)  # fmt: skip
def test_wrong_counts_under_a_right_checksum_fall_back_to_the_checkpoint_before(
    values: dict[str, Any], run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arrays, own = load_checkpoint(newest(run))
    save_checkpoint(newest(run), arrays, own | values)
    assert main(["train", str(run), "--total-timesteps", str(6 * ITERATION)]) == 0
    assert "it lacks the counts of a run: going on from" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("version", [2, None])
def test_a_checkpoint_of_another_version_of_the_observations_is_refused(
    version: int | None, run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its network would read other numbers in its columns, without a word."""
    arrays, values = load_checkpoint(newest(run))
    save_checkpoint(newest(run), arrays, values | {"layout_version": version})
    assert main(["train", str(run), "--total-timesteps", str(6 * ITERATION)]) == 2
    said = capsys.readouterr().err
    assert f"the checkpoint {str(newest(run))!r} has layout_version {version}, and this program has 3: only" in said
    assert said.count("\n") == 1


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


# --- algorithms with more to their state ------------------------------------------------------------------------------

COMMON: dict[str, Any] = {
    "name": "small", "rules": DECK, "threads": 1, "num_envs": 8, "num_steps": 8, "hidden": [8], "minibatch_size": 16,
    "total_timesteps": 4 * ITERATION, "eval_every": 0, "eval_against": [], "checkpoint_every": ITERATION,
}  # fmt: skip
LEAGUE = {"league_share": 0.5, "league_scripted": ["greedy", "random"], "league_size": 2, "league_every": ITERATION}
OPPONENTS = {"opponents": ["random-play", "greedy"]}
SB3_DQN = "tools.sb3_dqn:SB3DQN"
MORE: dict[str, dict[str, Any]] = {
    "ppo": {"precision": "float32", **LEAGUE},
    "mmd": {"precision": "float32"},
    "dmc": {"precision": "float32"},
    "response": {"precision": "float32", "opponent": "greedy"},
    "sb3_ppo": OPPONENTS,
    SB3_DQN: {**OPPONENTS, "buffer_size": 200, "learning_starts": 16, "target_update_interval": 16,
                "gradient_steps": 1},
}  # fmt: skip


@pytest.fixture(scope="module")
def trained_runs(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The folder of a run by its algorithm, trained when it is first asked for."""
    folder, runs = tmp_path_factory.mktemp("algorithms"), {}

    def of(algorithm: str) -> Path:
        if "sb3" in algorithm:
            pytest.importorskip("sb3_contrib")
        if algorithm not in runs:
            values = {**COMMON, **MORE[algorithm], "algorithm": algorithm, "folder": str(folder / algorithm)}
            runs[algorithm] = train(make_config(find_algorithm(algorithm).config_class, values))
        return runs[algorithm]

    return of


def changed(values: Any, path: str, value: Any) -> Any:
    """Plain values with another one at a path such as ``league.members.0.name``."""
    changes = json.loads(json.dumps(values))
    *way, last = (int(part) if part.isdecimal() else part for part in path.split("."))
    at = changes
    for part in way:
        at = at[part]
    at[last] = value
    return changes


NAN, INFINITE, HUGE = float("nan"), float("inf"), 10**400
WRONG_VALUES = [
    *(("ppo", f"league.members.{name}", value) for name, value in [
        ("3.number", 10**6), ("3.number", "x"), ("3.number", 0), ("0.number", 7), ("0.number", -1),
        ("2.decisions", "x"), ("2.decisions", -5), ("0.records", [[2, NAN, 0.0]]),
        ("0.records", [[2, -100.0, 0.0]]), ("0.records", "x"),
        ("0.records", [[2, 5.0, 99.0]]), ("0.records", [[2, INFINITE, 0.0]]), ("0.records", [[99, 1.0, 0.0]]),
        ("0.records", [[2, 1.0]]),
    ]),
    ("ppo", "league.members", []), ("ppo", "league.members", None), ("ppo", "league.joined", "x"),
    ("ppo", "league.joined", 1), ("ppo", "league", {}), ("response", "league.members.0.records", [[2, "x", 0.0]]),
    *((algorithm, "rng_state", value) for algorithm in ("mmd", "dmc") for value in (None, {}, [], "PCG64")),
    ("dmc", "rng_state.has_uint32", 2**40), ("dmc", "rng_states.0.uinteger", -1),
    ("dmc", "rng_state.state.state", 2**200), ("mmd", "rng_states.0.state.inc", 1e308),
    ("mmd", "rng_states", None), ("mmd", "rng_states", []),
    *((SB3_DQN, name, value) for name in ("iterations", "timesteps") for value in ("x", -1, None, 0.5, HUGE, [])),
]  # fmt: skip


@pytest.mark.parametrize(("algorithm", "path", "value"), WRONG_VALUES)
def test_values_that_no_run_saves_are_one_sentence(
    algorithm: str, path: str, value: Any, trained_runs: Callable[[str], Path], tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    run = Path(shutil.copytree(trained_runs(algorithm), tmp_path / "small"))
    arrays, values = load_checkpoint(newest(run))
    save_checkpoint(newest(run), arrays, changed(values, path, value))
    assert_refused_and_as_it_was(run, capsys)


def test_members_of_a_league_are_called_what_the_config_calls_them(
    trained_runs: Callable[[str], Path], tmp_path: Path
) -> None:
    """A checkpoint can neither name files nor agents that see all hands."""
    run = Path(shutil.copytree(trained_runs("ppo"), tmp_path / "small"))
    arrays, values = load_checkpoint(newest(run))
    for number, name in enumerate(("cheat:flat", "policy:/dev/zero", "mine:Agent")):
        values = changed(values, f"league.members.{number}.name", name)
    save_checkpoint(newest(run), arrays, values)
    go_on(run, 5)
    names = [member["name"] for member in load_checkpoint(newest(run))[1]["league"]["members"]]
    assert names[:2] == ["greedy", "random"]
    assert all(name.startswith("self-") for name in names[2:])


def wrong_arrays(arrays: dict[str, Any], name: str, change: str) -> dict[str, Any]:
    name = min(each for each in arrays if each.endswith(name))  # of a league a past self's, whatever its number
    array = arrays[name]
    changes: dict[str, Any] = {
        "gone": None, "nan": np.full(array.shape, np.nan, np.float32), "infinite": np.full(array.shape, np.inf, "f"),
        "short": array[:-1], "one": array.ravel()[:1], "scalar": np.zeros((), array.dtype),
        "255": np.full_like(array, 255),
    }  # fmt: skip
    others = {key: each for key, each in arrays.items() if key != name}
    return others if changes[change] is None else {**others, name: changes[change]}


WRONG_ARRAYS = [
    *(("ppo", name, change) for name in ("policy.bias", "network.trunk.0.bias")
      for change in ("gone", "nan", "infinite", "short", "scalar")),
    *(("ppo", "games.0.opponent", change) for change in ("gone", "short", "scalar")),
    *(("mmd", "magnet.value.weight", change) for change in ("gone", "nan", "short")),
    *(("sb3_ppo", f"model.{name}", change) for name in ("value_net.weight", "action_net.weight")
      for change in ("gone", "nan", "one", "scalar")),
    *((SB3_DQN, f"games.1.{name}", change) for name in ("games", "over", "seats", "results")
      for change in ("gone", "short", "255")),
    (SB3_DQN, "games.0.mask", "gone"), (SB3_DQN, "games.0.reward", "255"),
]  # fmt: skip


@pytest.mark.parametrize(("algorithm", "name", "change"), WRONG_ARRAYS)
def test_arrays_that_no_run_saves_are_one_sentence(
    algorithm: str, name: str, change: str, trained_runs: Callable[[str], Path], tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    run = Path(shutil.copytree(trained_runs(algorithm), tmp_path / "small"))
    arrays, values = load_checkpoint(newest(run))
    save_checkpoint(newest(run), wrong_arrays(arrays, name, change), values)
    assert_refused_and_as_it_was(run, capsys)


def assert_refused_and_as_it_was(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = contents(run)
    capsys.readouterr()
    assert main(["train", str(run), "--total-timesteps", str(10 * ITERATION)]) == 2
    said = capsys.readouterr().err
    assert "does not fit its config.yaml, or is damaged" in said
    assert said.count("\n") == 1
    assert contents(run) == before
