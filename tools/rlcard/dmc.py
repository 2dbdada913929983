"""RLCard's deep Monte Carlo (DMC), trained by RLCard itself, to measure our policies against.

:func:`train_dmc` runs RLCard's own ``DMCTrainer``, version 1.2.0, with its default hyperparameters (5 actors, batches
of 32 × 100 choices, exploration of 0.01, RMSProp at 0.0001, 4 threads that learn for each position) on
``rlcard.make("uno")``, for a time or a number of frames. It saves the weights as data
(:mod:`tools.rlcard.dmc_player`). A frame is a decision of one seat that is learnt from. What differs from RLCard's:

- RLCard's log writes all environment variables of the process to a file; here frames are only counted.
- RLCard imports GitPython to look up a commit; where it is not installed, an empty module replaces it.
- Actors ignore Ctrl-C, and end with the process that started them; RLCard's would play on for ever.
- An actor computes on one thread, as in DouZero, from which RLCard took them: the processes share the cores. Each
  thread that learns has as many as :func:`train.common.processes.torch_threads` says.
"""

import contextlib
import importlib.util
import logging
import math
import multiprocessing
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from threading import Event, Thread
from types import ModuleType
from typing import Any

from tools.rlcard.network_file import POSITIONS, Weights
from train.common.processes import end_with_parent, terminating_children

ACTORS = 5
"""RLCard's default."""

_TICK = 0.5
_RUN = "dmc"


def train_dmc(
    minutes: float = math.inf,
    actors: int = ACTORS,
    progress: Callable[[float, int], object] = lambda seconds, frames: None,
    *,
    frames: float = math.inf,
    **options: float,
) -> tuple[Weights, dict[str, Any]]:
    """Train for some minutes or frames, or until Ctrl-C, and then for some seconds until the current updates are done.

    Args:
        minutes: how long at most.
        actors: processes that play.
        progress: called about twice a second with the seconds that have passed, and the frames.
        frames: how many at least.
        options: hyperparameters of RLCard's trainer, such as ``learning_rate``.

    Returns:
        The weights, by the names of :func:`tools.rlcard.dmc_player.weight_shapes`, and a summary of the training.

    Raises:
        RuntimeError: RLCard's trainer or its actors failed.
    """
    provide_git()
    import rlcard

    with (
        tempfile.TemporaryDirectory(prefix="rlcard-dmc-") as folder,
        terminating_children(),
        _quiet_trainer() as trainers,
    ):
        trainer = trainers.DMCTrainer(rlcard.make("uno"), xpid=_RUN, savedir=folder, num_actors=actors, **options)
        began = time.monotonic()
        ended = _start(trainer, actors)
        with contextlib.suppress(KeyboardInterrupt):
            while (seconds := time.monotonic() - began) < 60 * minutes and trainer.plogger.frames < frames:
                progress(seconds, trainer.plogger.frames)
                _verify(not ended.wait(_TICK))
        trainer.total_frames = 0  # the only thing that ends its loops; then it saves
        while not ended.wait(_TICK):
            _verify(True)
        _verify(trainer.plogger.closed)
        weights, learnt = read_checkpoint(Path(folder) / _RUN / "model.tar")
    summary = {"library": "rlcard 1.2.0", "frames": learnt, "seconds": time.monotonic() - began, "actors": actors}
    return weights, summary | options


def read_checkpoint(path: Path) -> tuple[Weights, int]:
    """Weights and number of frames of a ``model.tar`` that RLCard's trainer has written; no code in it is run."""
    import torch

    saved = torch.load(path, map_location="cpu", weights_only=True)
    states: list[Mapping[str, Any]] = saved["model_state_dict"]
    assert len(states) == POSITIONS
    weights = {
        f"{position}.{name}": tensor.numpy() for position, state in enumerate(states) for name, tensor in state.items()
    }
    return weights, int(saved["frames"])


def provide_git() -> None:
    """Make it possible to import RLCard's trainer where GitPython is not installed."""
    if "git" not in sys.modules and importlib.util.find_spec("git") is None:
        sys.modules["git"] = ModuleType("git")


class _Actor:
    """RLCard's actor, for a process of its own.

    It is unpickled before its arguments are, and makes the modules of their classes importable.
    """

    def __reduce__(self) -> tuple[Callable[[], "_Actor"], tuple[()]]:
        return _make_actor, ()

    def __call__(self, *arguments: Any) -> None:
        import torch
        from rlcard.agents.dmc_agent import utils

        end_with_parent()
        torch.set_num_threads(1)
        utils.log.setLevel(logging.WARNING)
        utils.act(*arguments)


def _make_actor() -> _Actor:
    provide_git()
    return _Actor()


class _Log:
    """Replaces RLCard's ``FileWriter``."""

    def __init__(self, xpid: str, rootdir: str) -> None:
        (Path(rootdir) / xpid).mkdir()
        self.frames = 0
        self.closed = False

    def log(self, to_log: dict[str, Any]) -> None:
        """Nothing is recorded but the number of frames."""
        self.frames = to_log["frames"]

    def close(self) -> None:
        """The trainer's last act, after it has saved."""
        self.closed = True


@contextlib.contextmanager
def _quiet_trainer() -> Iterator[Any]:
    """RLCard's module of the trainer, with our actor and log instead of its own."""
    from rlcard.agents.dmc_agent import trainer

    theirs, level = (trainer.act, trainer.FileWriter), trainer.log.level
    trainer.act, trainer.FileWriter = _Actor(), _Log
    trainer.log.setLevel(logging.WARNING)
    try:
        yield trainer
    finally:
        trainer.act, trainer.FileWriter = theirs
        trainer.log.setLevel(level)


def _start(trainer: Any, actors: int) -> Event:
    """Train in a thread, so that Ctrl-C reaches this one, and wait until all actors run; an event marks the end."""
    ended = Event()  # an interrupted join() with a timeout would mark the thread as ended

    def train() -> None:
        try:
            trainer.start()
        finally:
            ended.set()

    handler = signal.signal(signal.SIGINT, signal.SIG_IGN)  # processes inherit that it is ignored
    try:
        Thread(target=train, daemon=True).start()
        while not ended.is_set() and len(multiprocessing.active_children()) < actors:
            time.sleep(_TICK / 10)
    finally:
        signal.signal(signal.SIGINT, handler)
    return ended


def _verify(running: bool) -> None:
    """Raise if the trainer has ended, or all actors have, for which RLCard's learners would wait for ever."""
    if not running or not multiprocessing.active_children():
        raise RuntimeError("RLCard's trainer or its actors have failed; what they said is above")
