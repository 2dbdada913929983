"""The speed of our environments: the programs that are measured, and the way they are.

Everything is measured in turns in one process, so that whatever else the machine does touches all alike. *Decisions*
are those of all seats, chosen uniformly among the legal ones.
"""

import statistics
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from uno_env import BatchedGames, Game, raw_env

Turn = Callable[[], Any]
"""Does some work, and returns how much: a number, or an array of several counts."""


def take_turns(
    turns: Mapping[str, Turn], repeats: int, seconds: float, done: Callable[[], object] = lambda: None
) -> dict[str, list[Any]]:
    """Work a second of each, for every turn but the first, which is not counted.

    Args:
        turns: what is measured, by name.
        repeats: turns of each that count.
        seconds: length of a turn at least.
        done: called after every turn.
    """
    speeds: dict[str, list[Any]] = {name: [] for name in turns}
    for repeat in range(repeats + 1):
        for name, turn in turns.items():
            speed = speed_of(turn, seconds if repeat else 0.0)
            if repeat:
                speeds[name].append(speed)
            done()
    return speeds


def speed_of(turn: Turn, seconds: float) -> Any:
    """Work a second, of turns that take ``seconds`` together, or of one turn if it takes longer."""
    work, began = 0, time.perf_counter()
    while True:
        work = work + turn()
        elapsed = time.perf_counter() - began
        if elapsed >= seconds:
            return work / elapsed


# --- the environments -------------------------------------------------------------------------------------------------

GAMES, MANY = 4096, 65_536
"""Games side by side, and where threads share them, since waking one takes as long as many games."""
BATCH_STEPS = 8
PLAYOUTS = 500

RUNNERS: dict[str, str] = {
    "duel_uint8": "BatchedGames.step, duel, uint8",
    "duel_float32": "BatchedGames.step, duel, float32",
    "house4_uint8": "BatchedGames.step, house rules, 4 players, uint8",
    "many_threads": "BatchedGames.step, duel, uint8, 65,536 games, 2 threads",
    "many": "BatchedGames.step, duel, uint8, 65,536 games",
    "raw_env": "PettingZoo raw_env, step + last",
    "playouts": "Game.playouts, rlcard preset",
}
"""The measurements. Playouts are counted in whole games, all else in decisions."""


def env_turns(seed: int) -> dict[str, Turn]:
    """The turns of all that is measured, by the names of :data:`RUNNERS`."""
    return {
        "duel_uint8": batch_turn(GAMES, "duel", 2, seed),
        "duel_float32": batch_turn(GAMES, "duel", 2, seed, obs_dtype="float32"),
        "house4_uint8": batch_turn(GAMES, "house", 4, seed),
        "many_threads": batch_turn(MANY, "duel", 2, seed, threads=2),
        "many": batch_turn(MANY, "duel", 2, seed),
        "raw_env": _raw_env_turn(seed),
        "playouts": _playouts_turn(seed),
    }


def batch_turn(games: int, rules: str, players: int, seed: int, **options: Any) -> Turn:
    """Steps of a batch, in decisions."""
    batch = BatchedGames(games, rules, seed, players=players, **{"obs_dtype": "uint8", **options})
    batch.reset()

    def turn() -> int:
        for _ in range(BATCH_STEPS):
            batch.step(batch.sample_actions())
        return BATCH_STEPS * games

    return turn


def _raw_env_turn(seed: int) -> Turn:
    env, rng = raw_env("duel"), np.random.default_rng(seed)
    env.reset(seed=seed)

    def turn() -> int:
        for uniform in rng.random(1000).tolist():
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.reset()
                observation = env.last()[0]
            legal = observation["action_mask"].nonzero()[0]
            env.step(int(legal[int(uniform * len(legal))]))
        return 1000

    return turn


def _playouts_turn(seed: int) -> Turn:
    seeds = iter(range(seed, 2**63))

    def turn() -> int:
        number = next(seeds)
        Game("rlcard", seed=number).playouts(PLAYOUTS, seed=number)
        return PLAYOUTS

    return turn


def medians(speeds: Mapping[str, list[float]]) -> dict[str, dict[str, Any]]:
    """The ``median`` and the ``turns`` of each, in decisions (playouts: games) a second."""
    return {name: {"median": statistics.median(rates), "turns": rates} for name, rates in speeds.items()}
