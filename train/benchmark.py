"""Training speed side by side: our PPO and SB3's MaskablePPO, on the same games with the same network.

Both train in turns in one process, so that whatever else the machine does touches both, and medians are compared. The
network is the same: the same columns of the observation, the same hidden layers under a policy head and a value head;
only SB3's policy head has an output for every action of the catalogue. Each is given the sizes of batches that suit it.

*Decisions* are those of all seats, forced ones included; *learner's decisions* those of seats that learn from them. In
self-play every seat learns, so the two are the same number. MaskablePPO learns for one seat, and ``random-play``, which
costs next to nothing, decides for the others: their decisions count as decisions, and not as the learner's.
"""

import statistics
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from rich.console import Console
from rich.table import Table
from torch import Tensor, nn

from train.learner import resolve_precision
from train.ppo import PPO, PPOConfig
from train.workers import cores
from uno_env.observation import OBSERVATION_SIZE
from uno_env.rules import Rules, as_rules

SB3_GAMES, SB3_STEPS, SB3_BATCH = 256, 64, 4096
"""Sizes that gave MaskablePPO its highest speed on two cores, of 64 to 2,048 games."""

OPPONENT = "random-play"

Turn = Callable[[], tuple[int, int]]
"""Trains once; decisions of all seats, and the learner's."""


def benchmark_training(
    rules: Rules | str = "duel",
    hidden: tuple[int, ...] = (256, 256),
    repeats: int = 5,
    seconds: float = 5.0,
    threads: int = 0,
    seed: int = 0,
) -> dict[str, Any]:
    """Measure both with the default config of PPO but for ``rules``, ``hidden``, ``threads`` and ``seed``.

    See :func:`compare` for the rest.
    """
    config = PPOConfig(rules=as_rules(rules).to_dict(), hidden=hidden, threads=threads, seed=seed)
    return compare(config, repeats, seconds)


def compare(config: PPOConfig, repeats: int = 5, seconds: float = 5.0) -> dict[str, Any]:
    """Measure both.

    Args:
        config: rules, network, learning and threads.
        repeats: turns of each, after one that is not counted; medians are taken over them.
        seconds: length of a turn at least; it ends with the iteration.

    Returns:
        Plain values for JSON: the settings; for ``ppo`` and ``maskable_ppo`` the medians in decisions a second, of all
        seats and of the learner, and the former for every turn; under ``ratio`` the one's medians by the other's.
    """
    rules, threads = config.game_rules(), config.threads or cores()
    config = replace(config, threads=threads, precision=resolve_precision(config.precision, config.device))
    outer_threads = torch.get_num_threads()
    with PPO(config) as learner:
        turns = {"ppo": _ppo_turn(learner), "maskable_ppo": _sb3_turn(learner, rules, config)}
        speeds: dict[str, list[tuple[float, float]]] = {name: [] for name in turns}
        try:
            for repeat in range(repeats + 1):
                for name, turn in turns.items():
                    torch.set_num_threads(1 if name == "ppo" else threads)
                    speed = _time_turn(turn, seconds if repeat else 0.0)
                    if repeat:
                        speeds[name].append(speed)
        finally:
            torch.set_num_threads(outer_threads)
    results = {name: _medians(rows) for name, rows in speeds.items()}
    return {
        "rules": rules.to_dict(),
        "hidden": list(config.hidden),
        "threads": threads,
        "precision": config.precision,
        "repeats": repeats,
        "seconds": seconds,
        **results,
        "ratio": {
            name: results["ppo"][name] / results["maskable_ppo"][name]
            for name in ("decisions_per_second", "learner_decisions_per_second")
        },
    }


def print_benchmark(result: dict[str, Any], console: Console | None = None) -> None:
    """Show a result of :func:`benchmark_training` as a table."""
    precision, threads = result["precision"], result["threads"]
    table = Table(
        title=f"Training speed: {result['hidden']} hidden units, {threads} threads, median of {result['repeats']}"
    )
    for heading in ("", "decisions/s", "learner's decisions/s", "lowest – highest turn"):
        table.add_column(heading, justify="left" if not heading else "right")
    for name, label in (("ppo", f"PPO by self-play, {precision}"), ("maskable_ppo", "SB3's MaskablePPO, float32")):
        row = result[name]
        span = f"{min(row['turns']):,.0f} – {max(row['turns']):,.0f}"
        table.add_row(label, f"{row['decisions_per_second']:,.0f}", f"{row['learner_decisions_per_second']:,.0f}", span)
    ratio = result["ratio"]
    table.add_row("ratio", f"{ratio['decisions_per_second']:.1f}", f"{ratio['learner_decisions_per_second']:.1f}", "")
    (console or Console()).print(table)


def _ppo_turn(learner: PPO) -> Turn:
    def turn() -> tuple[int, int]:
        before = learner.decisions
        learner.iterate(0.0)
        return learner.decisions - before, learner.decisions - before

    return turn


def _sb3_turn(learner: PPO, rules: Rules, config: PPOConfig) -> Turn:
    from sb3_contrib import MaskablePPO

    from uno_env.sb3 import UnoVecEnv

    env = UnoVecEnv(SB3_GAMES, rules, [OPPONENT], seed=config.seed)
    model = MaskablePPO(
        "MlpPolicy",
        env,
        learning_rate=config.learning_rate,
        n_steps=SB3_STEPS,
        batch_size=SB3_BATCH,
        n_epochs=config.epochs,
        gamma=1.0,
        gae_lambda=config.gae_lambda,
        ent_coef=config.entropy,
        seed=config.seed,
        device="cpu",
        policy_kwargs={
            "net_arch": [],
            "features_extractor_class": trunk_class(),
            "features_extractor_kwargs": {"columns": learner.network.columns, "hidden": config.hidden},
        },
    )

    def turn() -> tuple[int, int]:
        decisions, learners = env.decisions, model.num_timesteps
        model.learn(SB3_GAMES * SB3_STEPS, reset_num_timesteps=False)
        return env.decisions - decisions, model.num_timesteps - learners

    return turn


def trunk_class() -> type:
    """The hidden layers of :class:`train.network.Network`, as SB3 wants them: an extractor of features."""
    from stable_baselines3.common.torch_layers import BaseFeaturesExtractor

    class Trunk(BaseFeaturesExtractor):
        def __init__(self, space: spaces.Box, columns: Iterable[int], hidden: tuple[int, ...]) -> None:
            super().__init__(space, hidden[-1])
            assert space.shape == (OBSERVATION_SIZE,)
            self.columns = torch.as_tensor(np.array(columns))
            sizes = [len(self.columns), *hidden]
            layers = [nn.Linear(size, outputs) for size, outputs in zip(sizes, hidden, strict=False)]
            self.layers = nn.Sequential(*(part for layer in layers for part in (layer, nn.ReLU())))

        def forward(self, observations: Tensor) -> Tensor:
            features: Tensor = self.layers(observations.index_select(1, self.columns))
            return features

    return Trunk


def _time_turn(turn: Turn, seconds: float) -> tuple[float, float]:
    """Decisions a second of all seats, and the learner's."""
    decisions = learners = 0
    began = time.perf_counter()
    while True:
        more, mine = turn()
        decisions, learners = decisions + more, learners + mine
        elapsed = time.perf_counter() - began
        if elapsed >= seconds:
            return decisions / elapsed, learners / elapsed


def _medians(rows: list[tuple[float, float]]) -> dict[str, Any]:
    every, learners = zip(*rows, strict=True)
    return {
        "decisions_per_second": statistics.median(every),
        "learner_decisions_per_second": statistics.median(learners),
        "turns": list(every),
    }
