"""Training speed side by side: our PPO and SB3's MaskablePPO, on the same games with the same network.

All train in turns in one process, so that whatever else the machine does touches all, and medians are compared. The
network is the same: the same columns of the observation, the same hidden layers under a policy head and a value head.
MaskablePPO is set up as ``sb3_ppo`` trains (:mod:`train.algorithms.sb3.base`), and measured twice:

``maskable_ppo``
    with our hyperparameters: each decision is learnt from as often, in minibatches as large, at the same learning rate.
``maskable_ppo_defaults``
    with its own: what its signature says, ten times in minibatches of 64 above all, on few games.

*Decisions* are those of all seats, forced ones included; *learner's decisions* those of seats that learn from them. In
self-play every seat learns, so the two are the same number. MaskablePPO learns for one seat, and ``random-play``, which
costs next to nothing, decides for the others: their decisions count as decisions, and not as the learner's. Of its
decisions PPO puts those with a choice into minibatches, MaskablePPO forced ones, too.
"""

import statistics
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch
from rich.console import Console
from rich.table import Table

from train.algorithms.ppo import PPO, PPOConfig
from train.algorithms.sb3.ppo import SB3PPO, SB3PPOConfig
from train.algorithms.self_play import resolve_precision
from train.common.processes import cores
from train.runs.run_config import RunConfig
from uno_env.rules import Rules, as_rules

SB3_GAMES, SB3_STEPS = 256, 64
"""Sizes that gave MaskablePPO its highest speed with our hyperparameters on two cores, of 64 to 2,048 games."""

SB3_DEFAULTS: dict[str, Any] = {
    "steps": 2048,
    "minibatch": 64,
    "epochs": 10,
    "learning_rate": 3e-4,
    "gae_lambda": 0.95,
    "clip": 0.2,
    "entropy": 0.0,
    "value_weight": 0.5,
    "max_gradient": 0.5,
}
"""What MaskablePPO's signature says, under our names."""

SB3_DEFAULT_GAMES = 8
"""Of which the signature says nothing: with 4 MaskablePPO was slower by these, with 16 no faster."""

OPPONENT = "random-play"

LABELS = {
    "ppo": "PPO by self-play",
    "maskable_ppo": "SB3's MaskablePPO, our hyperparameters",
    "maskable_ppo_defaults": "SB3's MaskablePPO, its own defaults",
}

MEASURES = ("decisions_per_second", "learner_decisions_per_second")

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
    """Measure all with the default config of PPO but for ``rules``, ``hidden``, ``threads`` and ``seed``.

    See :func:`compare` for the rest.
    """
    config = PPOConfig(rules=as_rules(rules).to_dict(), hidden=hidden, threads=threads, seed=seed)
    return compare(config, repeats, seconds)


def compare(config: PPOConfig, repeats: int = 5, seconds: float = 5.0) -> dict[str, Any]:
    """Measure all.

    Args:
        config: rules, network, learning and threads.
        repeats: turns of each, after one that is not counted; medians are taken over them.
        seconds: length of a turn at least; it ends with the iteration.

    Returns:
        Plain values for JSON: the settings; for each of :data:`LABELS` the medians in decisions a second, of all seats
        and of the learner, the former for every turn, and the hyperparameters; under ``ratio`` for both of SB3's
        PPO's medians by its own.
    """
    rules, threads = config.game_rules(), config.threads or cores()
    config = replace(config, threads=threads, precision=resolve_precision(config.precision, config.device))
    peers = {
        "maskable_ppo": SB3PPO(like(config, rules)),
        "maskable_ppo_defaults": SB3PPO(with_defaults(config, rules)),
    }
    outer_threads = torch.get_num_threads()
    with PPO(config) as learner:
        turns = {"ppo": _ppo_turn(learner), **{name: _sb3_turn(peer) for name, peer in peers.items()}}
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
    configs: dict[str, RunConfig] = {"ppo": config, **{name: peer.config for name, peer in peers.items()}}
    results = {name: _medians(rows) | {"hyperparameters": _told(configs[name])} for name, rows in speeds.items()}
    return {
        "rules": rules.to_dict(),
        "hidden": list(config.hidden),
        "threads": threads,
        "precision": config.precision,
        "repeats": repeats,
        "seconds": seconds,
        **results,
        "ratio": {name: {each: results["ppo"][each] / results[name][each] for each in MEASURES} for name in peers},
    }


def like(config: PPOConfig, rules: Rules) -> SB3PPOConfig:
    """MaskablePPO with the hyperparameters of PPO's config."""
    names = ("epochs", "minibatch", "learning_rate", "gae_lambda", "clip", "entropy", "value_weight", "max_gradient")
    chosen = {name: getattr(config, name) for name in names}
    return replace(_sb3_config(config, rules), num_games=SB3_GAMES, steps=SB3_STEPS, **chosen)


def with_defaults(config: PPOConfig, rules: Rules) -> SB3PPOConfig:
    """MaskablePPO with its own, but for the discount, which is 1 here: a hand's reward comes at its end."""
    return replace(_sb3_config(config, rules), num_games=SB3_DEFAULT_GAMES, **SB3_DEFAULTS)


def _sb3_config(config: PPOConfig, rules: Rules) -> SB3PPOConfig:
    return SB3PPOConfig(
        rules=rules.to_dict(), hidden=config.hidden, threads=config.threads, seed=config.seed, opponents=(OPPONENT,)
    )


def print_benchmark(result: dict[str, Any], console: Console | None = None) -> None:
    """Show a result of :func:`benchmark_training` as a table; ratios are PPO's speed by that of a line."""
    threads = result["threads"]
    table = Table(
        title=f"Training speed: {result['hidden']} hidden units, {threads} threads, median of {result['repeats']}"
    )
    for heading in ("", "decisions/s", "ratio", "learner's/s", "ratio", "lowest – highest turn"):
        table.add_column(heading, justify="right" if heading else "left")
    for name, label in LABELS.items():
        row, ratio = result[name], result["ratio"].get(name)
        figures = [[f"{row[each]:,.0f}", f"{ratio[each]:.1f}" if ratio else ""] for each in MEASURES]
        span = f"{min(row['turns']):,.0f} – {max(row['turns']):,.0f}"
        table.add_row(label, *figures[0], *figures[1], span)
    console = console or Console()
    console.print(table)
    for name, label in LABELS.items():
        console.print(f"{label}: {_hyperparameters(result[name])}", highlight=False)


def _told(config: RunConfig) -> dict[str, Any]:
    names = ("num_games", "steps", "epochs", "minibatch", "learning_rate")
    return {"precision": getattr(config, "precision", "float32"), **{name: getattr(config, name) for name in names}}


def _hyperparameters(row: dict[str, Any]) -> str:
    told = row["hyperparameters"]
    return (
        f"{told['precision']}, {told['num_games']} games × {told['steps']} steps, "
        f"{told['epochs']} epochs in minibatches of {told['minibatch']}"
    )


def _ppo_turn(learner: PPO) -> Turn:
    def turn() -> tuple[int, int]:
        before = learner.decisions
        learner.iterate(0.0)
        return learner.decisions - before, learner.decisions - before

    return turn


def _sb3_turn(learner: SB3PPO) -> Turn:
    def turn() -> tuple[int, int]:
        env = learner.env
        decisions, learner_decisions = env.decisions, env.learner_decisions
        learner.iterate(0.0)
        return env.decisions - decisions, env.learner_decisions - learner_decisions

    return turn


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
