"""tools/sb3_dqn.py: DQN and QR-DQN that know masks, on the real environment."""

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from stable_baselines3 import DQN
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.vec_env import VecMonitor

from tests.helpers import ROOT
from tools.sb3_dqn import OUT_OF_REACH, MaskedDQN, MaskedQRDQN, masked, random_legal
from train.algorithms.registry import config_of
from train.common.suite import read_suite
from uno_env import Rules
from uno_env.envs.sb3 import UnoVecEnv

pytestmark = pytest.mark.adapters

SHORT = Rules.preset("duel", hand_size=2, max_decisions=40)
SMALL = {"net_arch": [32]}
SIZES: dict[str, Any] = {"buffer_size": 4_000, "learning_starts": 64, "batch_size": 64, "device": "cpu"}


def environment(**arguments: Any) -> UnoVecEnv:
    return UnoVecEnv(8, SHORT, ["random-play"], **{"mask_in_observation": True, **arguments})


def model_of(algorithm: Any, env: Any, **arguments: Any) -> Any:
    kwargs = {**SMALL, **({"n_quantiles": 5} if algorithm is MaskedQRDQN else {})}
    return algorithm("MaskedPolicy", env, policy_kwargs=kwargs, **{**SIZES, **arguments})


@pytest.mark.parametrize("algorithm", [MaskedDQN, MaskedQRDQN])
@pytest.mark.parametrize("obs_dtype", ["float32", "uint8"])
def test_it_learns_and_never_acts_illegally(algorithm: Any, obs_dtype: str) -> None:
    """The environment refuses illegal actions with an error, so warm-up, exploration and greedy play were all legal."""
    env = VecMonitor(environment(obs_dtype=obs_dtype))
    model = model_of(algorithm, env, seed=1, exploration_fraction=0.5)
    before = [parameter.clone() for parameter in model.policy.parameters()]
    model.learn(800)
    assert model.num_timesteps == 800
    assert model._n_updates > 20
    assert len(model.ep_info_buffer) > 10
    assert {episode["r"] for episode in model.ep_info_buffer} <= {1.0, -1.0, 0.0}
    assert 0 < np.mean(model.ep_success_buffer) < 1
    assert any((old != new).any() for old, new in zip(before, model.policy.parameters(), strict=True))
    assert np.isfinite(model.logger.name_to_value.get("train/loss", 0.0))


@pytest.mark.parametrize("algorithm", [MaskedDQN, MaskedQRDQN])
def test_sb3s_evaluation_saving_and_loading_work(algorithm: Any, tmp_path: Any) -> None:
    model = model_of(algorithm, environment())
    mean, _ = evaluate_policy(model, VecMonitor(environment(seed=5)), n_eval_episodes=20)
    assert -1 <= mean <= 1
    model.save(tmp_path / "model")
    again = algorithm.load(tmp_path / "model", device="cpu")
    observations = environment(seed=6).reset()
    mine, theirs = (each.predict(observations, deterministic=True)[0] for each in (model, again))
    assert np.array_equal(mine, theirs)


def test_equal_seeds_learn_alike() -> None:
    first, second = (model_of(MaskedDQN, environment(), seed=3).learn(200) for _ in range(2))
    for one, other in zip(first.policy.parameters(), second.policy.parameters(), strict=True):
        assert torch.equal(one, other)


def test_illegal_actions_are_out_of_reach_and_the_end_is_worth_nothing() -> None:
    masks = torch.tensor([[1, 0, 1], [0, 0, 0]], dtype=torch.int8)
    values = torch.tensor([[1.0, 5.0, 2.0], [3.0, 4.0, 5.0]])
    assert masked(values, {"action_mask": masks}).tolist() == [[1.0, OUT_OF_REACH, 2.0], [0.0, 0.0, 0.0]]
    for diverged in (10 * OUT_OF_REACH, -float("inf"), float("nan"), float("inf")):
        found = masked(torch.full((1, 3), diverged), {"action_mask": masks[:1]})
        assert found.argmax(dim=1).item() != 1, "illegal"
    quantiles = values[:, None, :].expand(2, 4, 3)
    for row in range(4):
        assert torch.equal(masked(quantiles, {"action_mask": masks})[:, row], masked(values, {"action_mask": masks}))


def test_targets_are_made_of_legal_next_actions() -> None:
    """A target is the reward where an episode ends, cut off or not, and else at most the best legal value."""
    env = environment()
    model = model_of(MaskedDQN, env)
    model.learn(400)
    drawn = model.replay_buffer.sample(2_000)
    over = ~drawn.next_observations["action_mask"].bool().any(dim=1)
    with torch.no_grad():
        best = model.q_net_target(drawn.next_observations).max(dim=1).values
    assert over.any()
    assert (best[over] == 0).all()
    assert best.abs().max() < 100
    assert (drawn.dones.squeeze(1).bool() <= over).all()


def test_random_actions_are_legal_and_even() -> None:
    torch.manual_seed(0)
    masks = np.zeros((3_000, 5), np.int8)
    masks[:, [1, 4]] = 1
    drawn = np.bincount(random_legal(masks), minlength=5)
    assert drawn[[0, 2, 3]].sum() == 0
    assert abs(drawn[1] - 1_500) < 200
    assert random_legal(masks[0]) in (1, 4)


def test_plain_dqn_trains_where_illegal_actions_cost_reward() -> None:
    env = VecMonitor(UnoVecEnv(8, SHORT, ["random-play"], illegal_action="penalty", illegal_reward=-0.5))
    model = DQN("MlpPolicy", env, policy_kwargs=SMALL, seed=1, **SIZES).learn(400)
    assert model._n_updates > 5
    stored = model.replay_buffer
    mistakes = stored.rewards[:50] == -0.5
    assert mistakes.any()
    assert np.array_equal(stored.observations[:50][mistakes], stored.next_observations[:50][mistakes])


@pytest.mark.parametrize("track", ["duel-2p", "classic-2p", "classic-4p", "house-4p", "rlcard-2p"])
@pytest.mark.parametrize("learner", ["SB3DQN", "SB3QRDQN"])
def test_the_benchmark_can_train_it_on_every_track(learner: str, track: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    name = f"tools/sb3_dqn.py:{learner}"
    rules = read_suite().track(track).rules()
    config: Any = config_of({"algorithm": name, "rules": rules.to_dict(), "players": None})
    config.check()
    assert (config.algorithm, config.game_rules(), config.choice_cost) == (name, rules, 0.05)


def test_the_file_alone_is_enough_where_the_package_is_installed(tmp_path: Path) -> None:
    """As it is downloaded from its page; the checkout's other programs are not there."""
    shutil.copy(ROOT / "tools" / "sb3_dqn.py", tmp_path)
    code = "import sys; sys.path.append(sys.argv[1]); import sb3_dqn; print(sb3_dqn.MaskedDQN, 'tools' in sys.modules)"
    line = [sys.executable, "-I", "-c", code, str(tmp_path)]
    done = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "<class 'sb3_dqn.MaskedDQN'> False\n"
