"""tools/rllib_ppo.py where RLlib is not installed; where it is, tests/adapters/test_rllib.py trains with it."""

import sys
from dataclasses import asdict

import numpy as np
import pytest

from tests.helpers import ROOT
from tools.rllib_ppo import RLlibConfig, policy_weights
from train.algorithms.registry import config_of, prepare_training
from train.common.suite import read_suite
from train.networks.policy_network import Network
from uno_env import Rules
from uno_env.actions import NUM_ACTIONS

CONFIG = ROOT / "tools" / "configs" / "rllib_duel.yaml"
NAME = "tools/rllib_ppo.py:RLlibPPO"


@pytest.fixture(autouse=True)
def _in_a_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


@pytest.mark.parametrize("track", ["duel-2p", "classic-2p", "classic-4p", "house-4p", "rlcard-2p"])
def test_the_benchmark_can_train_it_on_every_track(track: str) -> None:
    rules = read_suite().track(track).rules()
    config = config_of({"algorithm": NAME, "rules": rules.to_dict(), "players": None, "workers": 2})
    assert (config.algorithm, config.game_rules()) == (NAME, rules)
    assert asdict(config) == asdict(RLlibConfig(rules=rules.to_dict(), players=None, workers=2))


def test_without_rllib_one_sentence_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray.rllib", None)
    with pytest.raises(ValueError, match=rf"algorithm='{NAME}' needs RLlib, .*make test-adapters$"):
        prepare_training(CONFIG, {})


def test_our_network_has_the_weights_of_rllibs_and_the_actions_that_the_rules_leave() -> None:
    chance, network = np.random.default_rng(1), Network(Rules.preset("duel"), (5, 4))
    sizes = {
        "encoder.encoder.net.mlp.0": (5, len(network.columns)),
        "encoder.encoder.net.mlp.2": (4, 5),
        "pi.net.mlp.0": (NUM_ACTIONS, 4),
        "vf.net.mlp.0": (1, 4),
    }
    theirs = {f"{name}.weight": chance.normal(size=size).astype(np.float32) for name, size in sizes.items()}
    theirs |= {f"{name}.bias": chance.normal(size=size[0]).astype(np.float32) for name, size in sizes.items()}
    network.load_weights(policy_weights(theirs, network))
    ours = network.weights()
    assert np.array_equal(ours["trunk.0.weight"], theirs["encoder.encoder.net.mlp.0.weight"])
    assert np.array_equal(ours["trunk.1.bias"], theirs["encoder.encoder.net.mlp.2.bias"])
    assert np.array_equal(ours["value.weight"], theirs["vf.net.mlp.0.weight"])
    assert np.array_equal(ours["policy.bias"], theirs["pi.net.mlp.0.bias"][network.actions])
