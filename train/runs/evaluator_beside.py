"""Evaluations beside the training: another process measures a copy of the policy while the training goes on."""

import contextlib
import copy
from abc import ABC, abstractmethod
from collections.abc import Sequence
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import NamedTuple, Self

from train.common.processes import OMP, do, environment, spawned_pool, terminating_children
from train.evaluation.duplicate import Evaluation
from train.networks.policy_network import Network, NetworkPlayer
from train.runs.evaluator import Evaluator, RunEvaluation, evaluate_player, pairings
from train.runs.run_config import RunConfig
from uno_env.player import Player
from uno_env.replay import Replay
from uno_env.rules import Rules


@dataclass(frozen=True)
class Task:
    """The measurement of a network against one opponent by one rule set; it can be pickled."""

    network: Network
    """A copy on the processor."""
    opponent: str
    rules: Rules
    config: RunConfig
    decisions: int
    """Decisions that the network had been trained for."""

    def measure(self) -> tuple[Evaluation, list[Replay]]:
        """Measure it in this process; see :func:`train.runs.evaluator.evaluate_player`."""
        return evaluate_player(NetworkPlayer(self.network), self.opponent, self.rules, self.config, self.decisions)


class Measured(NamedTuple):
    """The result of a task, as another process sends it."""

    result: Evaluation
    replays: Sequence[str]
    """The games that are saved, as JSON."""


def measure_elsewhere(task: Task) -> Measured:
    """Do a task in the process that this is called in."""
    result, replays = task.measure()
    return Measured(result, [replay.to_json() for replay in replays])


@dataclass(frozen=True)
class _Begun:
    """An evaluation that has begun."""

    decisions: int
    tasks: Sequence[Task]
    futures: Sequence[Future[Measured]]


class EvaluatorBeside(Evaluator, ABC):
    """Measures copies of the policy elsewhere; a subclass says where. What fails there is measured here."""

    failure: type[Exception]
    """The error of a future whose task could not be done elsewhere."""

    def __init__(self, config: RunConfig) -> None:
        super().__init__(config)
        self._running: list[_Begun] = []

    @abstractmethod
    def start(self, tasks: Sequence[Task]) -> Sequence[Future[Measured]]:
        """Begin to do tasks, all with the same network, by :func:`measure_elsewhere`."""

    def begin(self, policy: Player, decisions: int) -> None:
        """Begin to measure the policy as it is now."""
        assert isinstance(policy, NetworkPlayer)
        network = copy.deepcopy(policy.network).cpu()
        tasks = [Task(network, *pairing, self._config, decisions) for pairing in pairings(self._config)]
        self._running.append(_Begun(decisions, tasks, self.start(tasks)))

    def finished(self, wait: bool) -> list[RunEvaluation]:
        """Same as :meth:`train.runs.evaluator.Evaluator.finished`."""
        finished = []
        while self._running and (wait or all(future.done() for future in self._running[0].futures)):
            begun = self._running.pop(0)
            pairs = [self._result(*each) for each in zip(begun.tasks, begun.futures, strict=True)]
            finished.append(RunEvaluation(begun.decisions, pairs))
        return finished

    def _result(self, task: Task, future: Future[Measured]) -> tuple[Evaluation, list[Replay]]:
        try:
            result, replays = future.result()
        except self.failure:
            return task.measure()
        return result, [Replay.from_json(replay) for replay in replays]


class ProcessEvaluator(EvaluatorBeside):
    """Measures in another process of this machine, which works on one task at a time. For trainings on a GPU: they
    leave most of the processor idle.
    """

    failure = BrokenProcessPool

    def __init__(self, config: RunConfig) -> None:
        super().__init__(config)
        self._pool = spawned_pool(measure_elsewhere, 1)
        self._children = contextlib.ExitStack()

    def __enter__(self) -> Self:
        self._children.enter_context(terminating_children())
        return self

    def __exit__(self, *error: object) -> None:
        """End the process, also in the middle of a task."""
        self._children.close()
        self._pool.shutdown(cancel_futures=True)

    def start(self, tasks: Sequence[Task]) -> Sequence[Future[Measured]]:
        """Same as :meth:`EvaluatorBeside.start`."""
        try:
            return self._submit(tasks)
        except BrokenProcessPool:  # the process was killed
            self._pool = spawned_pool(measure_elsewhere, 1)
            return self._submit(tasks)

    def _submit(self, tasks: Sequence[Task]) -> Sequence[Future[Measured]]:
        with environment(OMP, str(self._config.threads)):
            return [self._pool.submit(do, task) for task in tasks]
