"""train/benchmark.py: both learners run, and the figures hang together."""

import io
import json

import pytest
from rich.console import Console

from train import benchmark
from train.ppo import PPOConfig
from uno_env.actions import NUM_ACTIONS

pytestmark = pytest.mark.adapters


def test_both_are_measured_in_the_same_terms(monkeypatch):
    for name, value in {"SB3_GAMES": 8, "SB3_STEPS": 16, "SB3_BATCH": 64}.items():
        monkeypatch.setattr(benchmark, name, value)
    config = PPOConfig(num_games=32, steps=16, hidden=(16,), threads=1, precision="float32")
    result = benchmark.compare(config, repeats=3, seconds=0.0)
    json.dumps(result)
    ours, theirs = result["ppo"], result["maskable_ppo"]
    assert ours["decisions_per_second"] == ours["learner_decisions_per_second"]
    assert theirs["decisions_per_second"] > 1.3 * theirs["learner_decisions_per_second"]
    assert sorted(ours["turns"])[1] == ours["decisions_per_second"]
    assert len(theirs["turns"]) == 3
    assert result["ratio"]["decisions_per_second"] == ours["decisions_per_second"] / theirs["decisions_per_second"]
    output = io.StringIO()
    benchmark.print_benchmark(result, Console(file=output, width=120))
    assert "MaskablePPO" in output.getvalue()


def test_the_networks_have_the_same_weights(monkeypatch):
    from sb3_contrib import MaskablePPO

    made = []
    learn = MaskablePPO.learn
    monkeypatch.setattr(MaskablePPO, "learn", lambda model, *args, **options: made.append(model) or learn(model, 1))
    monkeypatch.setattr(benchmark, "SB3_GAMES", 4)
    config = PPOConfig(num_games=4, steps=4, hidden=(16, 8), threads=1, precision="float32")
    with benchmark.PPO(config) as learner:
        benchmark._sb3_turn(learner, config.game_rules(), config)()
        shapes = sorted(tuple(weight.shape) for weight in learner.network.parameters())
    catalogue = sorted(tuple(weight.shape) for weight in made[0].policy.parameters())
    ours = [shape for shape in shapes if len(learner.network.actions) not in shape]
    assert ours == [shape for shape in catalogue if NUM_ACTIONS not in shape]
