"""TorchRL's own wrapper on the PettingZoo environment, as it is (make test-adapters)."""

import warnings
from typing import Any

import pytest

import uno_env

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
