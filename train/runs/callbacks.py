"""Callbacks: code of your own at four moments of a run: its start, each iteration, each evaluation, its end.

They are given to :func:`train.algorithms.registry.prepare_training`. The moments are those of Stable-Baselines3, and
returning False stops the run, as there.
"""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal, Self

from train.evaluation.duplicate import Evaluation
from train.runs.run_config import RunConfig
from uno_env.common.validation import short_repr

End = Literal["done", "stopped", "interrupted", "failed"]
"""The end of a run: its budget is spent, a callback has stopped it, a signal has, or an error."""


class Callback:
    """A subclass overrides the moments that it needs. What it raises ends the run, whose last checkpoint stays, and
    is raised by the run."""

    def on_training_start(self, config: RunConfig, folder: Path, decisions: int) -> None:
        """The run begins or goes on, in its folder; ``decisions`` is how many are done."""

    def on_iteration(self, figures: Mapping[str, float], decisions: int) -> bool | None:
        """An iteration is done, after ``decisions`` in all. ``figures`` are its figures by TensorBoard's tags. Return
        False to stop.
        """

    def on_evaluation(self, results: Sequence[Evaluation], decisions: int) -> bool | None:
        """An evaluation of the policy after ``decisions`` is done: a result for each opponent and number of players. It
        can come later than that iteration if evaluations run beside the training. Return False to stop.
        """

    def on_training_end(self, decisions: int, end: End) -> None:
        """The run has ended."""


def check_callbacks(callbacks: Sequence[Callback]) -> None:
    """Raise ValueError if one of them is no :class:`Callback`."""
    for callback in callbacks:
        if not isinstance(callback, Callback):
            raise ValueError(
                f"callbacks=[{short_repr(callback)}] is not allowed: choose objects of train.runs.callbacks.Callback"
            )


class CallbackError(Exception):
    """Carries an ``error`` of a callback past those of the run's own folder, which are OSErrors, too."""

    def __init__(self, error: OSError) -> None:
        super().__init__(str(error))
        self.error = error


class CallbackList:
    """The callbacks of a run, in their order. Raises ValueError if one is no :class:`Callback`."""

    def __init__(self, callbacks: Sequence[Callback]) -> None:
        check_callbacks(callbacks)
        self._callbacks = tuple(callbacks)
        self._decisions = 0
        self.stopped = False
        """True if one of them has asked to stop."""
        self.end: End = "failed"
        """The end of the run, if nothing is raised."""

    @contextlib.contextmanager
    def during(self, config: RunConfig, folder: Path, decisions: int) -> Iterator[Self]:
        """A context for the training: tells of its start, and at its end those that were told of the start."""
        self._decisions = decisions
        with contextlib.ExitStack() as ends:
            for callback in self._callbacks:
                with _own_errors():
                    callback.on_training_start(config, folder, decisions)
                ends.callback(self._tell_end, callback)
            try:
                yield self
            except (KeyboardInterrupt, SystemExit):
                self.end = "interrupted"
                raise
            except BaseException:
                self.end = "failed"
                raise

    def on_iteration(self, figures: Mapping[str, float], decisions: int) -> None:
        """Tell all of them of an iteration."""
        self._decisions = decisions
        for callback in self._callbacks:
            with _own_errors():
                self._heed(callback.on_iteration(figures, decisions))

    def on_evaluation(self, results: Sequence[Evaluation], decisions: int) -> None:
        """Tell all of them of an evaluation."""
        for callback in self._callbacks:
            with _own_errors():
                self._heed(callback.on_evaluation(results, decisions))

    def _tell_end(self, callback: Callback) -> None:
        with _own_errors():
            callback.on_training_end(self._decisions, self.end)

    def _heed(self, answer: bool | None) -> None:
        if answer is not None and not answer:
            self.stopped = True


@contextlib.contextmanager
def _own_errors() -> Iterator[None]:
    """Turn the OSErrors of a callback into CallbackErrors."""
    try:
        yield
    except OSError as error:
        raise CallbackError(error) from error
