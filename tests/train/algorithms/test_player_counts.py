"""One run, several numbers of players: one network for all tables, and a policy that says which it is good for."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import agents
from agents.policy.policy_file import load_policy
from tests.helpers import ROOT
from tests.helpers.saved_runs import assert_equal
from train.algorithms.parts import backends
from train.algorithms.ppo import PPO, PPOConfig
from train.algorithms.registry import prepare_training, train
from train.plots.draw import plot
from train.plots.style import learning_curves
from uno_env.core.observe.layout import START

pytestmark = pytest.mark.adapters

ITERATION = 24 * 16
SMALL: dict[str, Any] = {
    "name": "small", "threads": 1, "precision": "float32", "num_envs": 24, "num_steps": 16, "hidden": (16,),
    "minibatch_size": 100, "total_timesteps": 4 * ITERATION, "eval_every": 0, "players": (2, 4, 3),
    "rules": {"preset": "duel", "deck": "r1 r2 r3 g1 g2 g3 b1 b2 b3 w w r+2 g+2 b+2", "hand_size": 2},
}  # fmt: skip


def a_config(**changes: Any) -> PPOConfig:
    return PPOConfig(**{**SMALL, **changes})


def test_games_are_shared_out_and_groups_have_one_number_of_players(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backends, "GROUP", 5)
    with PPO(a_config(num_envs=25)) as ours:
        sizes = [(rollout.games.rules.players, rollout.games.num_games) for rollout in ours.games.rollouts]
        assert sizes == [(2, 5), (2, 4), (4, 4), (4, 4), (3, 4), (3, 4)]
        figures = ours.iterate(0.0)
        assert ours.decisions == 25 * 16
    assert all(np.isfinite(value) for value in figures.values())


def test_rewards_are_those_of_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    with PPO(a_config(num_steps=64)) as ours:
        for rollout in ours.games.rollouts:
            rollout.collect(64, ours.games.evaluate)
            rewards = {round(float(each), 4) for each in rollout.buffer.reward[rollout.buffer.next_index == -2]}
            assert rewards == {1.0, round(-1 / (rollout.games.rules.players - 1), 4)}


def test_the_network_is_told_how_many_play() -> None:
    with PPO(a_config()) as ours:
        columns = ours.network.columns[ours.network.columns >= START.seats]
        told = [rollout.games.seen[0][:, columns] for rollout in ours.games.rollouts]
    assert len({tuple(rows[0]) for rows in told}) == 3
    for rows in told:
        assert (rows == rows[0]).all()


@pytest.mark.thorough
def test_the_policy_is_for_each_of_them_and_for_no_others(tmp_path: Path) -> None:
    config = a_config(folder=str(tmp_path), eval_every=2 * ITERATION, eval_deals=4, eval_against=("greedy", "random"))
    folder = train(config)
    path = str(folder / "policy.safetensors")
    card = load_policy(path)[1]
    assert (card.rules["players"], card.more_players) == (2, [3, 4])
    assert [(line["players"], line["opponent"]) for line in card.evaluation] == [
        (players, opponent) for players in (2, 4, 3) for opponent in ("greedy", "random")
    ]
    for rules in config.all_rules():
        agent = agents.load(path, rules=rules)
        assert agent.name == path
    with pytest.raises(ValueError, match=r"trained for other rules: players=\[2, 3, 4\] instead of 5"):
        agents.load(path, rules=config.all_rules()[0].replace(players=5))
    lines = [json.loads(line) for line in (folder / "metrics.jsonl").open()]
    tags = {tag for line in lines for tag in line if tag.startswith("eval/win_rate")}
    assert tags == {f"eval/win_rate_vs_{name}_{players}p" for name in ("greedy", "random") for players in (2, 3, 4)}
    curves = learning_curves(folder)
    assert [len(points) for points in curves.values()] == [4] * 6
    assert "greedy_4p" in curves
    assert len({file.name.rpartition("-")[0] for file in (folder / "games").iterdir()}) == 4 * 6
    assert all(file.is_file() for file in plot([folder], tmp_path / "plot"))
    prepare_training(folder, {"total_timesteps": str(6 * ITERATION)})()
    assert json.loads((folder / "table.json").read_text())["decisions"] == 6 * ITERATION


def test_one_number_in_a_list_is_one_number() -> None:
    with PPO(a_config(players=(3,))) as listed, PPO(a_config(players=3)) as plain:
        for each in (listed, plain):
            each.iterate(0.0)
        assert_equal(listed.network.weights(), plain.network.weights())


def test_a_league_keeps_win_rates_for_each_number_of_players() -> None:
    config = a_config(league_share=1.0, league_scripted=("random",), league_size=0, num_steps=64)
    with PPO(config) as ours:
        figures = ours.iterate(0.0)
        assert ours.games.league is not None
        (member,) = ours.games.league.members
        assert set(member.records) == {2, 3, 4}
        for players in member.records:
            assert figures[f"league/win_rate_vs_random_{players}p"] == member.win_rate(players)


def test_the_example_config_can_be_used(tmp_path: Path) -> None:
    path = ROOT / "configs" / "ppo" / "mixed_classic.yaml"
    assert callable(prepare_training(path, {"folder": str(tmp_path)}))
