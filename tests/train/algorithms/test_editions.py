"""Every algorithm trains on the editions with cards of their own, resumes, and saves a policy that plays them."""

from pathlib import Path

import pytest

from agents.policy.policy_file import load_policy
from tests.train.algorithms.test_contract import ITERATION, case_of
from train.algorithms.registry import prepare_training, train
from train.evaluation.duplicate import evaluate
from uno_env import Rules

pytestmark = [pytest.mark.adapters, pytest.mark.slow]

CASES = ("ppo", "ppo-symmetry", "ppo-league", "mmd", "dmc", "response", "sb3_ppo", "sb3_dqn", "sb3_qrdqn")


@pytest.mark.parametrize("edition", ["no_mercy", "flip"])
@pytest.mark.parametrize("name", CASES)
def test_an_edition_is_learnt_and_played(name: str, edition: str, tmp_path: Path) -> None:
    rules = Rules.preset(edition, players=3)
    shape = {"num_envs": 12, "num_steps": 32, "rules": edition, "players": 3}
    config = case_of(name).config(**shape, folder=str(tmp_path), total_timesteps=ITERATION, checkpoint_every=0)
    folder = train(config)
    first = (folder / "policy.safetensors").read_bytes()
    assert prepare_training(folder, {"total_timesteps": 3 * ITERATION})() == folder
    assert (folder / "policy.safetensors").read_bytes() != first
    assert load_policy(folder / "policy.safetensors")[1].rules["edition"] == edition
    assert 0 <= evaluate(str(folder), "greedy", rules, deals=2).win_rate < 1
