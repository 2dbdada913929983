"""Weights & Biases and MLflow: ``uno train --wandb`` and ``--mlflow``.

A process of its own (:mod:`train.runs.tracking`) sends the figures, which it reads where the run keeps them, in
metrics.jsonl. So training never waits for a service, whether it is slow, down or gone.
"""

import contextlib
import importlib.util
import json
import subprocess
import sys
import threading
from pathlib import Path

from train.runs import run_folder, tracking
from train.runs.callbacks import Callback, End
from train.runs.config import config_values
from train.runs.run_config import RunConfig

SECONDS = 10.0
"""Seconds that the end of a command waits for the last figures; then the process goes on alone."""


class Tracker(Callback):
    """Sends the config of a run, its figures, and how it ended to a service, named by its library: ``wandb`` or
    ``mlflow``. Raises ModuleNotFoundError if that is not installed.
    """

    def __init__(self, library: str) -> None:
        if importlib.util.find_spec(library) is None:
            raise ModuleNotFoundError(f"No module named {library!r}", name=library)
        self.library = library
        self.process: subprocess.Popen[str] | None = None

    def on_training_start(self, config: RunConfig, folder: Path, decisions: int) -> None:
        """Start the process, which sends the figures from now on. The training goes on if it cannot be started."""
        given = {
            "library": self.library,
            "folder": str(folder.resolve()),
            "sent": (folder / run_folder.METRICS).stat().st_size,
            "config": config_values(config),
            "changeable": config.changeable,
        }
        try:
            self.process = subprocess.Popen(
                [sys.executable, "-P", tracking.__file__],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                start_new_session=True,  # Ctrl-C is for the training alone
            )
        except OSError as error:
            self._say(f"no figures are sent ({error.strerror}): they are in metrics.jsonl")
            return
        self._tell(self.process, json.dumps(given) + "\n")
        threading.Thread(target=self._show, args=(self.process,), daemon=True).start()

    def on_training_end(self, decisions: int, end: End) -> None:
        """Tell the process how the run ended, and give it a little time for the last figures."""
        if self.process is None:
            return
        self._tell(self.process, end)
        with contextlib.suppress(OSError):
            self.process.stdin.close()  # type: ignore[union-attr]
        try:
            self.process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            self._say("not all figures are sent yet; a process in the background goes on")

    def _tell(self, process: subprocess.Popen[str], text: str) -> None:
        """Write to the process, unless it has ended."""
        with contextlib.suppress(OSError):
            process.stdin.write(text)  # type: ignore[union-attr]
            process.stdin.flush()  # type: ignore[union-attr]

    def _show(self, process: subprocess.Popen[str]) -> None:
        """Show what the process says."""
        with process.stdout as lines:  # type: ignore[union-attr]
            for line in lines:
                self._say(line.rstrip())

    def _say(self, sentence: str) -> None:
        run_folder.console.print(f"{self.library}: {sentence}", soft_wrap=True, markup=False)
