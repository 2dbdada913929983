"""The algorithms that a config can name, and how training with one begins or continues."""

import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from train.runs.config import find_config, make_config, parse_overrides, read_yaml
from train.runs.learner import Learner, RunError
from train.runs.run import reopen_run, start_run
from train.runs.run_config import RunConfig
from train.runs.run_folder import checkpoints
from uno_env.common.spelling import did_you_mean
from uno_env.common.validation import short_repr


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
        if not (target / "config.yaml").is_file() and not checkpoints(target):
            raise ValueError(f"{str(target)!r} is no run's folder: it lacks config.yaml")
        run, arrays, values = reopen_run(target, lambda saved: _algorithm_of(saved).config_class, overrides)

        def resume() -> Path:
            with ALGORITHMS[run.config.algorithm].learner_class(run.config) as learner:
                try:
                    learner.set_state(arrays, values)
                except (KeyError, IndexError, RuntimeError, TypeError, ValueError) as error:
                    reason = " ".join(f"{type(error).__name__}: {error}".split())
                    raise RunError(
                        f"the newest checkpoint in {str(target)!r} does not fit its config.yaml, or is damaged "
                        f"({reason}): delete it to go on from the one before"
                    ) from error
                return run.train(learner)

        return resume
    values = read_yaml(target) | parse_overrides(overrides)
    try:
        config: RunConfig = make_config(_algorithm_of(values).config_class, values)
    except ValueError as error:
        raise ValueError(f"{target}: {error}") from None
    config.check()
    return lambda: train(config)


def _algorithm_of(values: Mapping[str, Any]) -> Algorithm:
    name = values.get("algorithm", "ppo")
    if not isinstance(name, str) or name not in ALGORITHMS:
        known = f"{did_you_mean(name, ALGORITHMS)}: choose one of {', '.join(map(repr, ALGORITHMS))}"
        raise ValueError(f"algorithm={short_repr(name)} is not allowed{known}")
    return ALGORITHMS[name]
