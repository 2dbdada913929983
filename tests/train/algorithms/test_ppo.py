"""train/algorithms/ppo.py and train/runs/run.py: learning, stopping and continuing; and test_contract.py."""

import json
import os
import signal
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from tests.helpers.failures import failing
from tests.helpers.saved_runs import TINY, assert_equal, weights
from train.algorithms.parts import backends
from train.algorithms.ppo import PPO, PPOConfig
from train.algorithms.registry import prepare_training, train
from train.evaluation.duplicate import evaluate
from train.networks.policy_network import NetworkPlayer
from train.runs.checkpoint import load_checkpoint
from train.runs.config import read_yaml
from train.runs.evaluator import Evaluator
from train.runs.learner import DivergedError, WorkersLostError
from train.runs.run import start_run
from uno_env.replay import Replay

pytestmark = pytest.mark.adapters

LEARNING = PPOConfig(
    rules=TINY, threads=1, precision="float32", num_envs=256, num_steps=32, hidden=(64,), minibatch_size=1024,
    learning_rate=3e-3, n_epochs=2, total_timesteps=300_000,
)  # fmt: skip


SMALL = PPOConfig(
    name="small", rules=TINY, threads=1, precision="float32", num_envs=24, num_steps=16, hidden=(16, 8),
    minibatch_size=100, n_epochs=2, total_timesteps=6 * 24 * 16, eval_every=0, checkpoint_every=2 * 24 * 16,
)  # fmt: skip
"""Six iterations in a second."""


@pytest.fixture
def small(tmp_path):
    return replace(SMALL, folder=str(tmp_path))


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory):
    """The folder of a run with five evaluations."""
    changes = {"eval_every": 3 * 24 * 16, "eval_deals": 10, "save_games": 2}
    return train(replace(SMALL, folder=str(tmp_path_factory.mktemp("runs")), **changes))


@pytest.fixture(autouse=True)
def small_parts(monkeypatch):
    """Two groups of games."""
    monkeypatch.setattr(backends, "GROUP", 12)
    monkeypatch.setattr(backends, "CHUNK", 64)


def learn(config):
    with PPO(config) as learner:
        while learner.decisions < config.total_timesteps:
            learner.iterate(learner.decisions / config.total_timesteps)
    return evaluate(NetworkPlayer(learner.network), "random-play", config.game_rules(), deals=2000).win_rate


@pytest.fixture
def whole_parts(monkeypatch):
    monkeypatch.setattr(backends, "GROUP", 1024)
    monkeypatch.setattr(backends, "CHUNK", 4096)


@pytest.mark.usefixtures("whole_parts")
def test_it_learns_to_beat_who_plays_whatever_can_be_played():
    assert learn(LEARNING) > 0.6


def test_a_run_stopped_and_resumed_equals_one_that_was_not(small, monkeypatch):
    straight = train(small)
    iterate = PPO.iterate

    def interrupted(learner, progress):
        if learner.decisions == 3 * 24 * 16:
            os.kill(os.getpid(), signal.SIGINT)
        return iterate(learner, progress)

    monkeypatch.setattr(PPO, "iterate", interrupted)
    with pytest.raises(SystemExit) as stopped:
        train(small)
    assert stopped.value.code == 130
    monkeypatch.setattr(PPO, "iterate", iterate)
    folder = straight.parent / "small-2"
    assert json.loads((folder / "table.json").read_text())["decisions"] == 4 * 24 * 16
    assert prepare_training(folder, {})() == folder
    assert_equal(weights(straight), weights(folder))
    last = [sorted((run / "checkpoints").iterdir())[-1] for run in (straight, folder)]
    assert last[0].name == last[1].name == f"{6 * 24 * 16:012d}.safetensors"
    (arrays, values), (others, _) = map(load_checkpoint, last)
    assert_equal(arrays, others)
    assert values["decisions"] == small.total_timesteps
    lines = [[json.loads(line) for line in (run / "metrics.jsonl").open()] for run in (straight, folder)]
    for ours, theirs in zip(*lines, strict=True):
        drop = {"seconds", "time/fps"}
        assert {name: ours[name] for name in ours.keys() - drop} == {
            name: theirs[name] for name in theirs.keys() - drop
        }


@pytest.mark.thorough
def test_what_was_learnt_is_saved_if_what_the_run_needs_has_gone(small, monkeypatch):
    with failing(monkeypatch, PPO, 3 * 24 * 16, WorkersLostError("nobody is left")):
        train(small)
    folder = Path(small.folder) / "small"
    assert json.loads((folder / "table.json").read_text())["decisions"] == 3 * 24 * 16
    assert_equal(weights(prepare_training(folder, {})()), weights(train(small)))


def test_results_that_come_later_belong_to_the_decisions_they_were_begun_at(small):
    class Late(Evaluator):
        def finished(self, wait):
            return super().finished(wait) if wait else []

    class LatePPO(PPO):
        def evaluator(self):
            return Late(self.config)

    config = replace(small, eval_every=2 * 24 * 16, eval_deals=4, eval_against=("random-play",))
    at_once = train(config)
    with LatePPO(config) as learner:
        late = start_run(config).train(learner)
    tables = [json.loads((folder / "table.json").read_text())["evaluations"] for folder in (at_once, late)]
    figures = [[(each["trained_decisions"], each["win_rate"]) for each in table] for table in tables]
    assert figures[0] == figures[1]
    begun = [number * 24 * 16 for number in (0, 1, 2, 4, 6)]
    assert [decisions for decisions, _ in figures[1]] == begun
    lines = [json.loads(line) for line in (late / "metrics.jsonl").open()]
    measured = [line["decisions"] for line in lines if "eval/rating" in line]
    assert measured == begun


def test_a_run_can_be_made_longer_and_nothing_that_shapes_its_games_or_network_changes(small):
    folder = train(small)
    with pytest.raises(ValueError, match=r"hidden=\[8\] cannot be changed when resuming: total_timesteps, .* can"):
        prepare_training(folder, {"hidden": "[8]"})()
    prepare_training(folder, {"total_timesteps": str(8 * 24 * 16)})()
    assert json.loads((folder / "table.json").read_text())["decisions"] == 8 * 24 * 16
    assert read_yaml(folder / "config.yaml")["total_timesteps"] == 8 * 24 * 16


def test_the_run_folder_holds_what_is_promised(evaluated):
    folder = evaluated
    assert folder.name == "small"
    config = read_yaml(folder / "config.yaml")
    assert config["name"] == "small"
    assert config["threads"] == 1
    assert config["precision"] == "float32"
    assert (folder / "command.txt").read_text().count("\n") == 1
    assert {"uno-env", "torch", "python"} <= set(json.loads((folder / "versions.json").read_text()))
    assert list(folder.glob("events.out.tfevents.*"))
    assert len(list((folder / "checkpoints").iterdir())) == 3
    table = json.loads((folder / "table.json").read_text())
    assert table["decisions"] == SMALL.total_timesteps
    assert 0 < table["choices"] < table["decisions"]
    assert table["decisions_per_second"] == pytest.approx(table["decisions"] / table["seconds"], rel=0.01)
    assert [line["opponent"] for line in table["evaluations"]] == ["random-play", "greedy"] * 5
    figures = [json.loads(line) for line in (folder / "metrics.jsonl").open()]
    names = "rollout/ep_rew_mean rollout/ep_len_mean time/fps train/approx_kl train/clip_fraction train/entropy_loss " \
        "train/explained_variance train/learning_rate train/policy_gradient_loss train/value_loss"  # fmt: skip
    assert set(names.split()) <= set(next(line for line in figures if line["decisions"]))
    assert sum("eval/win_rate_vs_greedy" in line for line in figures) == 5


def test_tensorboard_can_read_the_events(evaluated):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(str(evaluated)).Reload()
    assert {"train/approx_kl", "time/fps", "eval/win_rate_vs_random-play"} <= set(events.Tags()["scalars"])
    assert [event.step for event in events.Scalars("time/fps")] == [(number + 1) * 24 * 16 for number in range(6)]
    told = {"eval/rating", "interval/low_vs_greedy", "rollout/value_mean", "train/entropy"}
    assert told <= set(events.Tags()["scalars"])
    assert set(events.Tags()["images"]) == {"eval/game"}
    texts = {tag: events.Tensors(tag) for tag in events.Tags()["tensors"]}
    config = texts["config/text_summary"][0].tensor_proto.string_val[0].decode()
    assert "    name: small\n" in config
    assert len(texts["eval/table/text_summary"]) == 5
    assert len(texts["eval/game/text_summary"]) == 5
    assert all(event.value >= 0 for event in events.Scalars("train/entropy"))


def test_parts_of_a_run_end_with_an_evaluation_and_a_checkpoint(small):
    changes = {"parts": 3, "eval_deals": 4, "checkpoint_every": 0, "keep_checkpoints": 9, "save_games": 0}
    folder = train(replace(small, **changes))
    assert not (folder / "games").exists()
    ends = [2 * 24 * 16, 4 * 24 * 16, 6 * 24 * 16]
    evaluations = json.loads((folder / "table.json").read_text())["evaluations"]
    assert [each["trained_decisions"] for each in evaluations] == [end for end in ends for _ in range(2)]
    assert sorted(path.stem for path in (folder / "checkpoints").iterdir()) == [f"{end:012d}" for end in ends]


def test_games_of_the_evaluations_can_be_replayed(evaluated):
    games = sorted(file.name for file in (evaluated / "games").iterdir())
    names = [f"v-{name}-{number}.json" for name in ("greedy", "random-play") for number in (1, 2)]
    assert games == [f"{number * 24 * 16:012d}-{name}" for number in (0, 1, 2, 3, 6) for name in names]
    replay = Replay.from_json((evaluated / "games" / games[0]).read_text())
    assert replay.names == ("Policy", "Greedy")
    for seat, note in zip(movers(replay.game), replay.notes, strict=True):
        assert (note is None) == (seat == 1)
        if note is not None:
            assert sum(note.probabilities.values()) == pytest.approx(1, abs=1e-4)
            assert note.value is not None


def movers(game):
    """Who decided, decision by decision."""
    shown = game.start()
    for action in game.history:
        yield shown.to_move
        shown.step(action)


def test_a_time_limit_ends_the_run_and_the_schedules(small):
    folder = train(replace(small, total_timesteps=10**9, max_minutes=0.02))
    figures = [json.loads(line) for line in (folder / "metrics.jsonl").open()]
    rates = [line["train/learning_rate"] for line in figures]
    assert figures[-1]["seconds"] < 10
    assert rates[-1] < rates[0] / 2
    assert rates == sorted(rates, reverse=True)


def test_numbers_that_are_not_finite_stop_the_run(small):
    with pytest.raises(
        DivergedError, match=r"learning_rate=1e\+30 led to gradients that are not finite after .* steps"
    ):
        train(replace(small, learning_rate=1e30, max_grad_norm=1e30, total_timesteps=10**6))


def test_advantages_are_as_large_at_every_table(small):
    """Those of many players are smaller: most of them lose little, and one wins."""
    with PPO(replace(small, rules="classic", players=(2, 8), num_steps=64)) as learner:
        learner.play(learner.config.num_steps)
        for rollout in learner.games.rollouts:
            closed = rollout.buffer.select(rollout.buffer.closed())
            assert float(closed.advantage.mean()) == pytest.approx(0, abs=1e-5)
            assert float(closed.advantage.std()) == pytest.approx(1, abs=1e-4)
            assert float((closed.target - closed.value).std()) < 1


def test_a_missing_gpu_is_said_in_one_sentence(small):
    if torch.cuda.is_available():
        pytest.skip("there is one")
    with pytest.raises(ValueError, match="device='cuda' is not there"):
        train(replace(small, device="cuda"))


def test_a_folder_that_is_no_run_is_refused(tmp_path, small):
    with pytest.raises(ValueError, match=r"is no run's folder: it lacks config\.yaml"):
        prepare_training(tmp_path, {})
    (tmp_path / "config.yaml").write_text("algorithm: ppo")
    with pytest.raises(ValueError, match="has no checkpoint to resume from"):
        prepare_training(tmp_path, {})
