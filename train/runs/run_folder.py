"""The folder of a run: its place, its files to resume the run, and their repair after damage."""

import contextlib
import json
import math
import platform
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import torch

from train.common.console import WorkOutput
from train.common.processes import cores
from train.common.versions import versions
from train.evaluation.duplicate import Evaluation
from train.runs.checkpoint import DamagedError, load_checkpoint
from train.runs.config import parse_config, save_config
from train.runs.learner import RunError
from train.runs.run_config import RunConfig
from uno_env.common.files import read_file, read_text, reason_of, replace_file, write_json, write_text
from uno_env.common.numbers import is_whole
from uno_env.common.validation import convert, short_repr
from uno_env.core.arrays import Array
from uno_env.observation import LAYOUT_VERSION

console = WorkOutput(highlight=False, markup=False, emoji=False)

CONFIG, METRICS, CHECKPOINTS, COMMAND = "config.yaml", "metrics.jsonl", "checkpoints", "command.txt"
LARGEST_METRICS = 1 << 32
MOST_SECONDS = 10**12


def new_folder(base: Path, name: str) -> Path:
    """A folder of that name in ``base``, followed by a number if there is one already."""
    for number in range(1, 1_000_000):
        folder = base / (name if number == 1 else f"{name}-{number}")
        with contextlib.suppress(FileExistsError):
            folder.mkdir(parents=True)
            return folder
    raise ValueError(f"there is no free name like {name!r} in {base}")


def checkpoints(folder: Path) -> list[Path]:
    """The files of a run's checkpoints, the oldest first."""
    return sorted((folder / CHECKPOINTS).glob("*.safetensors"))


def newest_checkpoint(folder: Path) -> tuple[dict[str, Array], dict[str, Any]]:
    """Return the newest undamaged checkpoint; damaged ones are set aside. Raises ValueError if there is none, or it is
    of another version of the observations.
    """
    damaged: list[tuple[Path, str]] = []
    for path in reversed(checkpoints(folder)):
        try:
            loaded = load_checkpoint(path)
            _check_counts(path, loaded[1])
        except DamagedError as error:
            damaged.append((path, str(error)))
            continue
        if (version := loaded[1].get("layout_version")) != LAYOUT_VERSION:
            raise ValueError(
                f"the checkpoint {str(path)!r} has layout_version {short_repr(version)}, and this program has "
                f"{LAYOUT_VERSION}: only the version that wrote it can go on from it"
            )
        for each, reason in damaged:
            console.print(f"{reason}: going on from the one before it, {path.name}", soft_wrap=True)
            each.rename(each.with_suffix(".damaged"))
        return loaded
    if damaged:
        raise ValueError(f"{damaged[0][1]}, and no other of the run is there: start it anew")
    raise ValueError(f"{str(folder)!r} has no checkpoint to resume from")


def _check_counts(path: Path, values: Any) -> None:
    """Raise :class:`DamagedError` if the values of a checkpoint are not those of a run."""
    counts = values if isinstance(values, dict) else {}
    seconds, evaluations = counts.get("seconds"), counts.get("evaluations")
    sound = (
        is_whole(counts.get("decisions"), 0, 2**62)
        and is_whole(counts.get("choices"), 0, 2**62)
        and isinstance(seconds, int | float)
        and 0 <= seconds <= MOST_SECONDS
        and isinstance(counts.get("config"), dict)
        and isinstance(evaluations, list)
    )
    try:
        measured = [vars(convert(each, Evaluation)).values() for each in evaluations or ()] if sound else []
        sound = sound and all(math.isfinite(each) for values in measured for each in values if isinstance(each, float))
    except ValueError:
        sound = False
    if not sound:
        raise DamagedError(f"the checkpoint {str(path)!r} is damaged: it lacks the counts of a run")


def read_config(folder: Path, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values in a run's ``config.yaml``, or if that is damaged the ``values`` of its checkpoint."""
    saved: dict[str, Any] = values["config"]
    try:
        text = read_text(folder / CONFIG)
        config = parse_config(text)
        if not config or saved.keys() - config.keys() or not text.endswith("\n"):
            raise ValueError("it is cut off")
    except (OSError, ValueError) as error:
        problem = f"{folder / CONFIG} is damaged ({reason_of(error)})"
        console.print(f"{problem}: going on with the config as it was at the last checkpoint", soft_wrap=True)
        return saved
    return config


def read_metrics(folder: Path) -> list[dict[str, Any]]:
    """The lines of a run's metrics that are not damaged. Raises OSError if they cannot be read."""
    lines = []
    for line in read_file(folder / METRICS, LARGEST_METRICS).splitlines():
        with contextlib.suppress(ValueError, RecursionError):
            values = json.loads(line)
            if isinstance(values, dict) and isinstance(values.get("decisions"), int):
                lines.append(values)
    return lines


def record_start(folder: Path, config: RunConfig, decisions: int) -> None:
    """Write the files of a run that begins or goes on after ``decisions``. Later metrics are dropped."""
    save_config(config, folder / CONFIG)
    lines = read_metrics(folder) if (folder / METRICS).exists() else []
    write_text(folder / METRICS, "".join(json.dumps(line) + "\n" for line in lines if line["decisions"] <= decisions))
    commands = read_file(folder / COMMAND) if (folder / COMMAND).exists() else b""
    command = shlex.join([sys.executable, *sys.argv])
    replace_file(folder / COMMAND, commands + f"{command}\n".encode(errors="replace"))
    machine = {"machine": platform.platform(), "cores": cores(),
               "cpu": torch.backends.cpu.get_cpu_capability()}  # fmt: skip
    write_json(folder / "versions.json", {**versions(), **machine})


@contextlib.contextmanager
def disk_errors(folder: Path, go_on: Callable[[], str]) -> Iterator[None]:
    """Raise RunError where the run's folder cannot be written any more. The text ``go_on`` says what to do then."""
    try:
        yield
    except (ConnectionError, TimeoutError):  # of a cluster
        raise
    except OSError as error:
        if error.strerror is None:
            raise
        where = f" {str(error.filename)!r}" if error.filename else ""
        raise RunError(
            f"the run {str(folder)!r} cannot be written any more ({error.strerror}{where}): see to it that it can, "
            f"then {go_on()}"
        ) from error
