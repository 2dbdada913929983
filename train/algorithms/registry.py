"""The algorithms that a config can name, and how training with one is begun or gone on with."""

import importlib
from collections.abc import Callable, Mapping
from pathlib import Path

from train.runs.config import load_config, read_yaml

ALGORITHMS: dict[str, str] = {
    "ppo": "train.algorithms.ppo",
    "dmc": "train.algorithms.dmc",
    "mmd": "train.algorithms.mmd",
    "response": "train.algorithms.best_response",
    "sb3_ppo": "train.algorithms.sb3.ppo",
    "sb3_dqn": "train.algorithms.sb3.dqn",
    "sb3_qrdqn": "train.algorithms.sb3.qrdqn",
    "rllib_ppo": "train.algorithms.ray.rllib_ppo",
    "distributed_ppo": "train.algorithms.ray.distributed_ppo",
}
"""Module of each algorithm: it has ``Config``, ``check(config)``, ``train(config)`` and
``prepare_resume(folder, overrides)``."""

DEFAULT = "ppo"


def prepare_training(target: Path, overrides: Mapping[str, str]) -> Callable[[], Path]:
    """Check everything that a user gave; a function that trains and returns the run's folder.

    Args:
        target: a config, or the folder of a run to go on with.
        overrides: fields to change, their values as YAML.

    Raises:
        ValueError: something that was given is not allowed.
    """
    if target.is_dir():
        if not (target / "config.yaml").is_file():
            raise ValueError(f"{str(target)!r} is no run's folder: it lacks config.yaml")
        module = importlib.import_module(_module_of(target / "config.yaml", {}))
        return module.prepare_resume(target, overrides)
    module = importlib.import_module(_module_of(target, overrides))
    config = load_config(target, module.Config, overrides)
    module.check(config)
    return lambda: module.train(config)


def _module_of(path: Path, overrides: Mapping[str, str]) -> str:
    name = overrides.get("algorithm", read_yaml(path).get("algorithm", DEFAULT))
    if name not in ALGORITHMS:
        raise ValueError(f"{path}: algorithm={name!r} is not allowed: choose one of {', '.join(map(repr, ALGORITHMS))}")
    return ALGORITHMS[name]
