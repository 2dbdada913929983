"""The parts of learning and measuring that :mod:`uno_env.warm_up` compiles: :data:`PARTS`."""

import json
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from uno_env.rules import Rules

SMALL = {"total_timesteps": 256, "num_envs": 4, "num_steps": 32, "minibatch_size": 128, "hidden": [8], "eval_deals": 4}
"""A config's changes that make a run as short as it can be."""


def _evaluations() -> None:
    from train.evaluation.duplicate import evaluate
    from train.evaluation.luck.values import values_for

    evaluate("zoo:duel-2p", "greedy", "duel", 4, 1, luck=values_for(Rules.preset("duel")))


def _exact_solutions() -> None:
    from train.evaluation.exact.solver import solve

    with tempfile.TemporaryDirectory() as folder:
        solve(Rules.preset("mini"), Path(folder), iterations=1)


def _training() -> None:
    import torch  # noqa: F401  # without it, this part is left out

    from train.algorithms.registry import prepare_training
    from train.runs.config import SHIPPED

    with tempfile.TemporaryDirectory() as folder:
        changes = {**SMALL, "folder": folder, "name": "warm-up", "threads": 1, "device": "cpu"}
        prepare_training(SHIPPED / "ppo" / "duel-2p.yaml", {key: json.dumps(value) for key, value in changes.items()})()


PARTS: Mapping[str, Callable[[], None]] = {
    "evaluations": _evaluations,
    "exact solutions": _exact_solutions,
    "training": _training,
}
"""The parts, each compiled by doing a little of it."""
