"""Configs: YAML files read into frozen dataclasses, and command-line overrides of their fields.

A config class is a frozen dataclass. The types of its fields are the allowed values
(:mod:`uno_env.common.validation`); the docstrings of its fields are the help.
"""

import dataclasses
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, TypeVar

import numpy as np
import yaml
from msgspec import Meta

from agents.policy.policy_file import MAX_LAYERS, MAX_WIDTH
from train.runs.strict_yaml import parse_yaml
from uno_env.common.files import read_text, write_text
from uno_env.common.spelling import did_you_mean
from uno_env.common.validation import convert, short_repr
from uno_env.core.record import MAX_SEATS

_C = TypeVar("_C")

PositiveInt = Annotated[int, Meta(ge=1, le=10**15)]
NonNegativeInt = Annotated[int, Meta(ge=0, le=10**15)]
NonNegativeFloat = Annotated[float, Meta(ge=0, le=1e9)]
Share = Annotated[float, Meta(ge=0, le=1)]
NumPlayers = Annotated[int, Meta(ge=2, le=MAX_SEATS)]
LayerSizes = Annotated[tuple[Annotated[int, Meta(ge=1, le=MAX_WIDTH)], ...], Meta(min_length=1, max_length=MAX_LAYERS)]
"""Sizes of hidden layers, as many and as large as a saved policy can have."""
LARGEST = 1 << 20
"""Bytes of a config's file."""

NAMES_ELSEWHERE = {
    "lr": "learning_rate",
    "timesteps": "total_timesteps",
    "n_timesteps": "total_timesteps",
    "max_steps": "total_timesteps",
    "n_envs": "num_envs",
    "n_steps": "num_steps",
    "rollout_length": "num_steps",
    "batch_size": "minibatch_size",
    "epochs": "n_epochs",
    "update_epochs": "n_epochs",
    "entropy_coef": "ent_coef",
    "clip_coef": "clip_range",
    "value_coef": "vf_coef",
    "net_arch": "hidden",
    "hidden_sizes": "hidden",
    "n_players": "players",
    "num_players": "players",
    "env": "rules",
    "env_id": "rules",
    "algo": "algorithm",
    "log_dir": "folder",
    "exp_name": "name",
    "run_name": "name",
    "num_threads": "threads",
    "eval_freq": "eval_every",
    "n_eval_episodes": "eval_deals",
    "save_freq": "checkpoint_every",
}
"""Keys of other libraries' configs (RL Baselines3 Zoo, Stable-Baselines3, CleanRL), and what means the same here."""

_INSTALLED, _CHECKOUT = Path(__file__).parents[1] / "configs", Path(__file__).parents[2] / "configs"
SHIPPED = _INSTALLED if _INSTALLED.is_dir() else _CHECKOUT
"""The configs that come with the package: installed in ``train/configs``, in a checkout ``configs`` at the top."""


def make_config(cls: type[_C], values: Mapping[str, Any]) -> _C:
    """A config of plain values, the others at their defaults. Raises ValueError if a key or value is not allowed."""
    keys = [field.name for field in dataclasses.fields(cls)]  # type: ignore[arg-type]
    for key in values:
        meant = NAMES_ELSEWHERE.get(key)
        if key not in keys and meant in keys:
            raise ValueError(f"unknown key {key!r} (did you mean {meant!r}?)")
    return convert(dict(values), cls)


def config_values(config: Any) -> dict[str, Any]:
    """All fields of a config as plain values for YAML and JSON, the inverse of :func:`make_config`."""
    return {name: _plain(value) for name, value in dataclasses.asdict(config).items()}


def save_config(config: Any, path: Path) -> None:
    """Write all fields of a config as YAML, atomically."""
    write_text(path, yaml.safe_dump(config_values(config), sort_keys=False, allow_unicode=True))


def read_yaml(path: str | Path) -> dict[str, Any]:
    """The mapping in a YAML file. Raises ValueError if the file holds something else."""
    try:
        text = read_text(path, LARGEST)
    except OSError as error:
        raise ValueError(f"{path}: this config cannot be read ({error.strerror})") from None
    except ValueError as error:
        raise ValueError(f"{path}: this config is not YAML ({error})") from None
    try:
        return parse_config(text)
    except ValueError as error:
        raise ValueError(f"{path}: this config is {error}") from None


def parse_config(text: str) -> dict[str, Any]:
    """The mapping in a YAML text. Raises ValueError, which completes "this config is …"."""
    try:
        values = parse_yaml(text)
    except ValueError as error:
        raise ValueError(f"not YAML ({error})") from None
    if values is None:
        return {}
    if not isinstance(values, dict) or not all(isinstance(name, str) for name in values):
        raise ValueError("not a mapping from names to values")
    return values


def parse_overrides(overrides: Mapping[str, Any]) -> dict[str, Any]:
    """Values of ``--key value``: a text is read as YAML. Other plain values are taken as they are, as a sweep in Python
    gives them. Raises ValueError if a text is not YAML, or a value is not plain.
    """
    values = {}
    for option, value in overrides.items():
        if not isinstance(option, str):
            raise ValueError(f"the key {short_repr(option)} is not allowed: a key of a config is a text")
        name = option.replace("-", "_")
        if not isinstance(value, str):
            values[name] = _of_python(name, value)
            continue
        try:
            values[name] = parse_yaml(value)
        except ValueError as error:
            raise ValueError(f"{name}={short_repr(value)} is not allowed: it is not YAML ({error})") from None
    return values


def _of_python(name: str, value: Any) -> Any:
    """A value of Python as YAML would give it: NumPy's become Python's, and ``1e6`` is a whole number."""
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, list | tuple):
        return [_of_python(name, element) for element in value]
    if isinstance(value, Mapping):
        return {key: _of_python(name, element) for key, element in value.items()}
    raise ValueError(
        f"{name}={short_repr(value)} is not allowed: give a text, a number, true or false, None, a list or a mapping"
    )


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(element) for element in value]
    return dict(value) if isinstance(value, Mapping) else value


def shipped_configs() -> dict[str, Path]:
    """The shipped configs by name, sorted: ``ppo_duel-2p`` is ``configs/ppo/duel-2p.yaml``."""
    files = sorted(SHIPPED.rglob("*.yaml"))
    return {"_".join(file.relative_to(SHIPPED).with_suffix("").parts): file for file in files}


def find_config(target: Path) -> Path:
    """A path that exists, of a config or a run, or else the path of the shipped config of that name.

    Raises ValueError if neither exists.
    """
    if target.exists():
        return target
    shipped = shipped_configs()
    if str(target) not in shipped:
        raise ValueError(
            f"{target}: this config cannot be read (No such file or directory){did_you_mean(target, shipped)}: "
            f"name a YAML file, or one of {', '.join(shipped)}"
        )
    return shipped[str(target)]
