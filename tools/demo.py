"""``python -m tools.demo``: the whole way from a config to a policy that one can play against, for ``make demo``."""

import dataclasses
import itertools
import json
import shlex
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar

from msgspec import Meta

from agents.policy.policy_file import load_policy, save_policy
from agents.zoo.shipped import shipped_for
from train.algorithms.registry import prepare_training
from train.cli.arguments import Changes, Command
from train.cli.errors import run_errors, user_input
from train.cli.evaluating import print_evaluations
from train.cli.program import Program
from train.common.options import Deals, File
from train.common.processes import cores
from train.common.progress import progress_bar
from train.evaluation.duplicate import Evaluation, evaluate
from train.runs.config import SHIPPED, read_yaml
from uno_env.common.files import read_json, write_json
from uno_env.rules import Rules

CONFIG = SHIPPED / "demo.yaml"
OPPONENTS = ("random", "random-play", "highest-points", "greedy")
DEALS = 10_000


def prepare(config_file: Path = CONFIG, overrides: Mapping[str, str] | None = None) -> Callable[[], Path]:
    """Check everything that a user gave; a function that trains in a new run folder, and returns it.

    The function raises SystemExit with code 130 after Ctrl-C, and says how to finish the demo.

    Raises:
        ValueError: the config cannot be used.
    """
    values = {**read_yaml(config_file), **(overrides or {})}
    base, name = Path(str(values.get("folder", "runs"))), str(values.get("name", "demo"))
    names = itertools.chain([name], (f"{name}-{number}" for number in itertools.count(2)))
    name = next(each for each in names if not (base / each).exists())
    train = prepare_training(config_file, {**(overrides or {}), "name": json.dumps(name)})
    return lambda: _until_stopped(train, base / name)


def prepare_resume(folder: Path) -> Callable[[], Path]:
    """Likewise to go on with a demo's run where it stopped. Raises ValueError if there is no run to go on with."""
    if not folder.is_dir():
        raise ValueError(f"{str(folder)!r} is no run's folder: there is no such folder")
    train = prepare_training(folder, {})
    return lambda: _until_stopped(train, folder)


def _until_stopped(train: Callable[[], Path], folder: Path) -> Path:
    try:
        return train()
    except SystemExit:
        print(f"To go on and then finish the demo: {finish_command(folder)}")
        raise


def measure(folder: Path, deals: int = DEALS, seed: int = 1) -> list[Evaluation]:
    """Evaluate a run's policy against scripted agents and those shipped for its rules; the results are kept in its
    folder and its card.

    Raises:
        KeyboardInterrupt: with a sentence that says how to go on.
    """
    path = folder / "policy.safetensors"
    weights, card = load_policy(path)
    rules = Rules.from_dict(card.rules)
    results = []
    try:
        for opponent in (*OPPONENTS, *shipped_for(rules)):
            with progress_bar(f"{folder.name} against {opponent}", deals * rules.players) as progress:
                result = evaluate(str(path), opponent, rules, deals, seed, threads=cores(), progress=progress)
            results.append(dataclasses.replace(result, agent=folder.name))
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"Interrupted. To finish the demo: {finish_command(folder)}") from None
    values = [result.to_dict() for result in results]
    save_policy(path, weights, dataclasses.replace(card, evaluation=values))
    write_json(folder / "evaluation.json", values)
    return results


def plot(folder: Path) -> list[Path]:
    """Draw a run's learning curve into its folder. Returns the files; none if it was never evaluated while training."""
    from train.plots.runs import plot_runs
    from train.plots.style import learning_curves

    return plot_runs([folder], folder / "learning_curve") if learning_curves(folder) else []


def summary(folder: Path) -> str:
    """Tell the time that the training took, in one sentence."""
    table = read_json(folder / "table.json")
    minutes, seconds = divmod(round(table["seconds"]), 60)
    return (
        f"Trained for {table['decisions']:,} decisions in {minutes} min {seconds} s: "
        f"{table['decisions_per_second']:,} decisions a second, evaluations included."
    )


def next_commands(folder: Path) -> list[str]:
    """The commands to play against a run's policy, and to look at its curves."""
    return [
        shlex.join([program("uno"), "play", str(folder / "policy.safetensors")]),
        shlex.join([program("tensorboard"), "--logdir", str(folder)]),
    ]


def finish_command(folder: Path) -> str:
    """The command that resumes a demo."""
    return shlex.join([program(Path(sys.executable).name), "-m", "tools.demo", "--resume", str(folder)])


def program(name: str) -> str:
    """The word that calls a program of this Python's environment from here: by name if that finds it, else by path."""
    path = Path(sys.executable).with_name(name)
    found = shutil.which(name)
    if found is not None and Path(found) == path:
        return name
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)


@dataclass(frozen=True, kw_only=True)
class Demo(Command):
    """Train on configs/demo.yaml, evaluate, plot, and show how to play against the result."""

    needs: ClassVar = ("matplotlib",)

    config: File | None = None
    """another config to train on"""
    resume: Annotated[Path, Meta(title="RUN")] | None = None
    """resume the run of a demo that was stopped"""
    deals: Deals = 10_000
    """deals of each evaluation, played once from every seat"""
    changes: Changes
    """any key of the config can be changed"""

    def run(self) -> None:
        with user_input():
            if self.resume is None:
                start = prepare(self.config or CONFIG, self.changes)
            elif self.config is not None or self.changes:
                raise ValueError("--resume goes on with a run as it is: give no config and no other keys")
            else:
                start = prepare_resume(self.resume)
        with run_errors():
            folder = start()
        print(summary(folder))
        print_evaluations(measure(folder, self.deals))
        print("Policy, evaluation and curve:")
        for file in (folder / "policy.safetensors", folder / "evaluation.json", *plot(folder)):
            print(f"  {file}")
        play, board = next_commands(folder)
        print(f"Play against it:    {play}\nLook at its curves: {board}")


PROGRAM = Program("python -m tools.demo", "Train on configs/demo.yaml, and measure the policy.", "tools.demo:Demo")

if __name__ == "__main__":
    sys.exit(PROGRAM.main())
