"""uno_env/envs/sb3_player.py: a model of SB3 plays with the numbers that it was trained on."""

from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from sb3_contrib import QRDQN, MaskablePPO, RecurrentPPO
from stable_baselines3 import A2C, DQN, PPO
from stable_baselines3.common.vec_env import VecMonitor, VecNormalize

from train.evaluation.duplicate import evaluate
from uno_env.core.arrays import Array
from uno_env.player import as_player
from uno_env.sb3 import ModelPlayer, UnoVecEnv

SMALL: dict[str, Any] = {"policy_kwargs": {"net_arch": [16]}, "seed": 0}


def masked_model(env: Any, policy: str = "MlpPolicy") -> MaskablePPO:
    """A model with random weights that differ from action to action."""
    model = MaskablePPO(policy, env, n_steps=8, batch_size=32, **SMALL)
    for parameter in model.policy.action_net.parameters():
        parameter.data.normal_()
    return model


def played(env: UnoVecEnv, steps: int) -> None:
    """Play on for some decisions, so that the games differ."""
    for _ in range(steps):
        env.step(env.action_masks().argmax(axis=1))


def own_choice(model: Any, env: UnoVecEnv) -> Array:
    """What the model chooses on the observations of its environment, as ids of the table."""
    chosen, _ = model.predict(env.observe(), action_masks=env.action_masks(), deterministic=True)
    return env.tables[0].real_actions(np.arange(env.num_envs), chosen)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"obs_dtype": "uint8"},
        {"encoding": "planes"},
        {"symmetry": True},
        {"symmetry": True, "history": 3, "obs_dtype": "uint8"},
        {"mask_in_observation": True, "rules": "house", "players": 4},
    ],
)
def test_it_sees_what_its_environment_showed(options: dict[str, Any], tmp_path: Path) -> None:
    env = UnoVecEnv(32, **options, seed=1)
    several = "history" in options or "mask_in_observation" in options
    model = masked_model(VecMonitor(env), "MultiInputPolicy" if several else "MlpPolicy")
    player = as_player(ModelPlayer(model))
    env.reset()
    played(env, 6)
    games = env.tables[0]
    histories = (games.histories(),) if player.history else ()
    expected = own_choice(model, env)
    assert (player.act_batch(games.rows, games.mask, *histories) == expected).all()
    model.save(tmp_path / "model")
    loaded = ModelPlayer(MaskablePPO.load(tmp_path / "model"), symmetry=options.get("symmetry"))
    assert (loaded.act_batch(games.rows, games.mask, *histories) == expected).all()


def test_normalised_observations_stay_normalised() -> None:
    env = UnoVecEnv(32, seed=1)
    normalised = VecNormalize(env)
    model = masked_model(normalised)
    normalised.reset()
    played(env, 6)
    normalised.obs_rms.mean[:] = np.linspace(-1, 1, len(normalised.obs_rms.mean))
    seen = normalised.normalize_obs(env.observe())
    expected, _ = model.predict(seen, action_masks=env.action_masks(), deterministic=True)
    assert (ModelPlayer(model).act_batch(env.tables[0].rows, env.tables[0].mask) == expected).all()


@pytest.mark.parametrize("kind", [PPO, A2C, DQN, QRDQN])
def test_models_that_know_no_mask_take_the_best_legal_action(kind: Any) -> None:
    env = gymnasium.make("uno_env/Uno-v0")
    options = {"buffer_size": 100} if kind in (DQN, QRDQN) else {}
    player = ModelPlayer(kind("MlpPolicy", env, **SMALL, **options))
    result = evaluate(player, "random-play", "starter", deals=4)
    assert (result.agent, result.games) == (kind.__name__, 8)


def test_it_is_an_opponent_too() -> None:
    model = masked_model(UnoVecEnv(4, seed=0))
    env = UnoVecEnv(4, opponents=[ModelPlayer(model, name="mine")], seed=0)
    env.reset()
    played(env, 5)


def test_a_model_that_cannot_play_is_refused_in_a_sentence() -> None:
    with pytest.raises(ValueError, match=r"PPO has the actions Discrete\(2\): a player of this game has 132"):
        ModelPlayer(PPO("MlpPolicy", "CartPole-v1"))
    env = gymnasium.make("uno_env/Uno-v0")
    with pytest.raises(ValueError, match="RecurrentPPO remembers the hand it is in"):
        ModelPlayer(RecurrentPPO("MlpLstmPolicy", env))
    stacked = gymnasium.wrappers.FrameStackObservation(env, 2)
    with pytest.raises(ValueError, match="which are no observations of this game"):
        ModelPlayer(PPO("MlpPolicy", gymnasium.wrappers.FlattenObservation(stacked)))
