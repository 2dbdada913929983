"""Algorithms from outside: a class of a user trains by a config, resumes, and is benchmarked beside ours."""

import json
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest
import yaml

import agents
from agents.policy.policy_file import policy_path
from tests.helpers import ROOT
from tests.helpers.positions import a_card, some_weights
from train.algorithms import registry
from train.algorithms.registry import find_algorithm, prepare_training
from train.benchmarks import algorithms as contest
from train.benchmarks import exploit
from train.benchmarks.algorithms import jobs, markdown, measure, prepare
from train.benchmarks.plans import ExploitPlan, RunPlan
from train.cli.main import main
from train.runs.learner import RunError
from uno_env import Rules

pytestmark = pytest.mark.adapters

EXAMPLE = f"{ROOT}/examples/my_algorithm.py:Reinforce"
SMALL: dict[str, Any] = {"num_envs": 8, "num_steps": 16, "hidden": [8], "threads": 1}
ITERATION = 8 * 16
HEAD = """
from dataclasses import dataclass
import numpy as np
from train.runs.learner import Learner
from train.runs.run_config import RunConfig
from uno_env.player import Player

@dataclass(frozen=True, kw_only=True)
class Config(RunConfig):
    size: int = 3

class Whole(Learner):
    config_class = Config
    def __init__(self, config): self.config = config
    def iterate(self, progress):
        self.decisions += 64
        return {}
    def get_state(self): return {"x": np.zeros(1)}, {"decisions": self.decisions}
    def set_state(self, arrays, values): self.decisions = values["decisions"]
"""
ONNX = """
class First(Player):
    def act_batch(self, observations, masks, histories=None): return masks.argmax(axis=1)

class Onnx(Whole):
    policy_suffix = ".onnx"
    def policy(self): return First()
    def save_policy(self, path, about):
        import onnx
        from onnx import TensorProto, helper
        from agents.policy.onnx_file import write_card
        from uno_env.rules import Rules
        from uno_env.actions import NUM_ACTIONS
        from uno_env.observation import OBSERVATION_SIZE
        about = dict(about)
        inputs = [helper.make_tensor_value_info("observation", 1, ["N", OBSERVATION_SIZE]),
                  helper.make_tensor_value_info("mask", 1, ["N", NUM_ACTIONS])]
        gives = [helper.make_tensor_value_info("logits", 1, ["N", NUM_ACTIONS])]
        graph = helper.make_graph([helper.make_node("Identity", ["mask"], ["logits"])], "g", inputs, gives)
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
        write_card(path, Rules.from_dict(about.pop("rules")), **about)
"""


class Remembers:
    """An agent that says that it remembers the hand it is in."""

    state_size = 1

    def act_batch(self, observations: Any, masks: Any) -> Any:
        return masks.argmax(axis=1)

    def act_recurrent(self, observations: Any, masks: Any, states: Any) -> Any:
        return masks.argmax(axis=1)


REMEMBERS = f"{__name__}:Remembers"


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """A small config of the example."""
    path = tmp_path / "mine.yaml"
    path.write_text(yaml.safe_dump({
        **SMALL, "algorithm": EXAMPLE, "folder": str(tmp_path / "runs"), "name": "mine", "eval_every": ITERATION,
        "eval_deals": 2, "total_timesteps": 2 * ITERATION, "eval_against": ["random"],
    }))  # fmt: skip
    return path


@pytest.mark.thorough
def test_the_example_trains_resumes_and_its_policy_plays(
    config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["train", str(config)]) == 0
    folder = tmp_path / "runs" / "mine"
    said = capsys.readouterr().out
    for line in ("The policy is ", "Play against it: uno play ", "Measure it: uno evaluate "):
        assert f"{line}{folder / 'policy.safetensors'}" in said
    first = json.loads((folder / "table.json").read_text())
    assert (first["decisions"], first["algorithm"], len(first["evaluations"])) == (2 * ITERATION, EXAMPLE, 3)
    prepare_training(folder, {"total_timesteps": str(4 * ITERATION)})()
    assert json.loads((folder / "table.json").read_text())["decisions"] == 4 * ITERATION
    agent = agents.load(policy_path(folder), rules="duel")
    assert agent.card is not None
    assert agent.card.trained_by["config"]["algorithm"] == EXAMPLE


@pytest.mark.thorough
def test_it_stays_within_its_budget(config: Path, tmp_path: Path) -> None:
    """Which may be too small for it."""
    folder = prepare_training(config, {"total_timesteps": 2 * ITERATION - 1})()
    assert json.loads((folder / "table.json").read_text())["decisions"] == ITERATION
    with pytest.raises(RunError, match="total_timesteps=127 is not allowed: an iteration plays 128 decisions"):
        prepare_training(config, {"total_timesteps": ITERATION - 1, "name": "none"})()
    assert not (tmp_path / "runs" / "none").exists()


def test_the_help_lists_its_keys(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["train", str(config), "--help"])
    text = capsys.readouterr().out
    assert "--learning-rate 0.001\n      Adam's step size" in text


def test_an_algorithm_with_a_network_of_its_own_saves_onnx_and_resumes(tmp_path: Path) -> None:
    """Though its state does not have all counts of the run."""
    pytest.importorskip("onnxruntime")
    (tmp_path / "own.py").write_text(HEAD + ONNX)
    (tmp_path / "own.yaml").write_text(yaml.safe_dump({
        "algorithm": f"{tmp_path}/own.py:Onnx", "folder": str(tmp_path / "runs"), "name": "own", "size": 4,
        "total_timesteps": 128, "eval_every": 64, "eval_deals": 2, "eval_against": ["random"],
    }))  # fmt: skip
    folder = prepare_training(tmp_path / "own.yaml", {}, trust_code=True)()
    assert policy_path(folder).name == "policy.onnx"
    card = agents.load(policy_path(folder), rules="duel").card
    assert card is not None
    assert card.trained_by["config"]["size"] == 4
    assert len(card.evaluation) == 1
    prepare_training(folder, {"total_timesteps": 192}, trust_code=True)()
    assert sorted(path.stem for path in (folder / "checkpoints").iterdir())[-1] == f"{192:012d}"


def test_installed_packages_offer_algorithms(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = EntryPoint("theirs", EXAMPLE, registry.ENTRY_POINTS)
    monkeypatch.setattr(registry, "entry_points", lambda group: [entry] if group == registry.ENTRY_POINTS else [])
    assert find_algorithm("theirs").config_class.__name__ == "ReinforceConfig"


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("class L: ...", "is no subclass of train.runs.learner.Learner"),
        ("L = 3", "3 is no subclass of"),
        (f"{HEAD}\nclass L(Learner): config_class = Config", "L lacks get_state, iterate, set_state"),
        (f"{HEAD}\nclass L(Whole): config_class = 3", "L.config_class must be a dataclass below"),
        (f"{HEAD}\nclass L(Whole):\n    def __init__(self, config, size): ...", "L must be made from a config alone: "),
        (f"{HEAD}\nclass L(Whole):\n    config_class = Config\nL.config_class = None", "L.config_class must be"),
        ("M = 1", "has no 'L'"),
        ("import nothing_like_this", "importing 'bad.py' fails: ModuleNotFoundError"),
        (f"{HEAD}\nL = Whole", "unknown key 'sise' \\(did you mean 'size'\\?\\)"),
    ],
)
def test_what_is_no_learner_is_refused_in_a_sentence(
    tmp_path: Path, code: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "bad.py").write_text(code)
    config = tmp_path / "bad.yaml"
    config.write_text(f"algorithm: {tmp_path}/bad.py:L\nsise: 3\nfolder: {tmp_path}/runs\n")
    with pytest.raises(ValueError, match=message):
        prepare_training(config, {}, trust_code=True)
    assert main(["train", str(config), "--trust-code"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert not (tmp_path / "runs").exists()


def test_an_algorithm_that_plays_nothing_is_stopped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "own.py").write_text(
        f"{HEAD}\nclass L(Whole):\n"
        "    def iterate(self, progress): return {}\n"
        "    def policy(self): return Player()\n"
    )
    (tmp_path / "own.yaml").write_text(
        f"algorithm: {tmp_path}/own.py:L\nfolder: {tmp_path}/runs\neval_every: 0\neval_against: []\n"
    )
    assert main(["train", str(tmp_path / "own.yaml"), "--trust-code"]) == 2
    assert "played nothing: iterate() must raise `decisions`" in capsys.readouterr().err


@pytest.mark.thorough
def test_it_is_benchmarked_beside_ours_and_beside_policies_trained_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(contest, "PARTS", 2)
    from agents.policy.policy_file import save_policy

    card = a_card(Rules.preset("duel"))
    files = [tmp_path / f"seed{seed}.safetensors" for seed in range(2)]
    for seed, file in enumerate(files):
        save_policy(file, some_weights(card, seed), card)
    changes = {name: json.dumps(value) for name, value in SMALL.items() if name != "threads"}
    plan = RunPlan(
        ("duel-2p",), decisions=400, algorithms=("ppo", EXAMPLE), policies=(f"theirs={files[0]},{files[1]}",), seeds=1,
        deals=4, curve_deals=2, threads=1, changes=changes,
    )  # fmt: skip
    folder = tmp_path / "saved"
    measured = measure(plan, folder, {"command": "", "versions": {}})
    runs = [(run["track"], run["algorithm"], run["seed"]) for run in measured["runs"]]
    assert runs == jobs(plan)
    assert [run for run in runs if run[1] == "theirs"] == [("duel-2p", "theirs", 0), ("duel-2p", "theirs", 1)]
    rows = {row["algorithm"]: row for row in measured["tracks"]["duel-2p"]["summary"]}
    assert {name: row["seeds"] for name, row in rows.items()} == {"ppo": 1, EXAMPLE: 1, "theirs": 2}
    assert f"`{EXAMPLE}`" in markdown(measured)
    (line,) = [line for line in markdown(measured).splitlines() if line.startswith("| `theirs` | ") and "–" in line]
    assert line.endswith("|  |  |  |")
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("measured.json")}
    save_policy(files[1], some_weights(card, 7), card)
    measure(plan, folder, {"command": "", "versions": {}})
    after = {path: path.stat().st_mtime_ns for path in folder.rglob("measured.json")}
    assert len(after) == len(before) + 1, "the file that has changed is measured again, and nothing else"
    assert before.items() <= after.items()


@pytest.mark.parametrize(
    ("policies", "message"),
    [
        (("nonsense",), "write NAME=FILE,FILE"),
        (("a=",), "write NAME=FILE,FILE"),
        (("a=x.onnx,",), "write NAME=FILE,FILE"),
        (("ppo=x.onnx",), "'ppo' is measured already"),
        (("frozen=x.onnx",), "'frozen' is measured already"),
        (("a=none.onnx",), "'none.onnx' is no usable policy: there is no such file"),
        (("a=zoo:classic-2p",), "was trained for other rules"),
    ],
)
def test_policies_that_cannot_be_measured(tmp_path: Path, policies: tuple[str, ...], message: str) -> None:
    plan = RunPlan(("duel-2p",), decisions=4_000, algorithms=("ppo",), policies=policies, seeds=1)
    with pytest.raises(ValueError, match=message):
        prepare(plan, tmp_path / "saved")
    assert not (tmp_path / "saved").exists()


def test_who_remembers_hands_is_refused_where_nothing_is_kept_for_it(tmp_path: Path) -> None:
    for values in (
        {"league_share": 0.5, "league_scripted": [REMEMBERS]},
        {"algorithm": "response", "opponent": REMEMBERS},
    ):
        (tmp_path / "x.yaml").write_text(yaml.safe_dump(values))
        with pytest.raises(ValueError, match="it remembers the hand it is in"):
            prepare_training(tmp_path / "x.yaml", {}, trust_code=True)
    with pytest.raises(ValueError, match="cannot be attacked: it remembers the hand it is in"):
        exploit.prepare(ExploitPlan(REMEMBERS, Rules.preset("duel")), tmp_path / "attack")
