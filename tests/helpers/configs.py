"""Configs read from files, as a run reads them."""

from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

from train.runs.config import make_config, parse_overrides, read_yaml

_C = TypeVar("_C")


def load_config(path: str | Path, cls: type[_C], overrides: Mapping[str, str] | None = None) -> _C:
    """The config in a YAML file, with fields replaced by ``overrides``, whose values are YAML, too."""
    values = read_yaml(path) | parse_overrides(overrides or {})
    try:
        return make_config(cls, values)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
