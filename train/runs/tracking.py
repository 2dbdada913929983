"""The process beside a run that sends its figures to Weights & Biases or MLflow; :class:`train.runs.trackers.Tracker`
starts it.

It reads metrics.jsonl as it grows. What could not be sent is sent later, until :data:`AFTER` seconds after the end of
the run. The standard input says what the run is, and at its end how it ended; nothing, if it was killed. What is
printed is for the user. The run's folder keeps the identifier that a service gave, so that a run that goes on goes on
there, too. This file runs as a script, and imports nothing of the project, so that it starts at once.
"""

import contextlib
import json
import os
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

PROJECT = "uno"
"""Project of Weights & Biases, or experiment of MLflow, where the environment names none."""
PAUSE, AFTER_FAILURE, AFTER = 1.0, 10.0, 600.0
"""Seconds between two looks at the file, before another try, and that are left after the end of the run."""
METRICS = "metrics.jsonl"
_MOST_VALUE = 6_000
"""Characters of a value of the config that MLflow takes."""


class Wandb:
    """Weights & Biases. A code of 0 is a run that ended by itself, or that a callback has stopped."""

    CODES: Mapping[str, int] = {"done": 0, "stopped": 0, "interrupted": 130, "failed": 1}

    def begin(self, name: str, identifier: str | None, config: Mapping[str, Any], changeable: Sequence[str]) -> str:
        """Begin a run, or go on with the one that has the identifier; its identifier."""
        import wandb

        project = os.environ.get("WANDB_PROJECT", PROJECT)
        self._run = wandb.init(project=project, name=name, id=identifier, resume="allow")
        self._run.config.update(config, allow_val_change=True)
        self._run.define_metric("*", step_metric="decisions")
        return str(self._run.id)

    def log(self, figures: Mapping[str, float], decisions: int) -> None:
        """Send the figures after ``decisions`` decisions."""
        self._run.log({**figures, "decisions": decisions})

    def finish(self, end: str) -> None:
        """Say how the run ended: a :data:`train.runs.callbacks.End`, or nothing if it was killed."""
        self._run.finish(exit_code=self.CODES.get(end, 137))


class Mlflow:
    """MLflow. It does not let parameters change: the fields that may be others when a run goes on are tags."""

    STATES: Mapping[str, str] = {"done": "FINISHED", "stopped": "FINISHED", "failed": "FAILED"}

    def begin(self, name: str, identifier: str | None, config: Mapping[str, Any], changeable: Sequence[str]) -> str:
        """Same as :meth:`Wandb.begin`."""
        import mlflow

        remote = mlflow.get_tracking_uri().startswith(("http", "databricks"))
        with contextlib.nullcontext() if remote else _one_at_a_time():
            return self._begin(mlflow, name, identifier, config, changeable)

    def _begin(
        self, mlflow: Any, name: str, identifier: str | None, config: Mapping[str, Any], changeable: Sequence[str]
    ) -> str:
        self._entities, self._client = mlflow.entities, mlflow.MlflowClient()
        values = {key: str(value)[:_MOST_VALUE] for key, value in config.items()}
        if identifier is None:
            experiment = mlflow.set_experiment(os.environ.get("MLFLOW_EXPERIMENT_NAME", PROJECT))
            identifier = str(self._client.create_run(experiment.experiment_id, run_name=name).info.run_id)
            params = [self._entities.Param(key, value) for key, value in values.items() if key not in changeable]
            self._client.log_batch(identifier, params=params)
        self._client.log_batch(identifier, tags=[self._entities.RunTag(key, values[key]) for key in changeable])
        self._client.update_run(identifier, status="RUNNING")
        self._identifier = identifier
        return identifier

    def log(self, figures: Mapping[str, float], decisions: int) -> None:
        """Same as :meth:`Wandb.log`; a character that MLflow does not allow in a name becomes ``_``."""
        now = int(1000 * time.time())
        metrics = [
            self._entities.Metric(re.sub(r"[^\w\-. :/]", "_", tag), figure, now, decisions)
            for tag, figure in figures.items()
        ]
        self._client.log_batch(self._identifier, metrics=metrics)

    def finish(self, end: str) -> None:
        """Same as :meth:`Wandb.finish`."""
        self._client.set_terminated(self._identifier, self.STATES.get(end, "KILLED"))


def _one_at_a_time() -> contextlib.AbstractContextManager[Any]:
    """A lock of this user: MLflow makes a new file wrongly if several processes do it at once."""
    from filelock import FileLock

    folder = Path.home() / ".cache" / "uno_env"
    folder.mkdir(parents=True, exist_ok=True)
    return FileLock(folder / "mlflow.lock", timeout=60)


SERVICES: Mapping[str, Callable[[], Any]] = {"wandb": Wandb, "mlflow": Mlflow}
"""By the name of the library."""


def send(given: Mapping[str, Any], ended: threading.Event, ends: Sequence[str]) -> None:
    """Send what a run measures until it has ended, and then how, which ``ends`` holds by then.

    What fails is tried again; the user is told of the first failure.
    """
    service, folder, sent = SERVICES[given["library"]](), Path(given["folder"]), given["sent"]
    kept = folder / f"{given['library']}_id.txt"
    begun = told = False
    while True:
        is_over = ended.is_set()
        try:
            if not begun:
                identifier = kept.read_text(encoding="utf-8").strip() if kept.is_file() else None
                kept.write_text(service.begin(folder.name, identifier, given["config"], given["changeable"]))
                begun = True
            for line, end_of_line in lines_from(folder / METRICS, sent):
                figures = {tag: figure for tag, figure in line.items() if tag not in ("decisions", "seconds")}
                service.log(figures, line["decisions"])
                sent = end_of_line
            if is_over:
                service.finish(ends[0])
                return
            ended.wait(PAUSE)
        except Exception as error:  # each service has classes of its own, and passes on those of other libraries
            if not told:
                reason = " ".join(f"{type(error).__name__}: {error}".split())[:300]
                say(f"figures could not be sent ({reason}): they are in metrics.jsonl, and are tried again")
            told = True
            time.sleep(AFTER_FAILURE)


def lines_from(file: Path, place: int) -> Iterator[tuple[dict[str, Any], int]]:
    """The whole lines of a file from a byte on, each with the byte behind it."""
    with open(file, "rb") as lines:
        lines.seek(place)
        for line in lines:
            if line.endswith(b"\n"):
                place += len(line)
                yield json.loads(line), place


def say(sentence: str) -> None:
    """Tell the user, if the command is still there."""
    with contextlib.suppress(OSError):
        print(sentence, flush=True)


def main() -> None:
    """Send the run that the standard input tells of."""
    given, ended, ends = json.loads(sys.stdin.readline()), threading.Event(), list[str]()

    def wait() -> None:
        ends.append(sys.stdin.read())
        ended.set()
        time.sleep(AFTER)
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()
    os.environ.setdefault("WANDB_DIR", given["folder"])
    send(given, ended, ends)


if __name__ == "__main__":
    main()
