"""Figures of benchmarks that are saved in the repository, and the tables of the README that are made from them.

``python -m train.benchmarks.saved_figures FILE`` saves the figures of a file that ``uno benchmark agents`` or
``algorithms`` wrote with ``--json`` beside this module, those of algorithms track by track; ``uno benchmark speed
--json train/benchmarks/env_speed.json`` writes its own. ``python -m tests.project.readme`` writes the README's tables.
"""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from train.benchmarks import algorithms_report, env_speed, ladder
from train.benchmarks.tracks import TRACKS
from uno_env.common.files import write_json

FOLDER = Path(__file__).parent
LADDER, ALGORITHMS, SPEED = "ladder.json", "algorithms.json", "env_speed.json"


def save(file: Path, folder: Path = FOLDER) -> None:
    """Save the figures of what a benchmark wrote.

    Raises:
        ValueError: the file holds neither a ladder nor a benchmark of algorithms.
    """
    try:
        values = json.loads(file.read_text(encoding="utf-8"))
        command = {"command": values["command"]}
        if "ladder" in values:
            write_json(folder / LADDER, {**command, **ladder.figures(values["ladder"])})
            return
        figures = {**command, **algorithms_report.figures(values["algorithms"])}
        algorithms_report.markdown(figures)
    except (KeyError, TypeError, json.JSONDecodeError) as error:
        raise ValueError(f"{str(file)!r} holds no ladder and no benchmark of algorithms: {error!r}") from None
    tracks = {**_read(folder / ALGORITHMS), figures["track"]: figures}
    write_json(folder / ALGORITHMS, {name: tracks[name] for name in TRACKS if name in tracks})


def _read(file: Path) -> dict[str, Any]:
    return dict(json.loads(file.read_text(encoding="utf-8"))) if file.exists() else {}


def ladder_tables() -> str:
    """The tables of the saved ladder, with what they were made by."""
    saved = _read(FOLDER / LADDER)
    return f"{_made_by(saved)}, seed {saved['seed']}.\n\n{ladder.tables(saved)}"


def algorithms_tables(folder: Path = FOLDER) -> str:
    """The saved tables of algorithms, with what they were made by."""
    parts = []
    for figures in _read(folder / ALGORITHMS).values():
        threads = figures["machine"]["threads"]
        number = "one thread" if threads == 1 else f"{threads} threads"
        parts.append(f"{_made_by(figures)}, {number}.\n\n{algorithms_report.markdown(figures)}")
    return "\n\n".join(parts) or "Not measured yet."


def _made_by(figures: Mapping[str, Any]) -> str:
    return f"`{figures['command']}`, code of commit {figures['commit']} ({figures['date']})"


def speed_table() -> str:
    """The saved speeds of the environments."""
    return env_speed.markdown(_read(FOLDER / SPEED)["speed"])


if __name__ == "__main__":
    try:
        save(Path(sys.argv[1]))
    except (ValueError, OSError, IndexError) as error:
        sys.exit(f"train.benchmarks.saved_figures: {error}; usage: python -m train.benchmarks.saved_figures FILE")
