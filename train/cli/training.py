"""Training: ``uno train``."""

import re
import shlex
import shutil
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any, ClassVar

import yaml
from msgspec import Meta

from agents.policy.policy_file import policy_path
from agents.trust import OPTION
from train.algorithms.registry import find_algorithm, follow, prepare_training
from train.cli.arguments import Changes, Command, help_of
from train.cli.errors import run_errors, user_input
from train.common import replicas
from train.common.table import show_lines, show_list
from train.runs.callbacks import Callback
from train.runs.config import config_values, find_config, read_yaml, shipped_configs
from train.runs.trackers import Tracker


@dataclass(frozen=True, kw_only=True)
class Train(Command):
    """Train a policy on a config, or resume a run."""

    positional: ClassVar = ("target",)

    target: Annotated[Path, Meta(title="CONFIG")] | None = None
    """a YAML file, the name of a shipped config such as ppo_duel-2p, or the folder of a run to resume (default: list
    the shipped configs)"""
    trust_code: bool = False
    """take from the config, or from that of the run, also code (file.py:Name), addresses (chat:) and agents that see
    all hands: code runs with your rights, so read what somebody else wrote first"""
    wandb: bool = False
    """send the config and all figures to Weights & Biases (extra wandb)"""
    mlflow: bool = False
    """send the config and all figures to MLflow (extra mlflow)"""
    changes: Changes
    """any key of the config can be changed (in a resumed run, some of them)"""

    @classmethod
    def more_help(cls, arguments: Sequence[str]) -> str:
        """The keys of the configs of an algorithm: that of the config that is named, or ppo."""
        words = [each for each in arguments if not each.startswith("-")]
        with user_input():
            return config_help(Path(words[0]) if words else None, OPTION in arguments)

    def run(self) -> None:
        with replicas.joined():
            if replicas.rank():
                with run_errors():
                    follow()
            else:
                self._train()

    def _train(self) -> None:
        if self.target is None and not self.changes:
            show_lines(["Name a config, a YAML file of your own, or the folder of a run to resume: uno train CONFIG\n"])
            show_list(list_configs())
            return
        with user_input():
            if self.target is None:
                raise ValueError("name a config: `uno train` lists those there are")
            start = prepare_training(self.target, self.changes, self.trust_code, callbacks=self._trackers())
        with run_errors():
            folder = start()
        policy = policy_path(folder)
        named = shlex.quote(str(policy))
        print(f"The policy is {policy}\nPlay against it: uno play {named}")
        print(f"Measure it: uno evaluate {named} --against greedy")

    def _trackers(self) -> list[Callback]:
        """The callbacks that the options ask for. Raises ModuleNotFoundError if one's library is not installed."""
        return [Tracker(library) for library in ("wandb", "mlflow") if getattr(self, library)]


def list_configs() -> list[tuple[str, str]]:
    """The shipped configs: the name, and what the comment at the top of the file says."""
    lines = []
    for name, path in shipped_configs().items():
        first = path.read_text(encoding="utf-8").partition("\n")[0]
        lines.append((name, first.removeprefix("#").strip()))
    return lines


def config_help(target: Path | None, trust_code: bool = False) -> str:
    """The keys of a config, what they mean, and their values (None: those of ppo). Raises ValueError if it is none, or
    its algorithm is code that is not trusted.
    """
    path = None if target is None else find_config(target)
    values = {} if path is None else read_yaml(path / "config.yaml" if path.is_dir() else path)
    algorithm = str(values.get("algorithm", "ppo"))
    try:
        kind: Any = find_algorithm(algorithm, trust_code).config_class
    except ValueError as error:
        raise ValueError(f"{target}: {error}") from None
    shown, texts = config_values(kind()) | values, help_of(kind)
    width = max(40, shutil.get_terminal_size().columns)
    values_of = "defaults (for a config: uno train CONFIG --help)" if target is None else f"values in {target}"
    lines = [f"\nkeys of {algorithm}, with their {values_of}:"]
    for field in fields(kind):
        lines.append(f"  --{field.name.replace('_', '-')} {_shown(shown[field.name])}")
        text = re.sub(r":\w+:`~?([^`]+)`", r"\1", texts.get(field.name, "")).replace("``", "`")
        lines += textwrap.wrap(text, width, initial_indent=" " * 6, subsequent_indent=" " * 6)
    return "\n".join(lines) + "\n"


def _shown(value: Any) -> str:
    """A value as YAML has it, in one line."""
    return yaml.safe_dump(value, default_flow_style=True, width=1_000).removesuffix("...\n").strip()
