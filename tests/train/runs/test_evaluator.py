"""Evaluations of a run while it trains: the curve begins before the training, has early points, and changes nothing."""

import json
import multiprocessing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.policy.policy_file import load_policy
from tests.helpers.failures import failing
from train.algorithms.ppo import PPO, PPOConfig
from train.algorithms.registry import prepare_training, train
from train.networks.policy_network import Network, NetworkPlayer
from train.plots.style import learning_curves
from train.runs.evaluator import EARLY_HAND, DrawingPlayer, evaluate_player, is_due
from train.runs.evaluator_beside import ProcessEvaluator
from uno_env import BatchedGames, Rules
from uno_env.actions import DRAW
from uno_env.player import Player

pytestmark = pytest.mark.adapters

ITERATION = 24 * 16
EVERY = 4 * ITERATION


@pytest.fixture
def small(tmp_path: Path) -> PPOConfig:
    return PPOConfig(
        rules={"preset": "duel", "max_decisions": 60}, folder=str(tmp_path), name="small",
        threads=1, precision="float32", num_envs=24, num_steps=16, hidden=(16, 8),
        minibatch_size=100, n_epochs=2, total_timesteps=8 * ITERATION, eval_every=EVERY, eval_deals=8,
        eval_against=("random-play",), checkpoint_every=3 * ITERATION,
    )  # fmt: skip


def measured(folder: Path) -> list[dict[str, Any]]:
    """The evaluations of a run without the clock."""
    evaluations: list[dict[str, Any]] = json.loads((folder / "table.json").read_text())["evaluations"]
    return [
        {name: value for name, value in each.items() if name not in ("seconds", "decisions_per_second")}
        for each in evaluations
    ]


def test_evaluations_stand_close_at_first() -> None:
    config = PPOConfig(eval_every=6_400)
    due = [after for after in range(50, 20_001, 50) if is_due(config, after - 50, after)]
    assert due == [100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800, 19_200]
    assert not any(is_due(PPOConfig(eval_every=0), after, after + 50) for after in range(0, 20_000, 50))


def test_three_minutes_of_the_demo_have_eight_points_or_more() -> None:
    """At 30,000 decisions a second, a fifth of what two cores do."""
    step, most = 131_072, 3 * 60 * 30_000
    config = prepare_config("demo")
    due = [after for after in range(step, most, step) if is_due(config, after - step, after)]
    assert len(due) + 1 >= 8


def prepare_config(name: str) -> Any:
    from tools.training_speed import load_config
    from train.runs.config import SHIPPED

    return load_config(SHIPPED / f"{name}.yaml", PPOConfig, {})


def test_a_curve_begins_before_the_training_and_has_early_points(small: PPOConfig) -> None:
    folder = train(small)
    evaluations = measured(folder)
    assert [each["trained_decisions"] for each in evaluations] == [0, 384, 768, 1536, 3072]
    assert [each["deals"] for each in evaluations] == [2, 2, 2, 8, 8]
    assert evaluations[0]["agent"] == "small after 0, actions drawn"
    assert evaluations[1]["agent"] == "small after 384"
    (points,) = learning_curves(folder).values()
    assert [point.decisions for point in points] == [0, 384, 768, 1536, 3072]
    lines = [json.loads(line) for line in (folder / "metrics.jsonl").open()]
    assert [line["decisions"] for line in lines if "eval/rating" in line] == [0, 384, 768, 1536, 3072]


def test_tensorboard_shows_the_beginning(small: PPOConfig) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(str(train(small))).Reload()
    assert [event.step for event in events.Scalars("eval/win_rate_vs_random-play")] == [0, 384, 768, 1536, 3072]


def test_evaluations_change_nothing_that_is_learnt(small: PPOConfig, tmp_path: Path) -> None:
    with_them = load_policy(train(small) / "policy.safetensors")[0]
    without = load_policy(train(replace(small, name="without", eval_every=0)) / "policy.safetensors")[0]
    for name, weights in with_them.items():
        np.testing.assert_array_equal(weights, without[name], err_msg=name)


@pytest.mark.parametrize("crash", [ITERATION, 5 * ITERATION])
def test_a_resumed_run_has_the_same_curve(small: PPOConfig, monkeypatch: pytest.MonkeyPatch, crash: int) -> None:
    straight = train(replace(small, name="straight", checkpoint_every=ITERATION))
    stopped = Path(small.folder) / "small"
    with failing(monkeypatch, PPO, crash):
        train(replace(small, checkpoint_every=ITERATION))
    prepare_training(stopped, {})()
    expected, ours = measured(straight), measured(stopped)
    assert [{**each, "agent": ""} for each in expected] == [{**each, "agent": ""} for each in ours]


@pytest.fixture
def beside(monkeypatch: pytest.MonkeyPatch) -> None:
    """Trainings on the processor evaluate in another process, as those on a GPU do."""
    monkeypatch.setattr(PPO, "evaluator", lambda learner: ProcessEvaluator(learner.config))


def test_another_process_measures_the_same(small: PPOConfig, request: pytest.FixtureRequest) -> None:
    here = measured(train(replace(small, save_games=2)))
    request.getfixturevalue("beside")
    folder = train(replace(small, name="beside", save_games=2))
    assert [{**each, "agent": each["agent"].replace("beside", "small")} for each in measured(folder)] == here
    games = [sorted((folder.with_name(name) / "games").iterdir()) for name in ("small", "beside")]
    assert len(games[0]) > 0
    assert [file.name for file in games[0]] == [file.name for file in games[1]]
    assert not multiprocessing.active_children()


def test_an_evaluation_whose_process_is_killed_is_done_here(small: PPOConfig) -> None:
    rules = Rules.preset("duel", players=2, max_decisions=60)
    policy = NetworkPlayer(Network(rules, (16, 8)))
    config = small.resolved()
    expected = [evaluate_player(policy, "random-play", config.game_rules(), config, EVERY)[0].win_rate] * 2
    with ProcessEvaluator(config) as evaluator:
        evaluator.begin(policy, EVERY)
        (process,) = multiprocessing.active_children()
        process.kill()
        (first,) = evaluator.finished(wait=True)
        evaluator.begin(policy, EVERY)
        (second,) = evaluator.finished(wait=True)
    assert [each.pairs[0][0].win_rate for each in (first, second)] == expected
    assert not multiprocessing.active_children()


@pytest.mark.usefixtures("beside")
def test_a_training_that_fails_ends_its_evaluations(small: PPOConfig, monkeypatch: pytest.MonkeyPatch) -> None:
    with failing(monkeypatch, PPO, 2 * ITERATION):
        train(small)
    assert not multiprocessing.active_children()


def test_what_is_drawn_follows_the_probabilities_and_the_seed() -> None:
    rules = Rules.preset("duel", players=2)
    observations, masks, _ = BatchedGames(1, rules, obs_dtype="uint8").reset()
    many = [np.repeat(array, 20_000, axis=0) for array in (observations, masks)]
    network = NetworkPlayer(Network(rules, (16, 8)))
    drawn = DrawingPlayer(network, 3).act_batch(*many)
    shares = np.bincount(drawn, minlength=masks.shape[1]) / len(drawn)
    assert np.abs(shares - network.probabilities(observations, masks)[0]).max() < 0.015
    assert (drawn == DrawingPlayer(network, 3).act_batch(*many)).all()
    assert (drawn != DrawingPlayer(network, 4).act_batch(*many)).any()


def test_a_player_without_probabilities_plays_as_it_does() -> None:
    observations, masks, _ = BatchedGames(30, "duel", obs_dtype="uint8").reset()
    assert (DrawingPlayer(Drawer(), 0).act_batch(observations, masks) == Drawer().act_batch(observations, masks)).all()


class Drawer(Player):
    """Draws cards whenever it can, as a network can that has hardly learnt."""

    def act_batch(self, observations: Any, action_masks: Any, histories: Any = None) -> Any:
        return np.where(action_masks[:, DRAW], DRAW, action_masks.argmax(axis=1))


def test_an_early_evaluation_ends_with_a_policy_that_draws_for_ever(small: PPOConfig) -> None:
    rules = Rules.preset("duel", players=2)
    early, _ = evaluate_player(Drawer(), "random-play", rules, small, EVERY - 1)
    assert early.rules["max_decisions"] == 2 * EARLY_HAND
    assert early.mean_length <= 2 * EARLY_HAND
    late, _ = evaluate_player(Drawer(), "random-play", rules, small, EVERY)
    assert late.rules["max_decisions"] == rules.max_decisions
