"""train/algorithms/ray/distributed_ppo.py: workers as Ray actors, lost and replaced; evaluations as tasks; the weights
of one process.

What starts processes again and again, or a whole cluster, is slow.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

ray = pytest.importorskip("ray")

from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy  # noqa: E402

from tests.helpers import ROOT  # noqa: E402
from tests.helpers.saved_runs import TINY, assert_equal, weights  # noqa: E402
from train.algorithms import ppo  # noqa: E402
from train.algorithms.parts import backends  # noqa: E402
from train.algorithms.parts.games import game_groups  # noqa: E402
from train.algorithms.ray import cluster as clusters  # noqa: E402
from train.algorithms.ray import distributed_ppo, worker_pool  # noqa: E402
from train.algorithms.ray.distributed_ppo import DistributedConfig, DistributedPPO  # noqa: E402
from train.algorithms.ray.worker_pool import WorkerPool  # noqa: E402
from train.algorithms.registry import prepare_training, train  # noqa: E402
from train.runs.evaluator import evaluate_player  # noqa: E402
from train.runs.learner import RunError, WorkersLostError  # noqa: E402

pytestmark = pytest.mark.adapters

ROLLOUT = 12 * 16
"""Decisions that a worker plays in an iteration."""


@pytest.fixture(scope="module")
def ray_starts():
    """Skips where Ray itself, without any of ours, does not start: some sandboxes lack what it needs."""
    code = "import ray; ray.init(address='local', num_cpus=1, include_dashboard=False, object_store_memory=10**8)"
    begun = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=300,
        env=os.environ | {"RAY_USAGE_STATS_ENABLED": "0"},
    )
    if begun.returncode:
        pytest.skip(f"Ray does not start on this machine: {begun.stderr.strip().splitlines()[-1]}")


@pytest.fixture
def small(tmp_path, ray_starts):
    """Six iterations of two workers, the last of them shorter."""
    return DistributedConfig(
        folder=str(tmp_path), name="small", rules=TINY, threads=1, precision="float32", workers=2, num_envs=12,
        num_steps=16, hidden=(16, 8), minibatch_size=100, n_epochs=2, eval_every=0,
        total_timesteps=6 * 2 * ROLLOUT - 2 * 12 * 5, checkpoint_every=2 * 2 * ROLLOUT,
    )  # fmt: skip


def lines_of(folder):
    """The lines of training, and those of evaluations."""
    lines = [json.loads(line) for line in (folder / "metrics.jsonl").open()]
    return [line for line in lines if "time/fps" in line], [line for line in lines if "eval/rating" in line]


@contextmanager
def before_iterations(monkeypatch, act):
    """``act(learner, number)`` before each iteration of a learner."""
    iterate, count = DistributedPPO.iterate, 0

    def acting(learner, progress):
        nonlocal count
        count += 1
        act(learner, count)
        return iterate(learner, progress)

    with monkeypatch.context() as patch:
        patch.setattr(DistributedPPO, "iterate", acting)
        yield


class NoWorkers:
    """A pool on a cluster that has no free CPU."""

    def __init__(self, config, workers, *state):
        self.state = state

    def wait_for_start(self):
        raise WorkersLostError("no worker could be started")


@pytest.fixture
def stopped(monkeypatch):
    """A learner without a cluster, and what a run of it was stopped with while its workers were playing."""
    monkeypatch.setattr(distributed_ppo, "WorkerPool", NoWorkers)
    config = DistributedConfig(rules=TINY, threads=1, precision="float32", num_envs=4, num_steps=4, hidden=(8,))
    learner = DistributedPPO(config)
    own = learner.ppo.trainer.get_weights()
    arrays = {**own, **{f"asked.{name}": weight for name, weight in own.items()}}
    workers = [{"number": number, "rng_states": []} for number in (0, 2)]
    return learner, arrays, {"decisions": 0, "choices": 0, "rng_state": learner.ppo.trainer.rng.bit_generator.state,
                             "rng_states": [], "iterations": 0, "workers": workers, "next_worker": 3,
                             "workers_lost": 1}  # fmt: skip


def test_a_cluster_without_room_says_nothing_against_the_checkpoint(stopped):
    """It said that the checkpoint did not fit, and to delete it."""
    learner, arrays, values = stopped
    learner.set_state(arrays, values)
    with pytest.raises(WorkersLostError, match="no worker could be started"):
        learner.warm_up()


@pytest.mark.parametrize(
    "changes",
    [{"workers": [{"number": "x", "rng_states": []}]}, {"workers": [{"number": -1, "rng_states": []}]},
     {"workers": [{"number": 10**30, "rng_states": []}]}, {"workers": [{"number": 1, "rng_states": []}] * 2},
     {"workers": [{"number": 3, "rng_states": []}]}, {"workers": [{}]}, {"workers": None}, {"next_worker": "x"},
     {"next_worker": -1}, {"next_worker": None}, {"workers_lost": "x"}],
)  # fmt: skip
def test_workers_that_there_cannot_have_been_are_refused(changes, stopped):
    learner, arrays, values = stopped
    weights = {name: array for name, array in arrays.items() if not name.startswith("asked.")}
    with pytest.raises((KeyError, TypeError, ValueError)):
        learner.set_state(weights, values | changes)
    learner.set_state(weights, values)


@pytest.mark.parametrize("change", [lambda weight: weight[:-1], lambda weight: weight.astype(np.float64), None])
def test_weights_that_workers_cannot_play_with_are_refused(change, stopped):
    learner, arrays, values = stopped
    weight = arrays.pop("asked.network.policy.bias")
    if change is not None:
        arrays["asked.network.policy.bias"] = change(weight)
    with pytest.raises(ValueError, match=r"'network\.policy\.bias'"):
        learner.set_state(arrays, values)


def test_synchronous_workers_learn_the_same_as_one_process_bit_for_bit(small, monkeypatch):
    monkeypatch.setattr(worker_pool, "START_TIMEOUT", 600.0)  # a worker that joins late on a busy machine plays less
    evaluated = {"eval_every": 4 * 2 * ROLLOUT, "eval_deals": 20, "eval_against": ("random-play",)}
    alone = ppo.PPOConfig(**{
        **{name: value for name, value in vars(small).items() if name in ppo.PPOConfig.__dataclass_fields__},
        "algorithm": "ppo", "name": "alone", "num_envs": 24, **evaluated,
    })  # fmt: skip
    together = train(replace(small, synchronous=True, **evaluated))
    monkeypatch.setattr(backends, "GROUP", 12)  # the workers' games are groups of their own
    straight = train(alone)
    assert_equal(weights(together), weights(straight))
    assert not ray.is_initialized()
    (trained, measured), (_, expected) = lines_of(together), lines_of(straight)
    assert [line["ray/workers"] for line in trained] == [2] * 6
    assert trained[-1]["ray/workers_lost"] == 0
    assert len(measured) == len(expected) == 5
    for ours, theirs in zip(measured, expected, strict=True):
        assert {**ours, "seconds": 0} == {**theirs, "seconds": 0}
    tables = [json.loads((folder / "table.json").read_text()) for folder in (together, straight)]
    assert tables[0]["decisions"] == tables[1]["decisions"] == small.total_timesteps
    assert tables[0]["choices"] == tables[1]["choices"]
    assert (together / "games" / f"{4 * 2 * ROLLOUT:012d}-v-random-play-1.json").is_file()


@pytest.mark.parametrize("address", ["nowhere", "127.0.0.1:", "ray://127.0.0.1:10001", ":6379"])
def test_an_address_is_a_host_and_a_port(small, address):
    with pytest.raises(ValueError, match=r"address='.*' is not allowed: choose HOST:PORT"):
        replace(small, address=address).check()


def test_an_address_where_nobody_answers_makes_no_folder(small, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
    with pytest.raises(ValueError, match="no Ray cluster answers there"):
        train(replace(small, address=address))
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
@pytest.mark.parametrize("synchronous", [False, True])
def test_a_run_that_crashed_goes_on_as_if_it_had_not(small, synchronous, monkeypatch):
    small = replace(small, synchronous=synchronous)
    with clusters.joined("", 2):
        straight = train(small)

        def crash(_, number):
            if number == 4:
                raise RuntimeError("power cut")

        with before_iterations(monkeypatch, crash), pytest.raises(RuntimeError, match="power cut"):
            train(small)
        stopped = straight.with_name("small-2")
        assert prepare_training(stopped, {})() == stopped
    assert_equal(weights(straight), weights(stopped))
    drop = {"seconds", "time/fps"}
    for ours, theirs in zip(lines_of(straight)[0], lines_of(stopped)[0], strict=True):
        assert {name: ours[name] for name in ours.keys() - drop} == {
            name: theirs[name] for name in theirs.keys() - drop
        }


@pytest.mark.slow
def test_what_is_lost_with_a_worker_is_what_it_was_playing(small):
    """The weights stay as they are, so that each worker's games can be told without the others."""
    config = replace(small, learning_rate=0.0, synchronous=True)
    with clusters.joined("", 2), DistributedPPO(config) as together:
        together.warm_up()
        initial = together.ppo.trainer.get_weights()
        together.iterate(0.0)
        ray.kill(together.workers._members[0].actor)
        figures = together.iterate(0.0)
        assert (figures["ray/workers"], figures["ray/workers_lost"]) == (1, 1)
        assert together.decisions == 3 * ROLLOUT
        together.workers.wait_for_start()
        figures = together.iterate(0.0)
        assert (figures["ray/workers"], figures["ray/workers_lost"]) == (2, 1)
        assert together.decisions == 5 * ROLLOUT
        states = {state.number: state for state in together.workers.states()}
        assert_equal(together.ppo.trainer.get_weights(), initial)
    assert states.keys() == {1, 2}
    for number, iterations in ((1, 3), (2, 1)):
        with ppo.PPO(config, game_groups(config, number)) as alone:
            alone.trainer.set_weights(initial)
            for _ in range(iterations):
                alone.play(config.num_steps)
            games, values = alone.games.get_state()
        assert_equal(states[number].games, games)
        assert states[number].rngs == values["rng_states"]


@pytest.mark.slow
def test_a_run_ends_with_a_checkpoint_if_workers_are_lost_one_after_the_other(small, monkeypatch):
    with clusters.joined("", 2):

        def lose(learner, number):
            if number == 3:
                monkeypatch.setattr(WorkerPool, "_start_worker", dead)
                for member in learner.workers._members:
                    ray.kill(member.actor)

        def dead(pool, state=None):
            member = start(pool, state)
            ray.kill(member.actor)
            return member

        start = WorkerPool._start_worker
        with (
            before_iterations(monkeypatch, lose),
            pytest.raises(WorkersLostError, match="7 workers in a row were lost"),
        ):
            train(small)
        table = json.loads((Path(small.folder) / "small" / "table.json").read_text())
        assert table["decisions"] in (2 * 2 * ROLLOUT, 3 * 2 * ROLLOUT)  # what had been played already may be had


@pytest.mark.slow
def test_a_cluster_too_small_is_refused(small):
    with clusters.joined("", 1), pytest.raises(RunError, match=r"workers=2 is not allowed: the cluster has 1 CPUs"):
        train(small)
    assert not list(Path(small.folder).iterdir())


@pytest.mark.slow
def test_a_cluster_of_its_own_asks_for_a_token_that_it_alone_has(ray_starts, tmp_path):
    """Neither without a token nor with the one of a user's own does somebody join."""
    (tmp_path / ".ray").mkdir()
    (tmp_path / ".ray" / "auth_token").write_text("0" * 64)
    with clusters.joined("", 1):
        address = ray.get_runtime_context().gcs_address
        others = {name: value for name, value in os.environ.items() if not name.startswith("RAY_AUTH")}
        answers = [
            subprocess.run(
                [sys.executable, "-c", f"import ray; ray.init(address={address!r})"],
                env=others | {"HOME": str(tmp_path)} | told, capture_output=True, text=True, timeout=120,
            )
            for told in (
                {"RAY_AUTH_MODE": "disabled"},
                {"RAY_AUTH_MODE": "token"},
                {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": os.environ["RAY_AUTH_TOKEN"]},
            )
        ]  # fmt: skip
    assert [answer.returncode for answer in answers] == [1, 1, 0], answers
    assert ["AuthenticationError" in answer.stderr for answer in answers] == [True, True, False], answers


def nodes(pool):
    """Ids of the nodes that the workers run on which have started, by the worker's number."""
    return {member.number: ray.get(member.node) for member in pool._members if member.started}


@pytest.fixture
def three_nodes():
    from ray.cluster_utils import Cluster

    options = {"include_dashboard": False, "object_store_memory": 80 * 2**20}
    soon = {"health_check_initial_delay_ms": 1000, "health_check_period_ms": 500, "health_check_failure_threshold": 4}
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 2, "_system_config": soon, **options})
    try:
        for _ in range(2):
            cluster.add_node(num_cpus=1, **options)
        yield cluster
    finally:
        cluster.shutdown()


@pytest.mark.slow
def test_a_node_is_killed_while_it_trains_and_evaluates(small, three_nodes, monkeypatch):
    """Three workers on three nodes; the killed one has a worker and an evaluation under way."""
    monkeypatch.setattr(worker_pool, "START_TIMEOUT", 600.0)  # a busy machine starts the new worker late
    config = replace(small, address=three_nodes.address, workers=3, total_timesteps=10**9, eval_every=3 * ROLLOUT * 3,
                     eval_deals=20, eval_against=("random-play",), checkpoint_every=0)  # fmt: skip
    mark = Path(small.folder) / "evaluating"
    seen = SimpleNamespace(iterations=0)
    evaluate_there = distributed_ppo.measure_on_one_thread

    def held(task):
        if task.decisions >= config.eval_every and not mark.exists():
            mark.write_text(ray.get_runtime_context().get_node_id())
            time.sleep(600)
        return evaluate_there(task)

    def kill(learner, number):
        seen.iterations = number
        if number == 1:
            seen.nodes = nodes(learner.workers)
            others = {node.node_id: node for node in three_nodes.worker_nodes}
            seen.doomed = next(node for node in seen.nodes.values() if node in others)
            there = NodeAffinitySchedulingStrategy(seen.doomed, soft=True)
            monkeypatch.setitem(distributed_ppo.EVALUATION, "scheduling_strategy", there)
        if number == 4:  # the evaluation after the third has been begun
            seen.decisions, seen.network = learner.decisions, {**learner.network.weights()}
            deadline = time.monotonic() + 120
            while not mark.exists() and time.monotonic() < deadline:
                time.sleep(0.05)
            assert mark.read_text() == seen.doomed
            three_nodes.remove_node(others_by_id()[seen.doomed], allow_graceful=False)
        if number == 12:
            learner.workers.wait_for_start()
        if number == 14:
            seen.after = nodes(learner.workers)
            os.kill(os.getpid(), signal.SIGINT)

    def others_by_id():
        return {node.node_id: node for node in three_nodes.worker_nodes}

    monkeypatch.setattr(distributed_ppo, "measure_on_one_thread", held)
    with before_iterations(monkeypatch, kill), pytest.raises(SystemExit) as stopped:
        train(config)
    assert stopped.value.code == 130
    assert not ray.is_initialized()

    folder = Path(small.folder) / "small"
    trained, measured = lines_of(folder)
    assert len(trained) == seen.iterations == 14
    before = 0
    for line in trained:
        assert line["decisions"] - before == line["ray/workers"] * ROLLOUT
        before = line["decisions"]
    workers = [line["ray/workers"] for line in trained]
    assert workers[:3] == [3] * 3
    assert workers[-2:] == [3] * 2
    assert set(workers[3:-2]) <= {2, 3}
    assert 2 in workers
    doomed = {number for number, node in seen.nodes.items() if node == seen.doomed}
    assert len(doomed) == trained[-1]["ray/workers_lost"] == 1
    assert seen.after.keys() == seen.nodes.keys() - doomed | {3}
    assert seen.doomed not in seen.after.values()

    assert seen.decisions == 3 * 3 * ROLLOUT
    evaluations = json.loads((folder / "table.json").read_text())["evaluations"]
    at = [each["trained_decisions"] for each in evaluations]
    assert [line["decisions"] for line in measured] == at
    first = evaluations[at.index(seen.decisions)]
    with ppo.PPO(replace(config, num_envs=1, num_steps=1)) as itself:
        itself.network.load_weights(seen.network)
        expected, _ = evaluate_player(itself.policy(), "random-play", config.game_rules(), config, seen.decisions)
    assert (first["win_rate"], first["decisions"]) == (expected.win_rate, expected.decisions)

    longer = str(trained[-1]["decisions"] + 4 * ROLLOUT)
    assert prepare_training(folder, {"total_timesteps": longer, "workers": "2"})() == folder
    assert [line["ray/workers"] for line in lines_of(folder)[0][14:]] == [2, 2]


def processes_with(mark):
    """Commands of the processes that have a text in their environment."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (process / "environ").read_bytes():
                found.append((process / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        except OSError:
            continue
    return found


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc").is_dir(), reason="processes are looked up in /proc")
def test_after_ctrl_c_nothing_is_left_running(tmp_path):
    config = ROOT / "configs" / "distributed_ppo" / "duel-2p.yaml"
    mark = f"UNO_TEST_MARK={tmp_path}"
    line = [sys.executable, "-m", "train.cli", "train", config, "--folder", tmp_path, "--name", "run",
            "--workers", "1", "--num_envs", "32", "--num_steps", "16",
            "--eval_every", "2000", "--eval_deals", "20"]  # fmt: skip
    environment = {**os.environ, "UNO_TEST_MARK": str(tmp_path)}
    with subprocess.Popen(line, cwd=tmp_path, env=environment, stdout=-1, text=True, start_new_session=True) as process:
        metrics, deadline = tmp_path / "run" / "metrics.jsonl", time.monotonic() + 120
        while not (metrics.exists() and metrics.read_text()) and time.monotonic() < deadline:
            time.sleep(0.1)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: all of the group
        out, _ = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "To go on: uno train" in out
    assert "was lost" not in out
    deadline = time.monotonic() + 20
    while processes_with(mark) and time.monotonic() < deadline:
        time.sleep(0.2)
    assert processes_with(mark) == []
    assert (tmp_path / "run" / "policy.safetensors").is_file()


def test_there_is_no_league_yet(small):
    with pytest.raises(ValueError, match=r"league_share=0\.5 is not allowed here: .*choose 0"):
        replace(small, league_share=0.5).check()


def test_the_config_in_configs_is_allowed():
    config = ROOT / "configs" / "distributed_ppo" / "duel-2p.yaml"
    assert callable(prepare_training(config, {"workers": "1"}))
    with pytest.raises(ValueError, match="workers=0 is not allowed"):
        prepare_training(config, {"workers": "0"})
