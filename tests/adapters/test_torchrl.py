"""TorchRL: its own wrapper on the PettingZoo environment, and our view of many games (make test-adapters)."""

import warnings
from pathlib import Path
from typing import Any

import pytest

import uno_env
from tests.helpers.doors import Door, verify_door
from tests.helpers.foreign_programs import verify_program_trains
from tests.helpers.pages import run_section

torch = pytest.importorskip("torch")
torchrl = pytest.importorskip("torchrl.envs", reason="TorchRL is not installed: make test-adapters")
from torchrl.envs.utils import check_env_specs  # noqa: E402

from uno_env.torchrl import BatchedUnoEnv, random_policy  # noqa: E402

pytestmark = pytest.mark.adapters
QUICK = {"preset": "duel", "hand_size": 3, "voluntary_draw": False}
"""Rules under which random play soon goes out."""


def wrapped(**arguments: Any) -> Any:
    """The environment in TorchRL's wrapper."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # TorchRL names the version of PettingZoo that it was tested with
        return torchrl.PettingZooWrapper(uno_env.env(**arguments), use_mask=True)


def test_its_own_check_of_specs() -> None:
    check_env_specs(wrapped(rules="duel"))


@pytest.mark.parametrize(
    "arguments",
    [
        {"rules": QUICK},
        {"rules": {**QUICK, "preset": "house"}, "players": 4, "history": 6},
        {"rules": {**QUICK, "preset": "no_mercy"}, "players": 3, "history": 6},
        {"rules": {**QUICK, "preset": "flip"}, "players": 3, "history": 6},
        {"rules": {**QUICK, "preset": "classic"}, "players": 3, "encoding": "planes", "obs_dtype": "uint8"},
    ],
)
def test_random_rollouts_to_the_end(arguments: dict[str, Any]) -> None:
    env = wrapped(**arguments)
    env.set_seed(3)
    torch.manual_seed(3)  # of the actions
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
    [
        {"rules": "duel"},
        {"rules": "house", "players": 4, "history": 5, "obs_dtype": "uint8"},
        {"rules": "no_mercy"},
        {"encoding": "planes"},
    ],
)
def test_many_games_pass_its_own_check_of_specs(arguments: dict[str, Any]) -> None:
    check_env_specs(BatchedUnoEnv(5, **arguments))


def _games() -> Any:
    return BatchedUnoEnv(8, QUICK, seed=0)


def _counted() -> Any:
    return torchrl.TransformedEnv(_games(), torchrl.StepCounter())


def _collected(env: Any, policy: Any, **options: Any) -> Any:
    from torchrl.collectors import Collector

    (data,) = Collector(env, policy, frames_per_batch=320, total_frames=320, **options)
    return data


def _random(make: Any, policy: Any = None) -> Any:
    return make().rollout(40, policy, break_when_any_done=False)


DRAWN = {
    "the games": lambda policy: _random(_games),
    "StepCounter": lambda policy: _random(_counted),
    "RewardSum": lambda policy: _random(lambda: torchrl.TransformedEnv(_games(), torchrl.RewardSum())),
    "SerialEnv": lambda policy: _random(lambda: torchrl.SerialEnv(2, _games), policy),
    "SerialEnv behind StepCounter": lambda policy: _random(
        lambda: torchrl.TransformedEnv(torchrl.SerialEnv(2, _games), torchrl.StepCounter()), policy
    ),
    "ParallelEnv": lambda policy: _random(lambda: torchrl.ParallelEnv(2, _counted, mp_start_method="fork"), policy),
    "Collector": lambda policy: _collected(_counted(), policy),
    "the first frames of Collector": lambda policy: _collected(_counted(), policy, init_random_frames=320),
    "Collector of SerialEnv": lambda policy: _collected(torchrl.SerialEnv(2, _games), policy),
}
"""Ways of TorchRL to random actions; those that ask no environment are given a policy."""


@pytest.mark.parametrize("way", DRAWN)
def test_random_actions_are_legal_however_the_games_are_wrapped(way: str) -> None:
    data = DRAWN[way](random_policy)
    assert data["action_mask"].gather(-1, data["action"].unsqueeze(-1)).all()
    assert data["next", "done"].any()


def test_an_action_can_be_drawn_without_data() -> None:
    env = _games()
    shown = env.reset()
    drawn = env.rand_action()
    assert list(drawn.keys()) == ["action"]
    assert shown["action_mask"].gather(-1, drawn["action"].unsqueeze(-1)).all()


def test_the_door_is_as_the_page_says() -> None:
    def opened(**rules: Any) -> Door:
        env = BatchedUnoEnv(1, **rules)
        told = [env.reset()]

        def step(action: int) -> Any:
            after = env.step(told[0].set("action", torch.tensor([action])))["next"]
            told[0] = after.exclude("reward", "done", "terminated")
            return after["reward"][0].numpy(), bool(after["done"].all())

        return Door(env.games.rules, lambda: {"data": told[0], "observation": told[0]["observation"].numpy()}, step)

    verify_door("uno_env.torchrl.BatchedUnoEnv", opened)


def test_many_games_go_on_as_those_of_a_batch() -> None:
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
    env = BatchedUnoEnv(3, "duel", seed=1)
    before = env.reset()
    which = torch.tensor([[False], [True], [False]])
    after = env.reset(before.clone().set("_reset", which))
    kept = (before["observation"] == after["observation"]).all(dim=1)
    assert kept.tolist() == [True, False, True]
    env.set_seed(7)
    assert (env.reset()["observation"] == BatchedUnoEnv(3, "duel", seed=7).reset()["observation"]).all()


def _many() -> Any:
    env = BatchedUnoEnv(4, QUICK, seed=3)
    env.reset()
    return env


def _shown(env: Any) -> Any:
    return env._waiting.tolist(), env.games.get_state()["games"][["rng", "to_move", "decisions"]].tolist()


def test_a_refused_action_leaves_many_games_as_they_were() -> None:
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
