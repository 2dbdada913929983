"""The algorithms that a config can name, and functions that begin or resume a training."""

import contextlib
import inspect
import pkgutil
import signal
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import is_dataclass
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import numpy as np
import torch

from agents.trust import Risk, is_ours, refusal, texts_in, verify_names
from train.common import replicas
from train.common.processes import torch_threads
from train.runs.callbacks import Callback, check_callbacks
from train.runs.checkpoint import check_finite
from train.runs.config import config_values, find_config, make_config, parse_overrides, read_yaml
from train.runs.learner import Learner, RunError
from train.runs.run import Run, reopen_run, start_run
from train.runs.run_config import RunConfig
from train.runs.run_folder import checkpoints
from uno_env.common.importing import import_object, names_object
from uno_env.common.spelling import did_you_mean
from uno_env.common.validation import short_repr

ENTRY_POINTS = "uno_env.algorithms"
"""Group of the entry points of learners: ``mine = "my_package:MyLearner"`` is trained as ``algorithm: mine``."""


ALGORITHMS = {
    "ppo": "train.algorithms.ppo:PPO",
    "dmc": "train.algorithms.dmc:DMC",
    "mmd": "train.algorithms.mmd:MMD",
    "response": "train.algorithms.best_response:Response",
    "sb3_ppo": "train.algorithms.sb3.ppo:SB3PPO",
    "distributed_ppo": "train.algorithms.ray.distributed_ppo:DistributedPPO",
}
"""The learners of this package; a module is imported when its learner is first asked for."""


def find_algorithm(name: object, trusted: bool = True) -> type[Any]:
    """The :class:`train.runs.learner.Learner` of a name: one of :data:`ALGORITHMS`, one that an installed package
    offers by an entry point of the group :data:`ENTRY_POINTS`, or ``module:Class`` or ``path/to/file.py:Class`` for
    one's own, if the name is ``trusted`` (:mod:`agents.trust`). Raises ValueError if there is no such algorithm, it is
    no learner, or it is code that is not trusted.
    """
    if isinstance(name, str) and name in ALGORITHMS:
        return pkgutil.resolve_name(ALGORITHMS[name])
    offered = {entry.name: entry.value for entry in entry_points(group=ENTRY_POINTS)}
    if not isinstance(name, str) or not (name in offered or names_object(name)):
        known = [*ALGORITHMS, *offered]
        raise ValueError(
            f"algorithm={short_repr(name)} is not allowed{did_you_mean(name, known)}: choose one of "
            f"{', '.join(map(repr, known))}, or path/to/file.py:Class for one of your own"
        )
    if not (trusted or name in offered or is_ours(name)):
        raise refusal(name, Risk.CODE, "algorithm=")
    try:
        learner: type[Learner] = import_object(offered.get(name, name))
        verify_learner(learner)
        return learner
    except ValueError as error:
        raise ValueError(f"algorithm={short_repr(name)} is not allowed: {error}") from error


def verify_learner(learner: Any) -> None:
    """Check that a user's class is a learner. Raises ValueError if it is not; the sentence names what it lacks."""
    if not isinstance(learner, type) or not issubclass(learner, Learner):
        raise ValueError(f"{short_repr(learner)} is no subclass of train.runs.learner.Learner")
    missing = sorted(getattr(learner, "__abstractmethods__", ()))
    if missing:
        raise ValueError(f"{learner.__name__} lacks {', '.join(missing)}: see train.runs.learner.Learner")
    config_class = getattr(learner, "config_class", None)
    if not isinstance(config_class, type) or not issubclass(config_class, RunConfig) or not is_dataclass(config_class):
        raise ValueError(f"{learner.__name__}.config_class must be a dataclass below train.runs.run_config.RunConfig")
    try:
        inspect.signature(learner).bind(None)
    except TypeError as error:
        raise ValueError(f"{learner.__name__} must be made from a config alone: {error}") from None


@contextlib.contextmanager
def new_learner(config: RunConfig) -> Iterator[Any]:
    """The learner of a config, for a ``with`` block; other processes of the run make theirs (:func:`follow`). Raises
    RunError if memory does not suffice there, or the algorithm has one process.
    """
    if replicas.number() > 1 and not find_algorithm(config.algorithm).has_replicas:
        raise RunError(f"algorithm={config.algorithm!r} trains in one process: start it without torchrun")
    replicas.from_first(config_values(config))
    try:
        with torch_threads(config.threads), find_algorithm(config.algorithm)(config) as learner:
            yield learner
    except MemoryError as error:
        raise RunError(" ".join(f"there is too little memory: {error}".split())) from error
    except torch.OutOfMemoryError as error:
        sizes = {name: getattr(config, name, None) for name in ("num_envs", "num_steps", "minibatch_size")}
        text = ", ".join(f"{name}={value}" for name, value in sizes.items() if value)
        raise RunError(f"the GPU has too little memory for {text}: choose less") from error


def train(config: RunConfig, callbacks: Sequence[Callback] = ()) -> Path:
    """Train a policy in a new run with the config's algorithm; return the run's folder. Raises ValueError if the config
    cannot be used here, and the errors of :meth:`train.runs.run.Run.train`.
    """
    config.check()
    config = config.resolved()
    with new_learner(config) as learner:
        least = learner.least_decisions()
        if config.total_timesteps < least:
            raise RunError(
                f"total_timesteps={config.total_timesteps} is not allowed: an iteration plays {least} decisions"
            )
        try:
            learner.begin()
        except ValueError as error:
            raise RunError(str(error)) from error
        return _train(start_run(config), learner, callbacks)


def _train(run: Run, learner: Learner, callbacks: Sequence[Callback]) -> Path:
    """Train a learner that is ready, with those of other processes."""
    if replicas.number() > 1:
        replicas.from_first(learner.get_state())
    return run.train(learner, callbacks)


def follow() -> None:
    """Train as the first process does, with its config and weights, and with other games, until it ends. These games
    are dealt anew when a run is resumed. Signals are left to the first process. Raises RunError if it was lost.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    given = replicas.from_first(None)
    if given is None:
        return
    config = config_of(given)
    try:
        with torch_threads(config.threads), find_algorithm(config.algorithm)(config) as learner:
            state = replicas.from_first(None)
            if state is None:
                return
            arrays, values = state
            rng = np.random.default_rng([config.seed, 0, replicas.rank(), values["decisions"]])
            learner.set_state(arrays, {**values, "rng_state": rng.bit_generator.state})
            learner.warm_up()
            while (progress := replicas.from_first(None)) is not None:
                learner.iterate(progress)
    except RuntimeError as error:
        raise RunError(f"process {replicas.rank()} of the run cannot go on: {' '.join(str(error).split())}") from error


def prepare_training(
    target: str | Path,
    overrides: Mapping[str, Any],
    trust_code: bool = False,
    typed: Collection[str] = (),
    callbacks: Sequence[Callback] = (),
) -> Callable[[], Path]:
    """Check a user's input, and return a function that trains and returns the run's folder.

    Args:
        target: a config, the name of a shipped one, or the folder of a run to continue.
        overrides: fields; texts are read as YAML; numbers, lists, booleans and None are taken as they are.
        trust_code: whether the config, or the run's own, may name code, addresses and agents that see all hands. It may
            have been written by somebody else, and code runs with your rights (:mod:`agents.trust`).
        typed: names of agents and algorithms that it may name in any case, as the user has typed them.
        callbacks: what is told of the start, each iteration, each evaluation and the end, and may stop the run.

    Raises:
        ValueError: something in the input is not allowed.
    """
    check_callbacks(callbacks)
    own = {*typed, *texts_in(parse_overrides(overrides))}

    def class_of(values: Mapping[str, Any]) -> type[Any]:
        if not trust_code:
            verify_names({name: value for name, value in values.items() if name != "algorithm"}, own)
        algorithm = values.get("algorithm")
        return _config_class(values, trust_code or (isinstance(algorithm, str) and algorithm in own))

    named, target = target, find_config(Path(target))
    if target.is_dir():
        if not (target / "config.yaml").is_file() and not checkpoints(target):
            raise ValueError(f"{str(target)!r} is no run's folder: it lacks config.yaml")
        run, arrays, values = reopen_run(target, class_of, overrides)

        def resume() -> Path:
            with new_learner(run.config) as learner:
                try:
                    check_finite(arrays)
                    learner.set_state(arrays, values)
                except Exception as error:  # whatever a file holds
                    reason = " ".join(f"{type(error).__name__}: {error}".split())
                    raise RunError(
                        f"the newest checkpoint in {str(target)!r} does not fit its config.yaml, or is damaged "
                        f"({reason}): delete it to go on from the one before"
                    ) from error
                return _train(run, learner, callbacks)

        return resume
    if not (saved := read_yaml(target)):
        raise ValueError(f"{named}: this config is empty: write at least one key, such as algorithm: ppo")
    values = saved | parse_overrides(overrides)
    try:
        config: RunConfig = make_config(class_of(values), values)
    except ValueError as error:
        raise ValueError(f"{named}: {error}") from None
    config.check()
    return lambda: train(config, callbacks)


def config_of(values: Mapping[str, Any]) -> RunConfig:
    """The config of plain values, by its ``algorithm``. Raises ValueError if a key or a value is not allowed."""
    made: RunConfig = make_config(_config_class(values), values)
    return made


def _config_class(values: Mapping[str, Any], trusted: bool = True) -> type[Any]:
    return find_algorithm(values.get("algorithm", "ppo"), trusted).config_class
