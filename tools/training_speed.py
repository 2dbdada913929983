"""``python -m tools.training_speed``: our PPO and SB3's MaskablePPO, on the same games with the same network.

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
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, TypeVar

import numpy as np
import numpy.typing as npt
from msgspec import Meta

from tools.speed.engine import Turn, take_turns
from train.algorithms.parts.config import resolve_precision
from train.algorithms.ppo import PPO, PPOConfig
from train.cli.arguments import Changes, Measured, Measuring
from train.cli.errors import user_input
from train.cli.program import Program
from train.common.options import Count, File
from train.common.processes import cores, torch_threads
from train.common.table import MarkdownTable, show_lines
from train.runs.config import make_config, parse_overrides, read_yaml
from train.runs.run_config import RunConfig
from uno_env.rules import Rules

if TYPE_CHECKING:
    from train.algorithms.sb3.ppo import SB3PPO, SB3PPOConfig

_C = TypeVar("_C")

SB3_GAMES, SB3_STEPS = 256, 64
"""Sizes that gave MaskablePPO its highest speed with our hyperparameters on two cores, of 64 to 2,048 games."""

SB3_DEFAULTS: dict[str, Any] = {
    "num_steps": 2048,
    "minibatch_size": 64,
    "n_epochs": 10,
    "learning_rate": 3e-4,
    "gae_lambda": 0.95,
    "clip_range": 0.2,
    "ent_coef": 0.0,
    "vf_coef": 0.5,
    "max_grad_norm": 0.5,
}
"""The defaults of MaskablePPO's signature, under our names."""

SB3_DEFAULT_GAMES = 8
"""Of which the signature says nothing: with 4 MaskablePPO was slower by these, with 16 no faster."""

OPPONENT = "random-play"

LABELS = {
    "ppo": "PPO by self-play",
    "maskable_ppo": "SB3's MaskablePPO, our hyperparameters",
    "maskable_ppo_defaults": "SB3's MaskablePPO, its own defaults",
}

MEASURES = ("decisions_per_second", "learner_decisions_per_second")


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
    from train.algorithms.sb3.ppo import SB3PPO

    rules, threads = config.game_rules(), config.threads or cores()
    config = replace(config, threads=threads, precision=resolve_precision(config.precision, config.device))
    peers = {
        "maskable_ppo": SB3PPO(like(config, rules)),
        "maskable_ppo_defaults": SB3PPO(with_defaults(config, rules)),
    }
    with PPO(config) as learner:
        turns = {
            "ppo": _turn(learner, 1, lambda: [learner.decisions] * 2),
            **{name: _sb3_turn(peer, threads) for name, peer in peers.items()},
        }
        speeds = take_turns(turns, repeats, seconds)
    configs: dict[str, RunConfig] = {"ppo": config, **{name: peer.config for name, peer in peers.items()}}
    results = {
        name: _medians(rows) | {"hyperparameters": _hyperparameters(configs[name])} for name, rows in speeds.items()
    }
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


def like(config: PPOConfig, rules: Rules) -> "SB3PPOConfig":
    """MaskablePPO with the hyperparameters of PPO's config."""
    names = ("n_epochs", "minibatch_size", "learning_rate", "gae_lambda", "clip_range", "ent_coef", "vf_coef",
             "max_grad_norm")  # fmt: skip
    chosen = {name: getattr(config, name) for name in names}
    return replace(_sb3_config(config, rules), num_envs=SB3_GAMES, num_steps=SB3_STEPS, **chosen)


def with_defaults(config: PPOConfig, rules: Rules) -> "SB3PPOConfig":
    """MaskablePPO with its own, but for the discount, which is 1 here: a hand's reward comes at its end."""
    return replace(_sb3_config(config, rules), num_envs=SB3_DEFAULT_GAMES, **SB3_DEFAULTS)


def _sb3_config(config: PPOConfig, rules: Rules) -> "SB3PPOConfig":
    from train.algorithms.sb3.ppo import SB3PPOConfig

    return SB3PPOConfig(
        rules=rules.to_dict(), hidden=config.hidden, threads=config.threads, seed=config.seed, opponents=(OPPONENT,)
    )


def show(result: dict[str, Any]) -> None:
    """Print a result of :func:`compare`; ratios are PPO's speed by that of a line."""
    rows = []
    for name, label in LABELS.items():
        row, ratio = result[name], result["ratio"].get(name)
        figures = [cell for each in MEASURES for cell in (f"{row[each]:,.0f}", f"{ratio[each]:.1f}" if ratio else "")]
        rows.append([label, *figures, f"{min(row['turns']):,.0f} – {max(row['turns']):,.0f}"])
    title = (
        f"Training speed: {result['hidden']} hidden units, {result['threads']} threads, median of {result['repeats']}"
    )
    headings = ("", "decisions/s", "ratio", "learner's/s", "ratio", "lowest – highest turn")
    MarkdownTable(title, headings, rows).show()
    show_lines([f"{label}: {_sizes(result[name]['hyperparameters'])}" for name, label in LABELS.items()])


def _hyperparameters(config: RunConfig) -> dict[str, Any]:
    names = ("num_envs", "num_steps", "n_epochs", "minibatch_size", "learning_rate")
    return {"precision": getattr(config, "precision", "float32"), **{name: getattr(config, name) for name in names}}


def _sizes(values: dict[str, Any]) -> str:
    return (
        f"{values['precision']}, {values['num_envs']} games × {values['num_steps']} steps, "
        f"{values['n_epochs']} epochs in minibatches of {values['minibatch_size']}"
    )


def _turn(learner: "PPO | SB3PPO", threads: int, decisions: Callable[[], list[int]]) -> Turn:
    """A turn that trains once with ``threads`` of torch's; its decisions: all seats', and the learner's, int64 [2]."""

    def turn() -> npt.NDArray[np.int64]:
        before = np.array(decisions(), np.int64)
        with torch_threads(threads):
            learner.iterate(0.0)
        return np.array(decisions(), np.int64) - before

    return turn


def _sb3_turn(learner: "SB3PPO", threads: int) -> Turn:
    return _turn(learner, threads, lambda: [learner.env.decisions, learner.env.learner_decisions])


def _medians(rows: list[npt.NDArray[np.float64]]) -> dict[str, Any]:
    every, learners = np.array(rows).T.tolist()
    return {**dict(zip(MEASURES, map(statistics.median, (every, learners)), strict=True)), "turns": every}


@dataclass(frozen=True)
class TrainingSpeedPlan:
    """Measure the training speed of PPO beside SB3's MaskablePPO, in the same game with the same network. MaskablePPO
    is measured with PPO's hyperparameters and with its own."""

    repeats: Count = 5
    """times that each is measured"""
    seconds: Annotated[float, Meta(ge=0)] = 5
    """seconds of each measurement"""


def load_config(path: str | Path, cls: type[_C], overrides: Mapping[str, Any] | None = None) -> _C:
    """The config in a YAML file, with fields replaced by ``overrides``."""
    values = read_yaml(path) | parse_overrides(overrides or {})
    try:
        return make_config(cls, values)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


@dataclass(frozen=True, kw_only=True)
class TrainingSpeed(Measuring):
    """``python -m tools.training_speed``."""

    needs: ClassVar = ("sb3_contrib",)
    config: File | None = None
    """a config of ppo (default: its default values)"""
    plan: TrainingSpeedPlan
    changes: Changes
    """any key of the config can be changed, such as --threads 1 or --hidden '[64, 64]'"""

    def run(self) -> Measured:
        with user_input():
            if self.config is None:
                config = make_config(PPOConfig, parse_overrides(self.changes))
            else:
                config = load_config(self.config, PPOConfig, self.changes)
            config.check()
        measured = compare(config, self.plan.repeats, self.plan.seconds)
        return Measured({"training": measured}, partial(show, measured))


PROGRAM = Program(
    "python -m tools.training_speed",
    "Training speed of PPO, beside SB3's MaskablePPO.",
    "tools.training_speed:TrainingSpeed",
)

if __name__ == "__main__":
    sys.exit(PROGRAM.main())
