"""TorchRL: its own wrapper on the PettingZoo environment, and our view of many games (make test-adapters)."""

import warnings
from pathlib import Path
from typing import Any

import pytest

import uno_env
from tests.helpers.foreign_programs import verify_program_trains
from tests.helpers.pages import run_section

torchrl = pytest.importorskip("torchrl.envs", reason="TorchRL is not installed: make test-adapters")
pytestmark = pytest.mark.adapters
QUICK = {"preset": "duel", "hand_size": 3, "voluntary_draw": False}
"""Rules under which random play soon goes out."""


def wrapped(**arguments: Any) -> Any:
    """The environment in TorchRL's wrapper."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # TorchRL names the version of PettingZoo that it was tested with
        return torchrl.PettingZooWrapper(uno_env.env(**arguments), use_mask=True)


def test_its_own_check_of_specs() -> None:
    from torchrl.envs.utils import check_env_specs

    check_env_specs(wrapped(rules="duel"))


@pytest.mark.parametrize(
    "arguments",
    [
        {"rules": QUICK},
        {"rules": {**QUICK, "preset": "house"}, "players": 4, "history": 6},
        {"rules": {**QUICK, "preset": "classic"}, "players": 3, "encoding": "planes", "obs_dtype": "uint8"},
    ],
)
def test_random_rollouts_to_the_end(arguments: dict[str, Any]) -> None:
    env = wrapped(**arguments)
    env.set_seed(3)
    tensors = env.rollout(2_000)
    agents = list(env.group_map)
    movers = sum(tensors[agent, "mask"].int() for agent in agents)
    assert (movers == 1).all()
    for agent in agents:
        allowed = tensors[agent, "action_mask"].gather(-1, tensors[agent, "action"].unsqueeze(-1))
        assert allowed.all()
        assert tensors["next", agent, "done"][-1].item()
        assert not tensors["next", agent, "reward"][:-1].any()
        assert ("history" in tensors[agent, "observation"].keys()) == ("history" in arguments)  # noqa: SIM118
    rewards = [tensors["next", agent, "reward"][-1].item() for agent in agents]
    assert max(rewards) == 1
    assert sum(rewards) == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize(
    "arguments",
    [{"rules": "duel"}, {"rules": "house", "players": 4, "history": 5, "obs_dtype": "uint8"}, {"encoding": "planes"}],
)
def test_many_games_pass_its_own_check_of_specs(arguments: dict[str, Any]) -> None:
    from torchrl.envs.utils import check_env_specs

    from uno_env.torchrl import BatchedUnoEnv

    check_env_specs(BatchedUnoEnv(5, **arguments))


def test_many_games_go_on_as_those_of_a_batch() -> None:
    from uno_env.torchrl import BatchedUnoEnv

    env, batch = BatchedUnoEnv(6, QUICK, seed=3), uno_env.BatchedGames(6, QUICK, seed=3)
    tensors = env.rollout(80, break_when_any_done=False)
    obs, mask, seat = batch.reset()
    ended = 0
    for step in range(80):
        now = tensors[:, step]
        assert (now["observation"].numpy() == obs).all()
        assert (now["action_mask"].numpy() == mask).all()
        assert (now["seat"].numpy()[:, 0] == seat).all()
        obs, mask, seat, reward, done = batch.step(now["action"].numpy())
        assert (now["next", "reward"].numpy() == reward).all()
        assert (now["next", "done"].numpy()[:, 0] == done).all()
        ended += done.sum()
    assert ended > 6


def test_some_of_many_games_can_be_reset() -> None:
    import torch

    from uno_env.torchrl import BatchedUnoEnv

    env = BatchedUnoEnv(3, "duel", seed=1)
    before = env.reset()
    which = torch.tensor([[False], [True], [False]])
    after = env.reset(before.clone().set("_reset", which))
    kept = (before["observation"] == after["observation"]).all(dim=1)
    assert kept.tolist() == [True, False, True]
    env.set_seed(7)
    assert (env.reset()["observation"] == BatchedUnoEnv(3, "duel", seed=7).reset()["observation"]).all()


def _many() -> Any:
    from uno_env.torchrl import BatchedUnoEnv

    env = BatchedUnoEnv(4, QUICK, seed=3)
    env.reset()
    return env


def _shown(env: Any) -> Any:
    return env._waiting.tolist(), env.games.get_state()["games"][["rng", "to_move", "decisions"]].tolist()


def test_a_refused_action_leaves_many_games_as_they_were() -> None:
    import torch
    from tensordict import TensorDict

    env = _many()
    before = _shown(env)
    with pytest.raises(ValueError, match="action 131 is illegal in game 0"):
        env.step(TensorDict({"action": torch.full((4,), 131)}, [4]))
    assert _shown(env) == before


def test_the_code_of_the_page_runs() -> None:
    run_section("docs/howto/libraries.md", "TorchRL")


def test_the_ppo_whose_curve_the_page_shows_trains(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    verify_program_trains("PPO (TorchRL)", tmp_path, monkeypatch)
