"""What configs there are and what their keys mean: the help of ``uno train``."""

import dataclasses
import re
import shutil
import textwrap
from pathlib import Path
from typing import Any

import yaml

from train.algorithms.registry import find_algorithm
from train.cli.arguments import help_of
from train.runs.config import config_values, find_config, read_yaml, shipped_configs


def list_configs() -> list[tuple[str, str]]:
    """The shipped configs: the name, and what the comment at the top of the file says."""
    lines = []
    for name, path in shipped_configs().items():
        first = path.read_text(encoding="utf-8").partition("\n")[0]
        lines.append((name, first.removeprefix("#").strip()))
    return lines


def config_help(target: Path | None) -> str:
    """The keys of a config and what they mean, with their defaults.

    Args:
        target: a config, the name of a shipped one or a run's folder, whose algorithm it is about; None: ppo.

    Raises:
        ValueError: there is no such config.
    """
    path = None if target is None else find_config(target)
    values = {} if path is None else read_yaml(path / "config.yaml" if path.is_dir() else path)
    algorithm = str(values.get("algorithm", "ppo"))
    try:
        kind: Any = find_algorithm(algorithm).config_class
    except ValueError as error:
        raise ValueError(f"{target}: {error}") from None
    defaults, texts = config_values(kind()), help_of(kind)
    width = max(40, shutil.get_terminal_size().columns)
    lines = [f"\nkeys of {algorithm}, with their defaults (for another algorithm: uno train CONFIG --help):"]
    for field in dataclasses.fields(kind):
        lines.append(f"  --{field.name.replace('_', '-')} {_shown(defaults[field.name])}")
        text = re.sub(r":\w+:`~?([^`]+)`", r"\1", texts.get(field.name, "")).replace("``", "`")
        lines += textwrap.wrap(text, width, initial_indent=" " * 6, subsequent_indent=" " * 6)
    return "\n".join(lines) + "\n"


def _shown(value: Any) -> str:
    """A value as YAML has it, in one line."""
    return yaml.safe_dump(value, default_flow_style=True, width=1_000).removesuffix("...\n").strip()
