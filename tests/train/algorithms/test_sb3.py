"""train/algorithms/sb3/base.py and three algorithms: the saved policy plays as SB3's model; and test_contract.py."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

pytest.importorskip("sb3_contrib")

import agents
from agents.policy.policy_file import load_policy
from tests.helpers.saved_runs import TINY, assert_equal
from tools.sb3_dqn import SB3DQN
from train.algorithms.registry import find_algorithm, train
from train.algorithms.sb3.base import SB3Config, SB3Learner
from train.algorithms.sb3.ppo import SB3PPO
from train.evaluation.duplicate import evaluate
from train.runs.config import make_config
from train.runs.learner import DivergedError
from uno_env import END_NAMES

pytestmark = pytest.mark.adapters

DQN, QRDQN = "tools.sb3_dqn:SB3DQN", "tools.sb3_dqn:SB3QRDQN"
NAMES = ("sb3_ppo", DQN, QRDQN)
SMALL: dict[str, Any] = {
    "name": "small", "rules": TINY, "threads": 1, "opponents": ["random-play", "greedy"], "num_envs": 12,
    "num_steps": 16,
    "hidden": [16, 8], "minibatch_size": 50, "total_timesteps": 2_000, "eval_every": 0, "checkpoint_every": 0,
}  # fmt: skip
Q_LEARNING: dict[str, Any] = {
    "buffer_size": 600,
    "learning_starts": 100,
    "target_update_interval": 48,
    "gradient_steps": 1,
}


@pytest.fixture(params=NAMES)
def algorithm(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def config(algorithm: str, **changes: Any) -> SB3Config:
    more = {} if algorithm == "sb3_ppo" else Q_LEARNING
    more = {**more, "n_quantiles": 5} if algorithm == QRDQN else more
    made: SB3Config = make_config(
        find_algorithm(algorithm).config_class, {"algorithm": algorithm, **SMALL, **more, **changes}
    )
    return made


def learner_of(algorithm: str, **changes: Any) -> SB3Learner:
    made = find_algorithm(algorithm)(config(algorithm, **changes))
    assert isinstance(made, SB3Learner)
    return made


def run(algorithm: str, folder: Path, **changes: Any) -> Path:
    trained: Path = train(config(algorithm, folder=str(folder), **changes))
    return trained


def theirs(learner: SB3Learner, observations: Any, masks: Any) -> tuple[Any, Any]:
    """What SB3's model does on observations, as catalogue ids, and its logits or values of actions."""
    if isinstance(learner, SB3PPO):
        chosen, _ = learner.model.predict(observations, deterministic=True, action_masks=masks)
        features = learner.model.policy.extract_features(torch.as_tensor(observations))
        return learner.network.actions[chosen], learner.model.policy.action_net(features)
    chosen, _ = learner.model.predict(observations, deterministic=True)
    tensors = {name: torch.as_tensor(part) for name, part in observations.items()}
    tensors["action_mask"] = torch.ones_like(tensors["action_mask"])  # to see them all
    if isinstance(learner, SB3DQN) and hasattr(learner.model, "q_net"):
        return learner.network.actions[chosen], learner.model.q_net(tensors)
    return learner.network.actions[chosen], learner.model.quantile_net(tensors).mean(dim=1)


@pytest.mark.thorough
@pytest.mark.parametrize(("rules", "symmetry"), [(TINY, False), ("house", False), ("house", True)])
def test_the_saved_policy_does_what_sb3s_model_does(algorithm: str, rules: Any, symmetry: bool, tmp_path: Path) -> None:
    learner = learner_of(algorithm, rules=rules, learning_rate=0.02, symmetry=symmetry)
    for _ in range(3):
        learner.iterate(0.0)
    env, actions = learner.env, set()
    seen = different = 0
    agent = agents.policy.policy_agent.PolicyAgent("saved", learner.network.weights(), _card(learner))
    observations = env.reset()
    for _ in range(30):
        rows = np.concatenate([games.rows for games in env.tables])
        masks = np.concatenate([games.mask for games in env.tables])
        ours = agent.act_batch(rows, masks)
        with torch.no_grad():
            chosen, logits = theirs(learner, observations, env.action_masks())
        if symmetry:
            parts = zip(env.tables, np.split(chosen, env._ends[:-1]), strict=True)
            chosen = np.concatenate([games.real_actions(np.arange(len(part)), part) for games, part in parts])
        else:
            assert agent.logits_and_value(rows)[0] == pytest.approx(logits.numpy(), abs=1e-5, rel=1e-4)
        assert np.array_equal(ours, chosen)
        different += int((ours != masks.argmax(axis=1)).sum())
        seen, actions = seen + len(ours), actions | set(ours.tolist())
        random = np.array([np.flatnonzero(mask)[-1 - seen % 2 * (mask.sum() > 1)] for mask in env.action_masks()])
        observations = env.step(random)[0]
    assert len(actions) > 5
    assert different > seen // 20, "the first legal action is not always the best"


def _card(learner: SB3Learner) -> Any:
    network = learner.network
    return agents.policy.policy_file.PolicyCard(
        rules=learner.config.game_rules().to_dict(),
        columns=network.columns.tolist(),
        actions=network.actions.tolist(),
        symmetry=learner.network.symmetry,
        hidden=network.hidden,
    )


@pytest.mark.thorough
def test_what_is_saved_is_an_opponent(algorithm: str, tmp_path: Path) -> None:
    folder = run(algorithm, tmp_path, eval_every=1_000, eval_deals=4)
    policy = str(folder / "policy.safetensors")
    rules = config(algorithm).game_rules()
    assert 0 < evaluate(policy, "random-play", rules, deals=50).win_rate < 1
    card = load_policy(policy)[1]
    assert card.trained_by["config"]["opponents"] == ["random-play", "greedy"]
    assert ("values of actions" in card.trained_by.get("logits", "")) == (algorithm != "sb3_ppo")
    table = json.loads((folder / "table.json").read_text())
    assert 0 < table["choices"] < table["decisions"] / 1.5 < table["decisions"]
    assert [each["opponent"] for each in table["evaluations"]][:2] == ["random-play", "greedy"]
    figures = [json.loads(line) for line in (folder / "metrics.jsonl").open()]
    told = {"train/loss", "train/learning_rate", "rollout/ep_rew_mean", "rollout/ep_len_mean", "time/fps"}
    assert told <= {name for line in figures for name in line}
    assert list(folder.glob("events.out.tfevents.*"))
    against_it = run(algorithm, tmp_path, name="against-it", opponents=[policy], total_timesteps=500)
    assert (against_it / "policy.safetensors").is_file()


def test_q_learning_waits_for_its_buffer_to_fill_again() -> None:
    before = learner_of(DQN)
    for _ in range(3):
        before.iterate(0.5)
    state = before.get_state()
    after = learner_of(DQN, learning_starts=200)
    after.set_state(*state)
    after.iterate(0.5)
    assert_equal(after.network.weights(), before.network.weights())
    after.iterate(0.5)
    after.iterate(0.5)
    assert any((after.network.weights()[name] != array).any() for name, array in before.network.weights().items())


def test_the_share_of_random_decisions_falls() -> None:
    learner = learner_of(DQN, exploration_fraction=0.5, epsilon=0.9, epsilon_final=0.1)
    shares = [learner.iterate(progress)["rollout/exploration_rate"] for progress in (0.0, 0.25, 0.5, 0.9)]
    assert shares == pytest.approx([0.9, 0.5, 0.1, 0.1])


SIZES: dict[str, dict[str, Any]] = {
    "sb3_ppo": {"num_steps": 32, "minibatch_size": 1024, "learning_rate": 3e-3},
    DQN: {"minibatch_size": 128, "learning_rate": 1e-3, "buffer_size": 50_000, "learning_starts": 2_000,
                "target_update_interval": 2_000, "gradient_steps": 8, "exploration_fraction": 0.3},
}  # fmt: skip


@pytest.mark.parametrize(
    ("algorithm", "iterations", "least"),
    [("sb3_ppo", 20, 0.58), pytest.param(DQN, 30, 0.55, marks=pytest.mark.slow)],
)
def test_it_learns_to_beat_who_plays_whatever_can_be_played(algorithm: str, iterations: int, least: float) -> None:
    learner = learner_of(algorithm, num_envs=128, hidden=[64], opponents=["random-play"], **SIZES[algorithm])
    for number in range(iterations):
        learner.iterate(number / iterations)
    agent = agents.policy.policy_agent.PolicyAgent("saved", learner.network.weights(), _card(learner))
    assert evaluate(agent, "random-play", learner.config.game_rules(), deals=2_000).win_rate > least


@pytest.mark.parametrize("lost", [False, True])
def test_truncated_hands_are_nobodys_or_lost(algorithm: str, lost: bool) -> None:
    rules = {"preset": "house", "players": 4, "max_decisions": 12}
    env = learner_of(algorithm, rules=rules, players=None, truncated_is_lost=lost, choice_cost=0.0).env
    env.reset()
    ended = []
    for _ in range(30):
        _, rewards, dones, infos = env.step(env.action_masks().argmax(axis=1))
        ended += [(infos[index], rewards[index].item()) for index in np.flatnonzero(dones)]
    cut = [(info["TimeLimit.truncated"], reward) for info, reward in ended if END_NAMES[info["end"]] == "max_decisions"]
    assert len(cut) > 5
    assert set(cut) == {(False, np.float32(-1 / 3).item()) if lost else (True, 0.0)}


def test_each_opponent_has_its_share_of_the_games() -> None:
    learner = learner_of(DQN, opponents=["random-play", "greedy", "random"], num_envs=8, choice_cost=0.25)
    env = learner.env
    assert [games.num_games for games in env.tables] == [3, 3, 2]
    assert [games.opponents.agents[0].name for games in env.tables] == ["random-play", "greedy", "random"]
    observations = env.reset()
    assert observations["observation"].shape == (8, len(learner.network.columns))
    assert np.array_equal(observations["action_mask"] != 0, env.action_masks())
    hands, total = 0, 0.0
    for _ in range(40):
        masks = env.action_masks()
        _, rewards, dones, infos = env.step(masks.argmax(axis=1))
        hands += int(dones.sum())
        cost = np.where(masks.sum(axis=1) > 1, np.float32(0.25), 0)
        assert rewards.dtype == np.float32
        total += float((rewards + cost).sum())
        for info, done in zip(infos, dones, strict=True):
            assert ("terminal_observation" in info) == done
            if done:
                assert info["terminal_observation"]["observation"].shape == (len(learner.network.columns),)
                assert not info["terminal_observation"]["action_mask"].any()
        assert np.array_equal(rewards[~dones], -cost[~dones])
    assert env.reward == total, "what choices cost is no part of what is shown"
    assert env.hands == hands > 5
    assert env.learner_decisions == 8 * 40
    assert env.decisions > 1.3 * env.learner_decisions > 1.3 * env.choices > 0


def test_numbers_that_are_not_finite_stop_the_run(tmp_path: Path) -> None:
    beyond = replace(config(DQN, folder=str(tmp_path)), learning_rate=1e30, max_grad_norm=1e30)
    with pytest.raises(DivergedError, match=r"learning_rate=1e\+30 led to weights that are not finite"):
        train(beyond)
