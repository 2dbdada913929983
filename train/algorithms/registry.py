"""The algorithms that a config can name, and how training with one begins or continues."""

import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from train.runs.config import find_config, load_config, read_yaml
from train.runs.learner import Learner
from train.runs.run import reopen_run, start_run
from train.runs.run_config import RunConfig


@dataclass(frozen=True)
class Algorithm:
    """Where an algorithm is; its module is imported when one of the classes is first asked for."""

    module: str
    config_name: str
    learner_name: str

    @property
    def config_class(self) -> type[Any]:
        """The class of its configs, a :class:`train.runs.run_config.RunConfig`."""
        return pkgutil.resolve_name(f"{self.module}:{self.config_name}")

    @property
    def learner_class(self) -> Callable[[Any], Learner]:
        """What makes its learner from a config."""
        return pkgutil.resolve_name(f"{self.module}:{self.learner_name}")


ALGORITHMS = {
    "ppo": Algorithm("train.algorithms.ppo", "PPOConfig", "PPO"),
    "dmc": Algorithm("train.algorithms.dmc", "DMCConfig", "DMC"),
    "mmd": Algorithm("train.algorithms.mmd", "MMDConfig", "MMD"),
    "response": Algorithm("train.algorithms.ppo", "ResponseConfig", "PPO"),
    "sb3_ppo": Algorithm("train.algorithms.sb3.ppo", "SB3PPOConfig", "SB3PPO"),
    "sb3_dqn": Algorithm("train.algorithms.sb3.dqn", "SB3DQNConfig", "SB3DQN"),
    "sb3_qrdqn": Algorithm("train.algorithms.sb3.dqn", "SB3QRDQNConfig", "SB3QRDQN"),
    "rllib_ppo": Algorithm("train.algorithms.ray.rllib_ppo", "RLlibConfig", "RLlibPPO"),
    "distributed_ppo": Algorithm("train.algorithms.ray.distributed_ppo", "DistributedConfig", "DistributedPPO"),
}


def train(config: RunConfig) -> Path:
    """Train a policy in a new run, with the algorithm that a config names; the run's folder.

    Raises:
        ValueError: the config cannot be used here.
        RunError, SystemExit: see :meth:`train.runs.run.Run.train`.
    """
    config.check()
    config = config.resolved()
    with ALGORITHMS[config.algorithm].learner_class(config) as learner:
        return start_run(config).train(learner)


def prepare_training(target: Path, overrides: Mapping[str, str]) -> Callable[[], Path]:
    """Check everything that a user gave; a function that trains and returns the run's folder.

    Args:
        target: a config or the name of a shipped one, or the folder of a run to continue.
        overrides: fields to change, their values as YAML.

    Raises:
        ValueError: something that was given is not allowed.
    """
    target = find_config(target)
    if target.is_dir():
        if not (target / "config.yaml").is_file():
            raise ValueError(f"{str(target)!r} is no run's folder: it lacks config.yaml")
        algorithm = _algorithm_of(target / "config.yaml", {})
        config, run, arrays, values = reopen_run(target, algorithm.config_class, overrides)
        config.check()

        def resume() -> Path:
            with algorithm.learner_class(config) as learner:
                learner.set_state(arrays, values)
                return run.train(learner)

        return resume
    algorithm = _algorithm_of(target, overrides)
    config = load_config(target, algorithm.config_class, overrides)
    config.check()
    return lambda: train(config)


def _algorithm_of(path: Path, overrides: Mapping[str, str]) -> Algorithm:
    name = overrides.get("algorithm", read_yaml(path).get("algorithm", "ppo"))
    if name not in ALGORITHMS:
        raise ValueError(f"{path}: algorithm={name!r} is not allowed: choose one of {', '.join(map(repr, ALGORITHMS))}")
    return ALGORITHMS[name]
