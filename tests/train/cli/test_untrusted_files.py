"""Files that somebody else wrote name no code, no addresses and nobody who sees all hands, unless they are trusted."""

import json
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.helpers.positions import save_random_policy
from train.algorithms.ppo import PPOConfig
from train.algorithms.registry import prepare_training, train
from train.cli.main import main
from train.evaluation.tournament_setup import new_tournament
from uno_env import Rules

DECK = {"preset": "duel", "deck": "r1 r2 r3 g1 g2 g3 b1 b2 b3 w w", "hand_size": 3, "max_decisions": 60}
SMALL: dict[str, Any] = {
    "rules": DECK, "threads": 1, "precision": "float32", "num_envs": 8, "num_steps": 8, "hidden": [8], "n_epochs": 1,
    "total_timesteps": 64, "eval_every": 0, "eval_against": [], "name": "small",
}  # fmt: skip
ADDRESS = "chat:http://127.0.0.1:9/v1?model=m&key=HOME"
FILE_ADDRESS = f"https://127.0.0.1:9/policy.safetensors#sha256={'0' * 64}"
CODE = """
import pathlib
pathlib.Path(__file__).with_suffix(".ran").touch()
from uno_env.player import Player

class Agent(Player):
    name = "mine"
    def act_batch(self, observations, masks, histories=None):
        return masks.argmax(axis=1)
"""


@pytest.fixture(autouse=True)
def own_path(monkeypatch: pytest.MonkeyPatch) -> None:
    """Folders of code that is imported are searched later, too, but only in this test."""
    monkeypatch.setattr(sys, "path", [*sys.path])


@pytest.fixture
def evil(tmp_path: Path) -> Iterator[str]:
    """Code that leaves a trace when it is imported; it must not have."""
    file = tmp_path / "bad.py"
    file.write_text(CODE)
    yield f"{file}:Agent"
    assert not file.with_suffix(".ran").exists()


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    return train(PPOConfig(**{**SMALL, "hidden": (8,), "eval_against": (), "folder": str(folder)}))


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The one line of a refusal."""
    capsys.readouterr()
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    return error


@pytest.mark.parametrize(
    "values",
    [
        lambda name: {"algorithm": name},
        lambda name: {"eval_against": [name]},
        lambda name: {"league_share": 0.5, "league_scripted": [name]},
        lambda name: {"teacher": name},
        lambda name: {"initial_policy": name},
        lambda name: {"algorithm": "response", "opponent": name},
        lambda name: {"algorithm": "sb3_ppo", "opponents": [name]},
        lambda name: {"eval_against": [f"search:flat?rollout={name}"]},
    ],
)
def test_a_config_names_no_code(
    values: Callable[[str], dict[str, Any]], evil: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "theirs.yaml"
    config.write_text(yaml.safe_dump({**values(evil), "folder": str(tmp_path / "runs")}))
    assert "is code, and names of code are taken from the command line" in said(capsys, "train", str(config))
    assert not (tmp_path / "runs").exists()


def test_the_help_of_a_config_imports_no_code(evil: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "theirs.yaml").write_text(f"algorithm: {evil}\n")
    assert "--trust-code" in said(capsys, "train", str(tmp_path / "theirs.yaml"), "--help")


@pytest.mark.parametrize(
    ("name", "words"),
    [(ADDRESS, "calls an address"), (FILE_ADDRESS, "calls an address"), ("cheat:flat", "sees all hands")],
)
def test_a_config_names_no_address_and_nobody_who_sees_all_hands(
    name: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "theirs.yaml").write_text(yaml.safe_dump({"eval_against": [name]}))
    assert words in said(capsys, "train", str(tmp_path / "theirs.yaml"))


def test_an_algorithm_that_looks_like_an_agent_is_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "search").with_suffix(".py").write_text("raise SystemExit('it ran')")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "theirs.yaml").write_text("algorithm: search:pimc\n")
    assert "algorithm='search:pimc' is code" in said(capsys, "train", "theirs.yaml")


@pytest.mark.parametrize("where", ["config", "checkpoint"])
@pytest.mark.parametrize("field", ["algorithm", "eval_against"])
def test_the_folder_of_a_run_names_no_code(
    where: str, field: str, trained: Path, evil: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from train.runs.checkpoint import load_checkpoint, save_checkpoint

    run = Path(shutil.copytree(trained, tmp_path / "small"))
    value = evil if field == "algorithm" else [evil]
    values = yaml.safe_load((run / "config.yaml").read_text())
    (run / "config.yaml").write_text(yaml.safe_dump({**values, field: value}))
    if where == "checkpoint":
        (run / "config.yaml").unlink()
        (newest,) = (run / "checkpoints").glob("*.safetensors")
        arrays, saved = load_checkpoint(newest)
        save_checkpoint(newest, arrays, {**saved, "config": {**saved["config"], field: value}})
    assert "is code, and names of code" in said(capsys, "train", str(run), "--total-timesteps", "128")


def test_what_the_user_typed_or_trusts_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "own.py").write_text(CODE)
    name = f"{tmp_path}/own.py:Agent"
    config, folder = tmp_path / "mine.yaml", tmp_path / "runs"
    config.write_text(yaml.safe_dump({**SMALL, "folder": str(folder), "eval_against": [name]}))
    assert callable(prepare_training(config, {}, trust_code=True))
    assert callable(prepare_training(config, {"eval_against": json.dumps([name])}))
    assert main(["train", str(config), "--trust-code"]) == 0
    said(capsys, "train", str(folder / "small"), "--total-timesteps", "128")
    assert callable(prepare_training(folder / "small", {"total_timesteps": "128"}, typed=[name]))
    assert main(["train", str(folder / "small"), "--trust-code", "--total-timesteps", "128"]) == 0


def test_a_run_that_is_stopped_says_how_it_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from train.runs.run import start_run

    for spec, option in (("greedy", ""), (ADDRESS, " --trust-code")):
        run = start_run(PPOConfig(**{**SMALL, "hidden": (8,), "eval_against": (spec,), "folder": str(tmp_path)}))
        run._lock.release()
        assert run._command() == f"uno train {run.folder}{option}"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (None, "is code"),
        (ADDRESS, "calls an address"),
        (FILE_ADDRESS, "calls an address"),
        ("cheat:flat", "sees all hands"),
    ],
)
def test_a_saved_tournament_names_none_of_them(
    name: str | None, words: str, evil: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    new_tournament(["greedy", "random-play"], Rules.preset("duel"), deals=2, folder=tmp_path / "kept").play(1)
    file = tmp_path / "kept" / "study.json"
    values = json.loads(file.read_text())
    file.write_text(json.dumps({**values, "agents": ["greedy", name or evil]}))
    assert words in said(capsys, "tournament", "--resume", str(tmp_path / "kept"))


def test_a_tournament_with_code_goes_on_if_it_is_trusted(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(CODE)
    specs = [f"{tmp_path}/own.py:Agent", "greedy"]
    made = new_tournament(specs, Rules.preset("duel"), deals=2, folder=tmp_path / "kept")
    assert made.job is not None
    assert made.job._go_on == f"To go on: uno tournament --resume {tmp_path / 'kept'} --trust-code"
    assert main(["tournament", "--resume", str(tmp_path / "kept"), "--trust-code", "--workers", "1"]) == 0


@pytest.fixture
def submitted(tmp_path: Path) -> Callable[..., Path]:
    """A folder of a submission with a policy, whose card has these values."""
    folder = tmp_path / "theirs"
    folder.mkdir()
    save_random_policy(folder / "seed0.safetensors", Rules.preset("duel"))

    def write(**values: Any) -> Path:
        (folder / "submission.yaml").write_text(yaml.safe_dump({"name": "x", "authors": "A", "about": "b", **values}))
        return folder

    return write


@pytest.mark.parametrize(
    ("name", "trusted", "words"),
    [
        (None, False, "is code, and names of code"),
        (ADDRESS, False, "calls an address"),
        (ADDRESS, True, "calls an address"),
        (FILE_ADDRESS, True, "calls an address"),
        ("cheat:flat", False, "sees all hands"),
        ("cheat:flat", True, "sees all hands"),
        ("search:flat?rollout=/etc/policy.onnx", False, "'/etc/policy.onnx' leads out of"),
        ("tuned?weights=../weights.json", False, "'../weights.json' leads out of"),
        ("/etc/passwd", False, "'/etc/passwd' leads out of"),
        ("../seed0.safetensors", False, "leads out of"),
        ("policy:../seed0.safetensors", False, "leads out of"),
        ("link.safetensors", False, "'link.safetensors' leads out of"),
        ("run", False, "'run/policy.safetensors' leads out of"),
        ("here.safetensors", False, "no usable policy: there is no such file in"),
    ],
)
def test_a_submission_names_none_of_them_and_no_file_of_elsewhere(
    name: str | None, trusted: bool, words: str, evil: str, submitted: Callable[..., Path], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    folder = submitted(policies={"duel-2p": [name or evil]})
    monkeypatch.chdir(tmp_path)
    for place in (tmp_path / "seed0.safetensors", tmp_path / "here.safetensors", tmp_path / "weights.json"):
        shutil.copy(folder / "seed0.safetensors", place)
    (folder / "link.safetensors").symlink_to(tmp_path / "seed0.safetensors")
    (folder / "run").mkdir()
    (folder / "run" / "policy.safetensors").symlink_to(tmp_path / "seed0.safetensors")
    option = ["--trust-code"] if trusted else []
    assert words in said(capsys, "benchmark", "submit", str(folder), "--out", str(tmp_path / "out"), *option)


def test_a_class_that_sees_all_hands_is_no_submission(
    submitted: Callable[..., Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = submitted(policies={"duel-2p": ["theirs.py:Agent"]})
    (folder / "theirs.py").write_text(CODE + "    sees_all_hands = True\n    act_on_games = act_batch\n")
    error = said(capsys, "benchmark", "submit", str(folder), "--out", str(tmp_path / "out"), "--trust-code")
    assert "it sees all hands" in error


@pytest.mark.parametrize("file", ["submission.yaml", "scores.jsonl"])
def test_a_link_out_of_a_submission_is_not_read(
    file: str, submitted: Callable[..., Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = submitted()
    (tmp_path / "secret").write_text("password: 1234\n")
    (folder / file).unlink(missing_ok=True)
    (folder / file).symlink_to(tmp_path / "secret")
    error = said(capsys, "benchmark", "submit", str(folder), "--out", str(tmp_path / "out"))
    assert f"'{file}' leads out of" in error
    assert "1234" not in error


def test_a_name_with_a_newline_is_no_name(
    submitted: Callable[..., Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = submitted(name="x\n", policies={"duel-2p": ["seed0.safetensors"]})
    assert r"name='x\n' is not allowed" in said(capsys, "benchmark", "submit", str(folder))
