"""Configs: YAML files read into frozen dataclasses, and command-line overrides of their fields.

A config class is a frozen dataclass whose fields are made by :func:`option`; its field docstrings say what they mean.
"""

import dataclasses
import types
import typing
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import yaml

from uno_env.common.spelling import did_you_mean

_C = TypeVar("_C")


def option(
    default: Any,
    low: float | None = None,
    high: float | None = None,
    choices: Sequence[Any] | None = None,
) -> Any:
    """A field of a config class: its default, and what is allowed (for a sequence: of each of its elements)."""
    return dataclasses.field(default=default, metadata={"low": low, "high": high, "choices": choices})


def load_config(path: str | Path, cls: type[_C], overrides: Mapping[str, str] | None = None) -> _C:
    """The config in a YAML file, with fields replaced by ``overrides``, whose values are read as YAML too.

    Raises:
        ValueError: the file cannot be read, or has an unknown key, a value of the wrong type or one not allowed.
    """
    values = read_yaml(path) | parse_overrides(overrides or {})
    try:
        return make_config(cls, values)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def make_config(cls: type[_C], values: Mapping[str, Any]) -> _C:
    """A config from plain values; the others keep their defaults.

    Raises:
        ValueError: there is no such key, or a value is of the wrong type or not allowed.
    """
    fields = {field.name: field for field in dataclasses.fields(cls)}  # type: ignore[arg-type]
    hints = typing.get_type_hints(cls)
    checked = {}
    for name, value in values.items():
        if name not in fields:
            raise ValueError(f"unknown key {name!r}{did_you_mean(name, fields)}: there are {', '.join(fields)}")
        checked[name] = _checked(name, value, hints[name], fields[name].metadata)
    return cls(**checked)


def config_values(config: Any) -> dict[str, Any]:
    """All fields of a config as plain values for YAML and JSON, the inverse of :func:`make_config`."""
    return {name: _plain(value) for name, value in dataclasses.asdict(config).items()}


def save_config(config: Any, path: Path) -> None:
    """Write all fields of a config as YAML."""
    path.write_text(yaml.safe_dump(config_values(config), sort_keys=False, allow_unicode=True))


def read_yaml(path: str | Path) -> dict[str, Any]:
    """The mapping in a YAML file.

    Raises:
        ValueError: the file cannot be read, or holds something else.
    """
    try:
        values = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise ValueError(f"{path}: this config cannot be read ({error.strerror})") from None
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"{path}: this config is not YAML ({' '.join(str(error).split())})") from None
    if values is None:
        return {}
    if not isinstance(values, dict) or not all(isinstance(name, str) for name in values):
        raise ValueError(f"{path}: this config is not a mapping from names to values")
    return values


def parse_overrides(overrides: Mapping[str, str]) -> dict[str, Any]:
    """Values of fields given on the command line, where ``-`` in a name stands for ``_``.

    Raises:
        ValueError: a text is not YAML.
    """
    return {name.replace("-", "_"): parse_value(name, text) for name, text in overrides.items()}


def parse_value(name: str, text: str) -> Any:
    """The value of a command-line override, read as YAML.

    Raises:
        ValueError: the text is not YAML.
    """
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError:
        raise ValueError(f"{name}={text!r} is not allowed: it is not YAML") from None


def _checked(name: str, value: Any, hint: Any, limits: Mapping[str, Any]) -> Any:
    """The value as the hinted type, if it is allowed."""
    converted = _converted(value, hint)
    elements = converted if isinstance(converted, tuple) else (converted,)
    if converted is _REFUSED or not all(_is_within(element, limits) for element in elements):
        raise ValueError(f"{name}={value!r} is not allowed: choose {_allowed(hint, limits)}")
    return converted


_REFUSED = object()


def _converted(value: Any, hint: Any) -> Any:
    """The value as the hinted type: lists become tuples, and ``1e6``, a text in YAML, a number."""
    if isinstance(hint, types.UnionType):
        candidates = [_converted(value, part) for part in hint.__args__]
        return next((candidate for candidate in candidates if candidate is not _REFUSED), _REFUSED)
    if typing.get_origin(hint) is tuple:
        if not isinstance(value, list | tuple):
            return _REFUSED
        elements = tuple(_converted(element, hint.__args__[0]) for element in value)
        return _REFUSED if _REFUSED in elements else elements
    if hint in (int, float):
        return _number(value, hint)
    hint = typing.get_origin(hint) or hint
    return value if isinstance(value, hint) else _REFUSED


def _number(value: Any, kind: type) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return _REFUSED
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return _REFUSED
    if number != number or (kind is int and not number.is_integer()):
        return _REFUSED
    if kind is int:
        return value if isinstance(value, int) else int(number)
    return number


def _is_within(value: Any, limits: Mapping[str, Any]) -> bool:
    if limits.get("choices") is not None and value not in limits["choices"]:
        return False
    if isinstance(value, int | float) and not isinstance(value, bool):
        low, high = limits.get("low"), limits.get("high")
        return (low is None or value >= low) and (high is None or value <= high)
    return True


_WORDS = {int: "a whole number", float: "a number", str: "a text", bool: "true or false", type(None): "null"}


def _allowed(hint: Any, limits: Mapping[str, Any]) -> str:
    if isinstance(hint, types.UnionType):
        return " or ".join(_allowed(part, limits) for part in hint.__args__)
    if typing.get_origin(hint) is tuple:
        return f"a list, each element {_allowed(hint.__args__[0], limits)}"
    if limits.get("choices") is not None:
        return f"one of {', '.join(map(repr, limits['choices']))}"
    low, high = limits.get("low"), limits.get("high")
    words = _WORDS.get(hint, "a mapping")
    if hint not in (int, float) or (low is None and high is None):
        return words
    if low is None or high is None:
        return f"{words}, {f'{high:g} or less' if low is None else f'{low:g} or more'}"
    return f"{words} from {low:g} to {high:g}"


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(element) for element in value]
    return dict(value) if isinstance(value, Mapping) else value
