"""Decisions a second that each library gets out of the game, by legal actions, in one process.

python examples/library_speed.py                     # the libraries that are installed
.venv-rllib/bin/python examples/library_speed.py     # RLlib

Seconds are those of the processor, so that other programs on the machine count little.
"""

import time
import warnings
from collections.abc import Callable, Iterator

import gymnasium
import numpy as np

import uno_env

GAMES = 1024  # that libraries with many games play at once


def random_legal(mask: np.ndarray, chance: np.random.Generator) -> int:
    return int(chance.choice(np.flatnonzero(mask)))


def batched() -> Iterator[int]:
    """The game's own batch, for comparison."""
    games = uno_env.BatchedGames(GAMES, "duel")
    games.reset()
    while True:
        games.step(games.sample_actions())
        yield GAMES


def pettingzoo() -> Iterator[int]:
    """PettingZoo: one game."""
    env, chance = uno_env.env("duel"), np.random.default_rng(0)
    while True:
        env.reset(seed=1)
        for _ in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            over = terminated or truncated
            env.step(None if over else random_legal(observation["action_mask"], chance))
            yield not over


def gymnasium_vector() -> Iterator[int]:
    """Gymnasium's vector environment: many games; the opponent's decisions do not count."""
    envs = gymnasium.make_vec("uno_env/Uno-v0", num_envs=GAMES, rules="duel", opponents=["random"])
    _, infos = envs.reset(seed=1)
    while True:
        *_, infos = envs.step(infos["action_mask"].argmax(axis=1))
        yield GAMES


def stable_baselines3() -> Iterator[int]:
    """Stable-Baselines3: many games; the opponent's decisions do not count."""
    from uno_env.sb3 import UnoVecEnv

    env = UnoVecEnv(GAMES, rules="duel", opponents=["random"], seed=0)
    env.reset()
    while True:
        env.step(env.action_masks().argmax(axis=1))
        yield GAMES


def torchrl() -> Iterator[int]:
    """TorchRL: many games."""
    from uno_env.torchrl import BatchedUnoEnv

    env = BatchedUnoEnv(GAMES, "duel")
    while True:
        env.rollout(10, break_when_any_done=False)
        yield 10 * GAMES


def tianshou() -> Iterator[int]:
    """Tianshou's wrapper of PettingZoo: one game."""
    from tianshou.env import PettingZooEnv

    env, chance = PettingZooEnv(uno_env.env("duel")), np.random.default_rng(0)
    while True:
        seen, over = env.reset(seed=1)[0], False
        while not over:
            seen, _, terminated, truncated, _ = env.step(random_legal(seen["mask"], chance))
            over = terminated or truncated
            yield 1


def rllib() -> Iterator[int]:
    """RLlib's multi-agent environment: one game."""
    from uno_env.rllib import UnoMultiAgentEnv

    env, chance = UnoMultiAgentEnv({"rules": "duel"}), np.random.default_rng(0)
    while True:
        seen, over = env.reset(seed=1)[0], False
        while not over:
            ((agent, observation),) = seen.items()
            seen, *_ = env.step({agent: random_legal(observation["action_mask"], chance)})
            over = len(seen) > 1
            yield 1


def measure(play: Callable[[], Iterator[int]], seconds: float) -> float:
    """Decisions a second of processor time, after a second of warming up."""
    steps = play()
    rate = 0.0
    for limit in (min(seconds, 1.0), seconds):
        started, decisions = time.process_time(), 0
        while (spent := time.process_time() - started) < limit:
            decisions += next(steps)
        rate = decisions / spent
    return rate


def main(seconds: float = 5.0) -> dict[str, float]:
    """Measure every library that is installed."""
    warnings.simplefilter("ignore")
    rates = {}
    for play in (batched, gymnasium_vector, stable_baselines3, torchrl, pettingzoo, tianshou, rllib):
        try:
            rates[play.__name__] = measure(play, seconds)
        except ImportError:
            continue
        print(f"{play.__name__:20} {rates[play.__name__]:12,.0f} decisions a second")
    return rates


if __name__ == "__main__":
    main()
