"""Configs: YAML files read into frozen dataclasses, and command-line overrides of their fields.

A config class is a frozen dataclass. The types of its fields are the allowed values
(:mod:`uno_env.common.validation`); the docstrings of its fields are the help.
"""

import dataclasses
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, TypeVar

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

RENAMED = {
    "decisions": "total_timesteps",
    "num_games": "num_envs",
    "steps": "num_steps",
    "minibatch": "minibatch_size",
    "epochs": "n_epochs",
    "clip": "clip_range",
    "entropy": "ent_coef",
    "last_entropy": "ent_coef_final",
    "entropy_shape": "ent_coef_shape",
    "value_weight": "vf_coef",
    "max_gradient": "max_grad_norm",
    "last_learning_rate": "learning_rate_final",
    "last_epsilon": "epsilon_final",
    "buffer": "buffer_size",
    "target_every": "target_update_interval",
    "exploration": "exploration_fraction",
    "quantiles": "n_quantiles",
    "magnet_weight": "magnet_coef",
}
"""Keys of older configs and run folders, and their present names."""
RENAMED_VALUES = {"critic": {"own": "shared", "all_hands": "privileged"}}
"""Values of older configs and run folders by key, and their present names."""

RENAMED_TRACKS = {
    "duel": "duel-2p",
    "classic2": "classic-2p",
    "classic4": "classic-4p",
    "house4": "house-4p",
    "rlcard": "rlcard-2p",
}
"""Tracks in the names of older versions' configs, and their present names."""
_OLD_TRACK = re.compile(rf"(?<=[_/])({'|'.join(RENAMED_TRACKS)})(?=(\.yaml)?$)")
MOVED = {
    "rllib_ppo": ("tools/rllib_ppo.py:RLlibPPO", "tools/configs/rllib_duel.yaml"),
    "sb3_dqn": ("tools/sb3_dqn.py:SB3DQN", "tools/configs/sb3_dqn_duel.yaml"),
    "sb3_qrdqn": ("tools/sb3_dqn.py:SB3QRDQN", "tools/configs/sb3_dqn_duel.yaml"),
}
"""Algorithms of older versions: the learner, and the config, that a checkout has for them."""

_INSTALLED, _CHECKOUT = Path(__file__).parents[1] / "configs", Path(__file__).parents[2] / "configs"
SHIPPED = _INSTALLED if _INSTALLED.is_dir() else _CHECKOUT
"""The configs that come with the package: installed in ``train/configs``, in a checkout ``configs`` at the top."""


def make_config(cls: type[_C], values: Mapping[str, Any]) -> _C:
    """A config of plain values, the others at their defaults. Raises ValueError if a key or value is not allowed."""
    return convert(dict(values), cls)


def config_values(config: Any) -> dict[str, Any]:
    """All fields of a config as plain values for YAML and JSON, the inverse of :func:`make_config`."""
    return {name: _plain(value) for name, value in dataclasses.asdict(config).items()}


def save_config(config: Any, path: Path) -> None:
    """Write all fields of a config as YAML, atomically."""
    write_text(path, yaml.safe_dump(config_values(config), sort_keys=False, allow_unicode=True))


def read_yaml(path: str | Path) -> dict[str, Any]:
    """The mapping in a YAML file, with old keys renamed. Raises ValueError if the file holds something else."""
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
    """The mapping in a YAML text, old keys renamed. Raises ValueError, which completes "this config is …"."""
    try:
        values = parse_yaml(text)
    except ValueError as error:
        raise ValueError(f"not YAML ({error})") from None
    if values is None:
        return {}
    if not isinstance(values, dict) or not all(isinstance(name, str) for name in values):
        raise ValueError("not a mapping from names to values")
    return renamed(values)


def renamed(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a config under the present names of keys and values. Raises ValueError if a key is there under its
    old and its new name; the message completes "this config is …".
    """
    for name in RENAMED.keys() & values.keys():
        if RENAMED[name] in values:
            raise ValueError(f"not clear: {name} is an older name of {RENAMED[name]}, give one of them")
    return _with_present_values({RENAMED.get(name, name): value for name, value in values.items()})


def parse_overrides(overrides: Mapping[str, str]) -> dict[str, Any]:
    """Values of ``--key value``. Raises ValueError if a key is an old one, or a text is not YAML."""
    given = {name.replace("-", "_"): text for name, text in overrides.items()}
    for name in given.keys() & RENAMED:
        raise ValueError(f"{name} has another name: use --{RENAMED[name]}")
    values = {}
    for name, text in given.items():
        try:
            values[name] = parse_yaml(text)
        except ValueError as error:
            raise ValueError(f"{name}={short_repr(text)} is not allowed: it is not YAML ({error})") from None
    return _with_present_values(values)


def _with_present_values(values: dict[str, Any]) -> dict[str, Any]:
    present = {name: RENAMED_VALUES[name].get(str(values[name])) for name in values.keys() & RENAMED_VALUES}
    return values | {name: value for name, value in present.items() if value is not None}


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

    Names and paths of older versions are read, too. Raises ValueError if neither exists.
    """
    renamed_target = _OLD_TRACK.sub(lambda found: RENAMED_TRACKS[found[0]], str(target))
    for path in (target, Path(renamed_target)):
        if path.exists():
            return path
    shipped = shipped_configs()
    if renamed_target not in shipped:
        if (moved := MOVED.get(renamed_target.rpartition("_")[0])) is not None:
            raise ValueError(f"{target}: this config has moved: in a checkout of the project, train {moved[1]}")
        raise ValueError(
            f"{target}: this config cannot be read (No such file or directory){did_you_mean(target, shipped)}: "
            f"name a YAML file, or one of {', '.join(shipped)}"
        )
    return shipped[renamed_target]
