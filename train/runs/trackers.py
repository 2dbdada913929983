"""Weights & Biases and MLflow as callbacks of a run: ``uno train --wandb`` and ``--mlflow``.

Both get the config, the figures of each iteration and evaluation under TensorBoard's tags, and how the run ended. Where
and as whom is theirs to know: ``wandb login``, ``WANDB_PROJECT``, ``WANDB_MODE``, ``MLFLOW_TRACKING_URI``,
``MLFLOW_EXPERIMENT_NAME``. The names that they gave to a run are kept in its folder, so that a run that goes on goes on
there, too. A server that is gone later does not end the run: a warning says so once, and metrics.jsonl has all figures.
"""

import os
import re
import time
import warnings
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from train.evaluation.duplicate import Evaluation
from train.runs.callbacks import Callback
from train.runs.config import config_values
from train.runs.learner import RunError
from train.runs.run_config import RunConfig
from train.runs.tensorboard_log import evaluation_figures
from uno_env.common.files import read_text, write_text

PROJECT = "uno"
"""Project of Weights & Biases, or experiment of MLflow, where the environment names none."""
_MOST_ID = 200
"""Bytes of an identifier that is read."""
_MOST_VALUE = 6_000
"""Characters of a value of the config that MLflow takes."""


class Tracker(Callback, ABC):
    """A service that keeps the figures of runs; a subclass says how it is called."""

    file: ClassVar[str]
    """File in the run's folder that holds the identifier of the run there."""
    called: ClassVar[str]
    """The service, in sentences."""

    def __init__(self) -> None:
        self._lost = False

    @abstractmethod
    def begin(self, config: RunConfig, folder: Path, identifier: str | None) -> str:
        """Begin a run of the folder's name, or go on with the one that has the identifier, and return its
        identifier.
        """

    @abstractmethod
    def log(self, figures: Mapping[str, float], decisions: int) -> None:
        """Send the figures after so many decisions."""

    @abstractmethod
    def finish(self) -> None:
        """End the run."""

    def on_training_start(self, config: RunConfig, folder: Path, decisions: int) -> None:
        """Begin a run with the service. Raises RunError if the service cannot be reached, or refuses the run."""
        path = folder / self.file
        known = read_text(path, _MOST_ID).strip() if path.is_file() else None
        try:
            write_text(path, self.begin(config, folder, known))
        except Exception as error:  # each has classes of its own, and passes on those of other libraries
            reason = " ".join(str(error).split())
            raise RunError(f"{self.called} cannot be begun ({type(error).__name__}: {reason[:300]})") from error

    def on_iteration(self, figures: Mapping[str, float], decisions: int) -> None:
        """Send its figures."""
        self._log(figures, decisions)

    def on_evaluation(self, results: Sequence[Evaluation], decisions: int) -> None:
        """Send its figures."""
        self._log(evaluation_figures(results), decisions)

    def on_training_end(self, decisions: int) -> None:
        """End the run there."""
        try:
            self.finish()
        except Exception as error:
            self._warn(error)

    def _log(self, figures: Mapping[str, float], decisions: int) -> None:
        try:
            self.log(figures, decisions)
        except Exception as error:
            self._warn(error)

    def _warn(self, error: Exception) -> None:
        if not self._lost:
            warnings.warn(f"{self.called} lacks figures ({error}): they are in metrics.jsonl", stacklevel=3)
        self._lost = True


class WandbTracker(Tracker):
    """Weights & Biases. Raises ModuleNotFoundError if it is not installed (extra ``wandb``)."""

    file, called = "wandb_id.txt", "Weights & Biases"

    def __init__(self) -> None:
        super().__init__()
        import wandb

        self._wandb = wandb

    def begin(self, config: RunConfig, folder: Path, identifier: str | None) -> str:
        """Same as :meth:`Tracker.begin`."""
        self._run = self._wandb.init(
            project=os.environ.get("WANDB_PROJECT", PROJECT),
            name=folder.name,
            dir=str(folder),
            id=identifier,
            resume="allow",
            config=config_values(config),
        )
        self._run.define_metric("*", step_metric="decisions")
        return str(self._run.id)

    def log(self, figures: Mapping[str, float], decisions: int) -> None:
        """Same as :meth:`Tracker.log`."""
        self._run.log({**figures, "decisions": decisions})

    def finish(self) -> None:
        """Same as :meth:`Tracker.finish`."""
        self._run.finish()


class MlflowTracker(Tracker):
    """MLflow. Raises ModuleNotFoundError if it is not installed (extra ``mlflow``)."""

    file, called = "mlflow_id.txt", "MLflow"

    def __init__(self) -> None:
        super().__init__()
        import mlflow

        self._mlflow = mlflow

    def begin(self, config: RunConfig, folder: Path, identifier: str | None) -> str:
        """Same as :meth:`Tracker.begin`."""
        self._client = client = self._mlflow.MlflowClient()
        if identifier is None:
            name = os.environ.get("MLFLOW_EXPERIMENT_NAME", PROJECT)
            found = client.get_experiment_by_name(name)
            experiment = client.create_experiment(name) if found is None else found.experiment_id
            identifier = str(client.create_run(experiment, run_name=folder.name).info.run_id)
            values = config_values(config).items()
            params = [self._mlflow.entities.Param(key, str(value)[:_MOST_VALUE]) for key, value in values]
            client.log_batch(identifier, params=params)
        client.update_run(identifier, status="RUNNING")
        self._identifier = identifier
        return identifier

    def log(self, figures: Mapping[str, float], decisions: int) -> None:
        """Same as :meth:`Tracker.log`; a character that MLflow does not allow in a name becomes ``_``."""
        now = int(1000 * time.time())
        metrics = [
            self._mlflow.entities.Metric(re.sub(r"[^\w\-. :/]", "_", tag), figure, now, decisions)
            for tag, figure in figures.items()
        ]
        self._client.log_batch(self._identifier, metrics=metrics)

    def finish(self) -> None:
        """Same as :meth:`Tracker.finish`."""
        self._client.set_terminated(self._identifier)
