"""What every algorithm promises: runs repeat from a seed, for any number of threads, continue from a checkpoint as if
they had not stopped, and save a policy that plays; wrong configs are refused in one sentence."""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import torch
import yaml

import agents
from agents.policy.policy_file import load_policy
from tests.helpers.failures import failing
from tests.helpers.marks import thorough
from tests.helpers.saved_runs import TINY, assert_equal, last_checkpoint, weights
from train.algorithms.parts import backends
from train.algorithms.registry import ALGORITHMS, find_algorithm, prepare_training, train
from train.benchmarks.algorithms import config_file
from train.common.suite import read_suite
from train.evaluation.duplicate import evaluate
from train.networks.policy_network import Network, NetworkPlayer
from train.runs.config import make_config
from train.runs.run_config import RunConfig
from uno_env import BatchedGames

pytestmark = pytest.mark.adapters

ITERATION = 24 * 16
"""Decisions of an iteration of self-play."""
BUDGET = 6 * ITERATION + ITERATION // 2 + 5
"""The last iteration is shorter."""
SMALL: dict[str, Any] = {
    "name": "small", "rules": TINY, "threads": 1, "num_envs": 24, "num_steps": 16, "hidden": (16, 8),
    "minibatch_size": 100, "total_timesteps": BUDGET, "eval_every": 0, "checkpoint_every": 2 * ITERATION,
}  # fmt: skip
LEAGUE = {"league_share": 0.5, "league_scripted": ("greedy",), "league_size": 2, "league_every": ITERATION}
SB3 = {"num_envs": 12, "minibatch_size": 50, "opponents": ("random-play", "greedy")}
Q_LEARNING = {**SB3, "buffer_size": 600, "learning_starts": 100, "target_update_interval": 48, "gradient_steps": 1}


@dataclass(frozen=True)
class Case:
    """An algorithm, with fields of its config."""

    algorithm: str
    fields: dict[str, Any] = field(default_factory=dict)
    any_threads: bool = True
    """Whether results are the same for any number of threads."""
    resumes_exactly: bool = True
    """Whether a resumed run has the results of one that did not stop."""

    def config(self, **changes: Any) -> RunConfig:
        """A small config."""
        precision = {} if "sb3" in self.algorithm else {"precision": "float32"}
        values = {**SMALL, **precision, "algorithm": self.algorithm, **self.fields, **changes}
        made: RunConfig = make_config(find_algorithm(self.algorithm).config_class, values)
        return made


CASES = {
    "ppo": Case("ppo", {"n_epochs": 2}),
    "ppo-bfloat16": Case("ppo", {"precision": "bfloat16"}),
    "ppo-league": Case("ppo", LEAGUE),
    "ppo-players": Case("ppo", {"players": (2, 4, 3)}),
    "ppo-symmetry": Case("ppo", {"symmetry": True, "players": 4, **LEAGUE}),
    "ppo-random-rules": Case("ppo", {"random_rules": 3, "symmetry": True, **LEAGUE}),
    "mmd": Case("mmd"),
    "mmd-league": Case("mmd", LEAGUE),
    "dmc": Case("dmc", {"n_epochs": 2}),
    "dmc-symmetry": Case("dmc", {"symmetry": True}),
    "response": Case("response", {"opponent": "greedy"}),
    "sb3_ppo": Case("sb3_ppo", SB3, any_threads=False),
    "sb3_ppo-symmetry": Case("sb3_ppo", {**SB3, "symmetry": True, "truncated_is_lost": True}, any_threads=False),
    "sb3_dqn": Case("tools.sb3_dqn:SB3DQN", Q_LEARNING, any_threads=False, resumes_exactly=False),
    "sb3_qrdqn": Case(
        "tools.sb3_dqn:SB3QRDQN", {**Q_LEARNING, "n_quantiles": 5}, any_threads=False, resumes_exactly=False
    ),
}
NAMES = tuple(name for name in CASES if "-" not in name)
"""Each algorithm as it is; its variants are thorough."""


def case_of(name: str) -> Case:
    """A case; skips where its library is not installed."""
    if name.startswith("sb3"):
        pytest.importorskip("sb3_contrib")
    return CASES[name]


@pytest.fixture(params=[*NAMES, *thorough(*(name for name in CASES if name not in NAMES))])
def case(request: pytest.FixtureRequest) -> Case:
    return case_of(request.param)


@pytest.fixture(params=(*NAMES, "distributed_ppo"))
def algorithm(request: pytest.FixtureRequest) -> str:
    if request.param == "distributed_ppo":
        pytest.importorskip("ray")
        return "distributed_ppo"  # what its runs promise is in test_distributed_ppo.py: they need a cluster
    return case_of(request.param).algorithm


@pytest.fixture(scope="module", autouse=True)
def small_parts() -> Iterator[None]:
    """Several groups of games and chunks of minibatches, so that threads have work to share."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(backends, "GROUP", 12)
        patch.setattr(backends, "CHUNK", 64)
        yield


@pytest.fixture
def straight(case: Case, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run from beginning to end; one for all tests of a case."""
    name = next(name for name, each in CASES.items() if each is case)
    if name not in _straight:
        _straight[name] = train(case.config(folder=str(tmp_path_factory.mktemp(name))))
    return _straight[name]


_straight: dict[str, Path] = {}


@pytest.mark.thorough
def test_runs_repeat_from_a_seed_for_any_number_of_threads(case: Case, straight: Path, tmp_path: Path) -> None:
    again = train(case.config(folder=str(tmp_path), threads=3 if case.any_threads else 1))
    other = train(case.config(folder=str(tmp_path), seed=1))
    assert_equal(weights(straight), weights(again))
    assert any((weights(straight)[name] != weights(other)[name]).any() for name in weights(straight))


@pytest.mark.thorough
@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("name", NAMES)
def test_it_computes_on_the_threads_of_its_config(
    name: str, number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PyTorch's, or for our own algorithms as many of theirs, each with one of PyTorch's; so do their processes."""
    case, asked = case_of(name), []
    learner_class: Any = find_algorithm(case.algorithm)
    iterate = learner_class.iterate

    def asking(learner: Any, progress: float) -> dict[str, float]:
        pool = getattr(learner, "backend", None)
        own = torch.get_num_threads()
        if pool is not None:
            assert {own, *pool.map(lambda _: torch.get_num_threads(), range(8))} == {1}
            own = pool._pool._max_workers
        if learner.config.num_steps == SMALL["num_steps"] * 2:  # others only compile
            asked.append((own, os.environ["OMP_NUM_THREADS"]))
        return dict(iterate(learner, progress))

    monkeypatch.setattr(learner_class, "iterate", asking)
    outside = torch.get_num_threads(), os.environ.get("OMP_NUM_THREADS")
    config = {"folder": str(tmp_path), "checkpoint_every": 0, "threads": number, "num_steps": 2 * SMALL["num_steps"]}
    folder = train(case.config(**config, total_timesteps=2 * ITERATION))
    prepare_training(folder, {"total_timesteps": str(4 * ITERATION)})()
    assert set(asked) == {(number, str(number))}
    assert len(asked) >= 2
    assert (torch.get_num_threads(), os.environ.get("OMP_NUM_THREADS")) == outside


@pytest.mark.thorough
def test_a_run_that_crashed_continues_as_if_it_had_not(
    case: Case, straight: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its learner is first, in everything, the one that was saved."""
    with failing(monkeypatch, find_algorithm(case.algorithm), 5 * ITERATION):
        train(case.config(folder=str(tmp_path)))
    folder = tmp_path / "small"
    arrays, values = last_checkpoint(folder)
    assert 2 * ITERATION <= values["decisions"] < 5 * ITERATION
    learner_class = find_algorithm(case.algorithm)
    with learner_class(case.config()) as learner:
        learner.set_state(arrays, values)
        restored, same = learner.get_state()
    assert_equal(restored, arrays)
    assert {name: values[name] for name in same} == same
    assert_equal(learner.network.weights(), weights(folder))
    assert prepare_training(folder, {})() == folder
    if case.resumes_exactly:
        (expected, counts), (ours, ours_counts) = map(last_checkpoint, (straight, folder))
        assert_equal(expected, ours)
        assert_equal(weights(straight), weights(folder))
        not_of_the_learner = {"seconds", "evaluations", "config"}
        assert {name: counts[name] for name in counts.keys() - not_of_the_learner} == {
            name: ours_counts[name] for name in ours_counts.keys() - not_of_the_learner
        }
    else:
        assert any((learner.network.weights()[name] != array).any() for name, array in weights(folder).items())


@pytest.mark.thorough
@pytest.mark.slow
def test_a_run_plays_what_its_budget_allows_and_no_more_also_when_it_gets_more(case: Case, tmp_path: Path) -> None:
    """But for less than a step of all games; of SB3's, where others play between two decisions, a few steps."""
    unspent = case.config().num_envs * (8 if case.algorithm.startswith(("sb3", "tools")) else 1)  # type: ignore[attr-defined]
    folder = tmp_path / "small"
    for budget in (ITERATION + 100, 2 * ITERATION + 77, 4 * ITERATION):
        if folder.exists():
            prepare_training(folder, {"total_timesteps": budget})()
        else:
            train(case.config(folder=str(tmp_path), total_timesteps=budget, parts=2))
        table = json.loads((folder / "table.json").read_text())
        assert budget - unspent < table["decisions"] <= budget
        assert table["evaluations"][-1]["trained_decisions"] == table["decisions"], "the last part was not measured"


def test_the_saved_policy_plays_as_the_network_that_learnt(case: Case, straight: Path) -> None:
    config = case.config()
    rules = config.all_rules()
    policy, card = straight / "policy.safetensors", load_policy(straight / "policy.safetensors")[1]
    symmetry = getattr(config, "symmetry", False)
    network = Network(config.network_rules(), config.hidden, symmetry=symmetry)  # type: ignore[attr-defined]
    network.load_weights(weights(straight))
    for each in rules:
        agent = agents.load(str(policy), rules=each)
        observations, masks, _ = BatchedGames(200, each, obs_dtype="uint8").reset()
        assert (agent.act_batch(observations, masks) == NetworkPlayer(network).act_batch(observations, masks)).all()
        assert 0 < evaluate(str(policy), "random-play", each, deals=30).win_rate < 1
    table = json.loads((straight / "table.json").read_text())
    assert card.trained_by["decisions"] == table["decisions"]
    assert 0 < table["choices"] < table["decisions"]
    assert card.trained_by["config"]["algorithm"] == case.algorithm


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"lerning_rate": 1}, r"unknown key 'lerning_rate' \(did you mean 'learning_rate'\?\)"),
        ({"total_timesteps": 9}, r"total_timesteps=9 is not allowed with num_envs=\d+: choose \d+ or more, .* game"),
        ({"num_steps": 0}, "num_steps=0 is not allowed: choose a whole number, 1 or more"),
        ({"hidden": [8, 0]}, r"hidden=.*0.* is not allowed"),
        ({"rules": "dual"}, r"unknown preset 'dual' \(did you mean 'duel'\?\)"),
        ({"seed": -1}, "seed=-1 is not allowed"),
        ({"device": "tpu"}, "device='tpu' is not allowed"),
    ],
)
def test_a_wrong_config_is_refused_in_one_sentence_before_anything_is_made(
    algorithm: str, tmp_path: Path, values: dict[str, Any], message: str
) -> None:
    file = tmp_path / "wrong.yaml"
    file.write_text(yaml.safe_dump({"algorithm": algorithm, "folder": str(tmp_path / "runs"), **values}))
    with pytest.raises(ValueError, match=message) as error:
        prepare_training(file, {})
    assert "\n" not in str(error.value)
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize("track", ["duel-2p", "classic-2p", "classic-4p", "house-4p", "rlcard-2p"])
@pytest.mark.parametrize("algorithm", [name for name in NAMES if name in ALGORITHMS and name != "response"])
def test_every_track_has_a_config(algorithm: str, track: str, tmp_path: Path) -> None:
    """But for best responses, which are to an agent and not to a track."""
    path = config_file(case_of(algorithm).algorithm, track)
    config = make_config(find_algorithm(algorithm).config_class, yaml.safe_load(path.read_text()))
    named = read_suite().track(track)
    rules = named.table_rules(track)[0]
    assert config.game_rules().replace(max_decisions=named.rules().max_decisions) == named.rules()
    assert config.game_rules().replace(max_decisions=rules.max_decisions) == rules
    assert (config.truncated_is_lost, config.symmetry) == (named.truncated_is_lost, True)
    assert callable(prepare_training(path, {"folder": str(tmp_path)}))
