"""A hand that is cut off: what its seat sees then, and that learners add the value of it to the reward."""

from typing import Any

import gymnasium
import numpy as np
import pytest

import uno_env
from uno_env import END_NAMES, BatchedGames, Rules
from uno_env.observation import LAYOUT, integer_form

CUT = Rules(players=4, max_decisions=20)
"""Nobody lays seven cards in twenty decisions of four players, so all hands are cut off."""


def check_end(observation: Any, mask: Any) -> None:
    """It is of a hand that is over: nobody is to move; and of its seat: the hand is as large as it is said to be."""
    row = integer_form(observation)
    assert not row[LAYOUT["to_move"].columns].any()
    assert row[LAYOUT["hand"].columns].sum() == row[LAYOUT["hand_sizes"].start] > 0
    assert mask is None or not mask.any()


def test_gymnasium_tells_of_the_cut_and_shows_what_the_seat_sees_then() -> None:
    env = gymnasium.make("uno_env/Uno-v0", rules=CUT)
    _, info = env.reset(seed=0)
    over = False
    while not over:
        observation, reward, terminated, truncated, info = env.step(int(info["action_mask"].argmax()))
        over = terminated or truncated
    assert (terminated, truncated, reward) == (False, True, 0)
    game: Any = env.unwrapped
    assert (observation == game.game.observe(game.seat)).all()
    check_end(observation, info["action_mask"])


def test_pettingzoo_shows_each_agent_what_it_sees_then() -> None:
    env = uno_env.env(CUT)
    env.reset(seed=0)
    told = {}
    for name in env.agent_iter():
        observation, reward, terminated, truncated, info = env.last()
        if terminated or truncated:
            assert info == {"points": 0, "winner": -1, "end": END_NAMES.index("max_decisions")}
            told[name] = (terminated, truncated, reward)
            check_end(observation["observation"], observation["action_mask"])
        env.step(None if terminated or truncated else int(observation["action_mask"].argmax()))
    assert told == dict.fromkeys(env.possible_agents, (False, True, 0))


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_the_vector_environment_shows_the_last_observation_in_both_modes(mode: str) -> None:
    envs = gymnasium.make_vec("uno_env/Uno-v0", num_envs=6, rules=CUT, autoreset_mode=mode)
    _, infos = envs.reset(seed=0)
    seen = 0
    for _ in range(12):
        observations, rewards, terminations, truncations, infos = envs.step(infos["action_mask"].argmax(axis=1))
        assert not terminations.any()
        assert not rewards.any()
        for game in np.flatnonzero(truncations):
            check_end(infos["final_obs"][game] if mode == "SameStep" else observations[game], None)
            seen += 1
    assert seen >= 6


def test_the_batch_deals_anew_and_tells_who_has_won() -> None:
    batch = BatchedGames(6, CUT, seed=0)
    batch.reset()
    for _ in range(CUT.max_decisions):
        _, _, _, reward, done = batch.step(batch.sample_actions())
    assert done.all()
    assert not reward.any()
    assert (batch.winner < 0).all()


# --- Stable-Baselines3 ------------------------------------------------------------------------------------------------


def watched_env(**options: Any) -> Any:
    """An environment of SB3 that keeps the infos of its steps as ``told``."""
    pytest.importorskip("stable_baselines3", reason="the extra sb3 is not installed")
    from uno_env.sb3 import UnoVecEnv

    class Watched(UnoVecEnv):
        told: list[Any]

        def step_wait(self) -> Any:
            result = super().step_wait()
            self.told.append(result[3])
            return result

    env = Watched(6, CUT, seed=0, **options)
    env.told = []
    return env


@pytest.mark.adapters
def test_maskable_ppo_adds_the_value_of_the_observation_after_the_cut() -> None:
    contrib = pytest.importorskip("sb3_contrib")
    env, steps = watched_env(), 12
    model = contrib.MaskablePPO("MlpPolicy", env, n_steps=steps, batch_size=36, learning_rate=0.0, gamma=0.5, seed=0)
    model.learn(6 * steps)
    cut = [(step, game) for step, infos in enumerate(env.told) for game in range(6) if infos[game]]
    assert len(cut) >= 6
    expected = np.zeros((steps, 6), np.float32)
    for step, game in cut:
        info = env.told[step][game]
        assert info["TimeLimit.truncated"]
        check_end(info["terminal_observation"], None)
        seen, _ = model.policy.obs_to_tensor(info["terminal_observation"])
        expected[step, game] = 0.5 * model.policy.predict_values(seen).item()
    assert np.abs(expected).max() > 0
    assert model.rollout_buffer.rewards == pytest.approx(expected, abs=1e-6)


@pytest.mark.adapters
def test_dqn_stores_the_observation_after_the_cut_and_no_end() -> None:
    baselines = pytest.importorskip("stable_baselines3")
    env = watched_env(illegal_action="random")
    model = baselines.DQN("MlpPolicy", env, buffer_size=600, learning_starts=10_000, seed=0)
    model.learn(6 * 30)
    cut = [(step, game) for step, infos in enumerate(env.told) for game in range(6) if infos[game]]
    cut = [(step, game) for step, game in cut if env.told[step][game]["TimeLimit.truncated"]]
    assert len(cut) >= 6
    buffer = model.replay_buffer
    for step, game in cut:
        assert (buffer.next_observations[step, game] == env.told[step][game]["terminal_observation"]).all()
        assert buffer.dones[step, game] * (1 - buffer.timeouts[step, game]) == 0
