"""``device: cuda`` in the algorithms of self-play, on the processor: what a GPU would do, with its kernels and its part
of the code.

``tests/gpu`` has what only a GPU can show.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from threading import get_ident
from typing import Any

import pytest
import torch

from tests.helpers.failures import failing
from tests.helpers.saved_runs import TINY, assert_equal, last_checkpoint
from tests.helpers.tape import tape_graphs
from train.algorithms.parts import backends
from train.algorithms.parts.backends import Backend, CudaBackend
from train.algorithms.parts.config import SelfPlayConfig
from train.algorithms.parts.masked_softmax import plain_logp_and_entropy
from train.algorithms.parts.rollout import Rollout
from train.algorithms.parts.trainer import Trainer
from train.algorithms.ppo import PPO, PPOConfig
from train.algorithms.registry import find_algorithm, prepare_training, train
from train.evaluation.duplicate import evaluate
from train.networks.policy_network import NetworkPlayer
from train.runs.config import make_config, shipped_configs
from train.runs.learner import DivergedError, RunError
from train.runs.run_config import RunConfig
from uno_env import BatchedGames, DeviceGames
from uno_env.core.jit.cuda.requirements import DeviceUnavailableError
from uno_env.core.jit.njit import INTERPRETED

pytestmark = [
    pytest.mark.adapters,
    pytest.mark.skipif(INTERPRETED, reason="a state in wider integers is another one"),
]

ITERATION = 40 * 16
"""Decisions of an iteration."""
LEAGUE = {"league_share": 0.5, "league_scripted": ("greedy",), "league_size": 2, "league_every": ITERATION}
CASES: dict[str, dict[str, Any]] = {
    "ppo": {"algorithm": "ppo"},
    "ppo-league": {"algorithm": "ppo", "symmetry": True, "players": (2, 3), **LEAGUE},
    "ppo-random-rules": {"algorithm": "ppo", "random_rules": 3, "symmetry": True, "truncated_is_lost": True, **LEAGUE},
    "mmd": {"algorithm": "mmd", "choice_cost": 0.01},
    "dmc": {"algorithm": "dmc"},
    "response": {"algorithm": "response", "opponent": "greedy"},
}


@pytest.fixture(autouse=True)
def of_gpu(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """The backend of a GPU, in ordinary memory; groups of 12 games, several of which are one table."""
    monkeypatch.setattr(backends, "GROUP", 12)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SelfPlayConfig, "new_backend", lambda config: CudaBackend("cpu", config.cuda_graphs))
        yield patch


def config_of(case: str, folder: Path, **changes: Any) -> RunConfig:
    values: dict[str, Any] = {
        "name": "small", "folder": str(folder), "rules": TINY, "threads": 1, "num_envs": 40, "num_steps": 16,
        "hidden": (16, 8), "minibatch_size": 100, "total_timesteps": 5 * ITERATION, "eval_every": 0,
        "checkpoint_every": 2 * ITERATION, "precision": "float32",
    }  # fmt: skip
    values |= {**CASES[case], **changes}
    made: RunConfig = make_config(find_algorithm(values["algorithm"]).config_class, values)
    return made


@pytest.mark.parametrize("case", CASES)
def test_a_run_that_crashed_continues_as_if_it_had_not(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And a whole run gives the same weights twice."""
    straight = train(config_of(case, tmp_path / "straight"))
    with failing(monkeypatch, find_algorithm(CASES[case]["algorithm"]), 3 * ITERATION):
        train(config_of(case, tmp_path))
    folder = tmp_path / "small"
    assert last_checkpoint(folder)[1]["decisions"] == 2 * ITERATION
    prepare_training(folder, {})()
    (expected, counts), (ours, own_counts) = map(last_checkpoint, (straight, folder))
    assert_equal(expected, ours)
    for name in counts.keys() - {"seconds", "evaluations", "config"}:
        assert counts[name] == own_counts[name]


@pytest.mark.parametrize("case", ["ppo-league", "ppo-random-rules", "mmd"])
def test_a_run_moves_to_the_processor_and_back(case: str, tmp_path: Path, of_gpu: pytest.MonkeyPatch) -> None:
    """Games, generators, league and moments are the same in both checkpoints."""
    config = config_of(case, tmp_path, total_timesteps=2 * ITERATION)
    folder = train(config)
    saved = last_checkpoint(folder)
    with of_gpu.context() as patch:
        patch.setattr(SelfPlayConfig, "new_backend", lambda config: Backend(config.threads))
        with find_algorithm(config.algorithm)(config) as learner:
            learner.set_state(*saved)
            assert all(isinstance(rollout.games, BatchedGames) for rollout in learner.games.rollouts)
            arrays, values = learner.get_state()
            assert_equal(arrays, saved[0])
            assert {name: saved[1][name] for name in values} == values
        prepare_training(folder, {"device": "cpu", "total_timesteps": 3 * ITERATION})()
    prepare_training(folder, {"total_timesteps": 4 * ITERATION})()
    assert last_checkpoint(folder)[1]["decisions"] == 4 * ITERATION


GRAPHS: dict[str, tuple[str, dict[str, Any], int, int]] = {
    "ppo": ("ppo", {"ent_coef_final": 0.001, "ent_coef_shape": "linear"}, 3, 2),
    "mmd": ("mmd", {"symmetry": True}, 3, 2),
    "dmc": ("dmc", {}, 3, 1),
    "ppo-league": ("ppo-league", {}, 3, 3),
    "response": ("response", {}, 3, 2),
    "random rules, replaced too soon": ("ppo-random-rules", {"league_share": 0.0}, 3, 2),
    "random rules": ("ppo-random-rules", {"league_share": 0.0}, 1, 2 + 9),
}
"""A case, changes of its config, calls before a recording, and what is recorded: gradient steps, and the rollouts of
each table that stays for so many iterations. Of three tables with random rules each is replaced after three.
"""


@pytest.mark.parametrize("name", GRAPHS)
def test_graphs_do_what_python_does(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same weights and games, while schedules, weights, opponents and the number of choices change."""
    monkeypatch.setattr("train.algorithms.ppo.chosen_logp_and_entropy", plain_logp_and_entropy)
    case, changes, warm_up, recordings = GRAPHS[name]
    config = config_of(case, tmp_path, **changes, cuda_graphs=True, total_timesteps=9 * ITERATION)
    tapes = tape_graphs(monkeypatch)
    monkeypatch.setattr("train.algorithms.parts.graphs.WARM_UP", warm_up)
    recorded = train(replace(config, name="recorded"))
    assert len(tapes) == recordings
    monkeypatch.setattr("train.algorithms.parts.graphs.WARM_UP", 10**9)
    straight = train(replace(config, name="straight"))
    assert len(tapes) == recordings
    (ours, _), (expected, _) = map(last_checkpoint, (recorded, straight))
    assert_equal(ours, expected)


def test_graphs_are_recorded_anew_after_a_state_is_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Adam has other tensors then. And a state that was given out stays as it is."""
    monkeypatch.setattr("train.algorithms.ppo.chosen_logp_and_entropy", plain_logp_and_entropy)
    tapes = tape_graphs(monkeypatch)
    config = config_of("ppo", tmp_path, cuda_graphs=True, total_timesteps=9 * ITERATION)
    with PPO(config) as learner:  # type: ignore[arg-type]
        for _ in range(6):
            learner.iterate(0.5)
        saved = learner.get_state()
        learner.iterate(0.5)
        expected, _ = learner.get_state()
        learner.set_state(*saved)
        learner.iterate(0.5)
        assert_equal(learner.get_state()[0], expected)
    assert len(tapes) == 3


def test_a_table_is_played_as_one(tmp_path: Path) -> None:
    with PPO(config_of("ppo-random-rules", tmp_path, players=(2, 3))) as learner:  # type: ignore[arg-type]
        rollouts = learner.games.rollouts
        assert [(rollout.games.num_games, len(rollout.rngs)) for rollout in rollouts] == [(8, 1)] * 5
    with PPO(config_of("ppo", tmp_path)) as learner:  # type: ignore[arg-type]
        (rollout,) = learner.games.rollouts
        assert isinstance(rollout.games, DeviceGames)
        assert (rollout.games.num_games, len(rollout.rngs)) == (40, 4)


def test_one_thread_asks_a_gpu_for_everything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two tables, whose rollouts could be recorded at the same time."""
    callers = set()
    collect, step = Rollout.collect, Trainer.step
    monkeypatch.setattr(Rollout, "collect", lambda *given: (callers.add(get_ident()), collect(*given))[1])
    monkeypatch.setattr(Trainer, "step", lambda *given: (callers.add(get_ident()), step(*given))[1])
    with PPO(config_of("ppo", tmp_path, players=(2, 3), threads=3)) as learner:  # type: ignore[arg-type]
        learner.iterate(0.5)
    assert callers == {get_ident()}


def test_past_selves_and_scripted_agents_play_on_the_device(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of their games is copied to the processor."""
    monkeypatch.setattr("train.algorithms.parts.past_self.PastSelf.act_batch", None)
    monkeypatch.setattr("agents.scripted.agent.ScriptedAgent.act_batch", None)
    changes = {"league_scripted": ("tuned", "random-play"), "league_every": 10**9, "players": 2}
    config = config_of("ppo-league", tmp_path, **changes)
    with PPO(config) as learner:  # type: ignore[arg-type]
        for _ in range(10):
            learner.iterate(0.5)
        members = learner.games.league.members  # type: ignore[union-attr]
    assert [member.name for member in members] == ["tuned", "random-play", "self-0"]
    assert all(member.records[2].hands > 0 for member in members)


def test_it_learns_to_beat_who_plays_whatever_can_be_played(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backends, "GROUP", 1024)
    config = PPOConfig(
        rules=TINY, threads=1, precision="float32", num_envs=128, num_steps=32, hidden=(64,), minibatch_size=512,
        learning_rate=4e-3, total_timesteps=100_000,
    )  # fmt: skip
    with PPO(config) as learner:
        while learner.decisions < config.total_timesteps:
            learner.iterate(learner.decisions / config.total_timesteps)
    assert evaluate(NetworkPlayer(learner.network), "random-play", config.game_rules(), deals=2000).win_rate > 0.58


@pytest.mark.parametrize("name", [name for name in shipped_configs() if name.endswith("_gpu")])
def test_configs_for_a_gpu(name: str, tmp_path: Path) -> None:
    """With fewer and smaller parts."""
    small = {"num_envs": 8, "num_steps": 8, "minibatch_size": 32, "hidden": [8], "total_timesteps": 128}
    changes = {**small, "device": "cpu", "folder": str(tmp_path), "eval_every": 0, "threads": 1}
    folder = prepare_training(Path(name), changes)()
    assert last_checkpoint(folder)[1]["decisions"] == 128


def test_numbers_that_are_not_finite_stop_the_run(tmp_path: Path) -> None:
    """After the iteration in which they came, with the last checkpoint as it was."""
    config = replace(config_of("ppo", tmp_path), learning_rate=1e30, max_grad_norm=1e30)  # type: ignore[call-arg]
    with pytest.raises(DivergedError, match=r"learning_rate=1e\+30 led to gradients that are not finite after .* step"):
        train(config)


def test_too_little_memory_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*given: Any, **more: Any) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory.\nTried to allocate 9 GiB")

    monkeypatch.setattr("train.algorithms.parts.games.RolloutBuffer.empty", full)
    with pytest.raises(
        RunError,
        match=r"^the GPU has too little memory for num_envs=40, num_steps=16, minibatch_size=100: choose less$",
    ):
        train(config_of("ppo", tmp_path))


def test_games_that_do_not_fit_are_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*given: Any, **more: Any) -> None:
        raise MemoryError("40 games do not fit on cuda:0")

    monkeypatch.setattr("train.algorithms.parts.backends.DeviceGames", full)
    with pytest.raises(RunError, match=r"^there is too little memory: 40 games do not fit on cuda:0$"):
        train(config_of("ppo", tmp_path))


def test_a_missing_compiler_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(number: int) -> None:
        raise DeviceUnavailableError("the compiler for GPUs is not installed")

    monkeypatch.setattr("torch.cuda.is_available", lambda: True)
    monkeypatch.setattr("train.algorithms.parts.config.check_cuda", missing)
    with pytest.raises(ValueError, match=r"^device='cuda' is not allowed: the compiler for GPUs is not installed$"):
        config_of("ppo", tmp_path, device="cuda").check()
