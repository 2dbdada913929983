"""tools/training_speed.py: all learners run, and the figures hang together."""

import inspect
import json

import pytest

from tools import training_speed
from train.algorithms.ppo import PPOConfig
from train.algorithms.sb3.ppo import SB3PPO

pytestmark = pytest.mark.adapters

PEERS = ("maskable_ppo", "maskable_ppo_defaults")


def test_all_are_measured_in_the_same_terms(monkeypatch, capsys):
    for name, value in {"SB3_GAMES": 8, "SB3_STEPS": 16, "SB3_DEFAULT_GAMES": 1}.items():
        monkeypatch.setattr(training_speed, name, value)
    monkeypatch.setitem(training_speed.SB3_DEFAULTS, "num_steps", 128)
    config = PPOConfig(num_envs=32, num_steps=16, minibatch_size=64, hidden=(16,), threads=1, precision="float32")
    result = training_speed.compare(config, repeats=3, seconds=0.0)
    json.dumps(result)
    ours = result["ppo"]
    assert ours["decisions_per_second"] == ours["learner_decisions_per_second"]
    assert sorted(ours["turns"])[1] == ours["decisions_per_second"]
    assert result["ratio"].keys() == set(PEERS)
    for name in PEERS:
        theirs = result[name]
        assert theirs["decisions_per_second"] > 1.3 * theirs["learner_decisions_per_second"]
        assert len(theirs["turns"]) == 3
        for measure, ratio in result["ratio"][name].items():
            assert ratio == ours[measure] / theirs[measure]
    training_speed.show(result)
    printed = capsys.readouterr().out
    for label in ("our hyperparameters", "its own defaults", "10 epochs in minibatches of 64"):
        assert label in printed
    for name in PEERS:
        assert f"{result['ratio'][name]['learner_decisions_per_second']:.1f}" in printed


@pytest.fixture
def config():
    return PPOConfig(n_epochs=3, minibatch_size=128, learning_rate=5e-4, gae_lambda=0.9, clip_range=0.3, ent_coef=0.02,
                     vf_coef=0.4, max_grad_norm=0.6, hidden=(16, 8), seed=5)  # fmt: skip


def test_one_learns_with_our_hyperparameters(config):
    with SB3PPO(training_speed.like(config, config.game_rules())) as peer:
        model = peer.model
    assert (model.n_epochs, model.batch_size, model.gae_lambda) == (3, 128, 0.9)
    assert (model.ent_coef, model.vf_coef, model.max_grad_norm) == (0.02, 0.4, 0.6)
    assert (model.lr_schedule(1.0), model.clip_range(1.0)) == (5e-4, 0.3)


def test_one_learns_with_its_own_defaults(config):
    from sb3_contrib import MaskablePPO

    defaults = {name: each.default for name, each in inspect.signature(MaskablePPO).parameters.items()}
    with SB3PPO(training_speed.with_defaults(config, config.game_rules())) as peer:
        model = peer.model
    for name in ("n_steps", "batch_size", "n_epochs", "gae_lambda", "ent_coef", "vf_coef", "max_grad_norm"):
        assert getattr(model, name) == defaults[name]
    assert (model.lr_schedule(1.0), model.clip_range(1.0)) == (defaults["learning_rate"], defaults["clip_range"])


def test_the_networks_have_the_same_weights(config):
    shapes = []
    with training_speed.PPO(config) as learner:
        shapes.append(sorted(tuple(weight.shape) for weight in learner.network.parameters()))
    for make in (training_speed.like, training_speed.with_defaults):
        with SB3PPO(make(config, config.game_rules())) as peer:
            shapes.append(sorted(tuple(weight.shape) for weight in peer.model.policy.parameters()))
    assert shapes[0] == shapes[1] == shapes[2]
