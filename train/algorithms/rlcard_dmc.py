"""RLCard's deep Monte Carlo (DMC), trained by RLCard itself: a peer to measure our policies against.

:func:`train_dmc` runs RLCard's own ``DMCTrainer``, version 1.2.0, with its default hyperparameters (5 actors, batches
of 32 × 100 choices, exploration of 0.01, RMSProp at 0.0001, 4 threads that learn for each position) on
``rlcard.make("uno")``, for a time instead of a number of frames, and keeps the weights as data
(:mod:`agents.rlcard.dmc`). What is not RLCard's:

- Its log would write the whole environment of the process to a file; frames are only counted instead.
- It asks GitPython for the commit, whatever it is used for; where that is not installed, an empty module stands in.
- Actors leave Ctrl-C to the process that started them, and end with it; RLCard's would play on for ever.
- An actor computes on one thread, as DouZero's do, from which RLCard took them: the processes share the cores.
"""

import contextlib
import importlib.util
import logging
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

import numpy as np
import numpy.typing as npt

from agents.rlcard.dmc import POSITIONS
from train.common.processes import end_with_parent

ACTORS = 5
"""RLCard's default."""

_TICK = 0.5
_RUN = "dmc"

Weights = dict[str, npt.NDArray[np.float32]]


def train_dmc(
    minutes: float, actors: int = ACTORS, progress: Callable[[float], object] = lambda seconds: None
) -> tuple[Weights, dict[str, Any]]:
    """Train for some minutes, or until Ctrl-C; what is being learnt then is learnt to its end, some seconds.

    Args:
        minutes: how long.
        actors: processes that play.
        progress: called now and then with the seconds that are over.

    Returns:
        The weights, by the names of :func:`agents.rlcard.dmc.weight_shapes`, and how they were trained.

    Raises:
        RuntimeError: RLCard's trainer or its actors failed.
    """
    provide_git()
    import rlcard

    with tempfile.TemporaryDirectory(prefix="rlcard-dmc-") as folder, _ended_actors(), _quiet_trainer() as trainers:
        trainer = trainers.DMCTrainer(rlcard.make("uno"), xpid=_RUN, savedir=folder, num_actors=actors)
        began = time.monotonic()
        ended = _start(trainer, actors)
        with contextlib.suppress(KeyboardInterrupt):
            while (seconds := time.monotonic() - began) < 60 * minutes:
                progress(seconds)
                _verify(not ended.wait(_TICK))
        trainer.total_frames = 0  # all that ends its loops; then it saves
        while not ended.wait(_TICK):
            _verify(True)
        _verify(trainer.plogger.closed)
        weights, frames = read_checkpoint(Path(folder) / _RUN / "model.tar")
    told = {"library": "rlcard 1.2.0", "frames": frames, "seconds": time.monotonic() - began, "actors": actors}
    return weights, told


def read_checkpoint(path: Path) -> tuple[Weights, int]:
    """Weights and number of frames of a ``model.tar`` that RLCard's trainer has written; no code of it is run."""
    import torch

    saved = torch.load(path, map_location="cpu", weights_only=True)
    states: list[Mapping[str, Any]] = saved["model_state_dict"]
    assert len(states) == POSITIONS
    weights = {
        f"{position}.{name}": tensor.numpy() for position, state in enumerate(states) for name, tensor in state.items()
    }
    return weights, int(saved["frames"])


def provide_git() -> None:
    """Let RLCard's trainer be imported where GitPython is not installed."""
    if "git" not in sys.modules and importlib.util.find_spec("git") is None:
        sys.modules["git"] = ModuleType("git")


class _Actor:
    """RLCard's actor, for a process of its own.

    It is unpickled before its arguments are, and lets the process import what they are made of.
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
    """Takes the place of RLCard's ``FileWriter``."""

    def __init__(self, xpid: str, rootdir: str) -> None:
        (Path(rootdir) / xpid).mkdir()
        self.closed = False

    def log(self, to_log: dict[str, Any]) -> None:
        """Nothing is kept."""

    def close(self) -> None:
        """The trainer's last act, after it has saved."""
        self.closed = True


@contextlib.contextmanager
def _quiet_trainer() -> Iterator[Any]:
    """RLCard's module of the trainer, with our actor and log in it."""
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
    """Train in a thread, so that Ctrl-C is ours, and wait until all actors are there; an event will tell of the end."""
    ended = Event()  # an interrupted join() with a timeout would take the thread for ended

    def train() -> None:
        try:
            trainer.start()
        finally:
            ended.set()

    handler = signal.signal(signal.SIGINT, signal.SIG_IGN)  # processes inherit that it is ignored
    try:
        Thread(target=train, daemon=True).start()  # so are the threads that it starts
        while not ended.is_set() and len(multiprocessing.active_children()) < actors:
            time.sleep(_TICK / 10)
    finally:
        signal.signal(signal.SIGINT, handler)
    return ended


def _verify(well: bool) -> None:
    """Fail if all is not well, or there are no actors, for whom RLCard's learners would wait for ever."""
    if not well or not multiprocessing.active_children():
        raise RuntimeError("RLCard's trainer or its actors have failed; what they said is above")


@contextlib.contextmanager
def _ended_actors() -> Iterator[None]:
    """End the processes that were started within."""
    others = set(multiprocessing.active_children())
    try:
        yield
    finally:
        for process in set(multiprocessing.active_children()) - others:
            process.terminate()
            process.join()


if __name__ == "__main__":
    from train.cli.main import main

    sys.exit(main(["train-rlcard", *sys.argv[1:]]))
