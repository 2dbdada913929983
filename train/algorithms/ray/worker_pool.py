"""Workers that play, as Ray actors, and the pool of them that a run maintains: :class:`WorkerPool`.

A worker is lost if its process, its machine or the connection to it is lost. Its unfinished rollouts are lost with it,
and nothing else: another worker with new games and a new random generator starts on any machine with a free CPU, and
the others continue meanwhile.
"""

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import ray
from ray.exceptions import NodeDiedError, ObjectLostError, OutOfMemoryError, RayActorError

from train.algorithms.parts.games import game_groups
from train.algorithms.parts.rollout import RolloutStats
from train.algorithms.ppo import PPO, PPOConfig
from train.runs.learner import WorkersLostError
from train.runs.run_folder import console
from uno_env.core.arrays import Array

LOST = (RayActorError, ObjectLostError, NodeDiedError, OutOfMemoryError)
"""Errors that Ray raises when the other side is gone, unlike errors of the code itself."""
START_TIMEOUT = 120.0
"""Seconds to wait for a worker to start while there is none."""
NOT_SENT = ("reward", "next_index")
"""Fields of choices that are not needed once their advantages are known."""


@dataclass(frozen=True)
class Rollouts:
    """The choices of a worker that have advantages."""

    choices: dict[str, Array]
    """Fields of :class:`train.algorithms.parts.trainer.RolloutBuffer` but :data:`NOT_SENT`, a row a choice."""
    played: RolloutStats


@dataclass(frozen=True)
class WorkerState:
    """The state that a worker continues from."""

    number: int
    games: dict[str, Array]
    rngs: list[dict[str, Any]]
    """States of the random generators that draw actions, one for each group of games."""


class Worker:
    """Plays ``num_envs`` games with the weights it is given; made a Ray actor by :class:`WorkerPool`. Its ``number``,
    unique in the run, seeds its random generators; with a ``state`` it goes on from that.
    """

    def __init__(self, config: PPOConfig, number: int, state: WorkerState | None = None) -> None:
        config = replace(config, threads=1, device="cpu")
        self._number = number
        self._ppo = PPO(config, game_groups(config, number))
        self._ppo.warm_up()
        if state is not None:
            games = {name: array.copy() for name, array in state.games.items()}
            self._ppo.games.set_state(games, {"rng_states": state.rngs, "iterations": 0})
        self._before = self._games()

    def node(self) -> str:
        """The id of the Ray node that it runs on."""
        return str(ray.get_runtime_context().get_node_id())

    def play(self, weights: Mapping[str, Array], steps: int) -> Rollouts:
        """Play ``steps`` decisions in every game."""
        self._before = self._games()
        self._ppo.trainer.set_weights({name: weight.copy() for name, weight in weights.items()})
        played, buffer = self._ppo.play(steps), self._ppo.games.buffer
        fields = vars(buffer.select(buffer.closed()))
        return Rollouts({name: field.numpy() for name, field in fields.items() if name not in NOT_SENT}, played)

    def get_state(self, before: bool) -> WorkerState:
        """The state of its games as they are, or as they were before it last played."""
        return self._before if before else self._games()

    def _games(self) -> WorkerState:
        arrays, values = self._ppo.games.get_state()
        return WorkerState(self._number, arrays, values["rng_states"])


@dataclass
class _Member:
    number: int
    actor: Any
    node: Any
    """Reference to the id of its node, available when it has started."""
    started: bool = False
    rollouts: Any = None
    """Reference to the rollouts that it has been asked to play."""


class WorkerPool:
    """The workers of a run.

    The first of them continue from ``states``; ``next_number`` is the first number that no worker has had.
    """

    def __init__(
        self, config: PPOConfig, workers: int, states: Sequence[WorkerState] = (), next_number: int = 0, lost: int = 0
    ) -> None:
        self.next_number, self.lost = next_number, lost
        self._config = ray.put(config)
        self._weights: Any = None
        self._steps = 0
        self._lost_in_a_row = 0
        self._members = [self._start_worker(state) for state in states[:workers]]
        self._members += [self._start_worker() for _ in range(workers - len(self._members))]

    def wait_for_start(self) -> None:
        """Wait :data:`START_TIMEOUT` at most; the late join later. Raises WorkersLostError if none has started."""
        ray.wait([member.node for member in self._members], num_returns=len(self._members), timeout=START_TIMEOUT)
        self._wait_for_one()
        started = sum(member.started for member in self._members)
        if started < len(self._members):
            console.print(f"{started} of {len(self._members)} workers have started; the others join when they have.")

    def request(self, weights: Mapping[str, Array], steps: int) -> None:
        """Ask all workers that have started to play ``steps`` decisions in every game."""
        self._weights, self._steps = ray.put(weights), steps
        self._find_started()
        self._send_requests()

    def receive(self) -> list[Rollouts]:
        """The rollouts of the workers that were asked, in the order of the pool; lost workers are skipped. If all are
        lost, this asks the first worker that starts instead. Raises WorkersLostError if none could be started.
        """
        while True:
            received = [rollouts for index in range(len(self._members)) if (rollouts := self._receive(index))]
            if received:
                self._lost_in_a_row = 0
                return received
            self._wait_for_one()
            self._send_requests()

    def states(self) -> list[WorkerState]:
        """States that the workers can continue from: for a worker that is playing, the state before its rollout.

        Lost workers are skipped.
        """
        asked = [
            member.actor.get_state.remote(member.rollouts is not None) for member in self._members if member.started
        ]
        states = []
        for state in asked:
            with contextlib.suppress(*LOST):  # noticed when they are next asked to play
                states.append(ray.get(state))
        return states

    def close(self) -> None:
        """End all workers."""
        for member in self._members:
            ray.kill(member.actor)

    def _start_worker(self, state: WorkerState | None = None) -> _Member:
        number = self.next_number if state is None else state.number
        self.next_number = max(self.next_number, number + 1)
        actor_class = ray.remote(Worker).options(num_cpus=1, max_restarts=0, scheduling_strategy="SPREAD")
        actor = actor_class.remote(self._config, number, state)
        return _Member(number, actor, actor.node.remote())

    def _replace(self, index: int, error: Exception) -> None:
        """Start another worker in place of a lost one, or raise :class:`WorkersLostError` after many in a row."""
        self.lost += 1
        self._lost_in_a_row += 1
        if self._lost_in_a_row > 3 * len(self._members):
            raise WorkersLostError(
                f"{self._lost_in_a_row} workers in a row were lost; the last: {' '.join(str(error).split())}"
            )
        old, self._members[index] = self._members[index], self._start_worker()
        ray.kill(old.actor)  # it may be alive and only unreachable
        reason, new = type(error).__name__, self._members[index].number
        console.print(f"Worker {old.number} was lost ({reason}); worker {new} takes its place.")

    def _find_started(self) -> bool:
        """Mark the workers that have started, and return whether any has."""
        for index, member in enumerate(self._members):
            if member.started or not ray.wait([member.node], timeout=0)[0]:
                continue
            try:
                ray.get(member.node)
                member.started = True
            except LOST as error:
                self._replace(index, error)
        return any(member.started for member in self._members)

    def _wait_for_one(self) -> None:
        """Wait until at least one has started. Raises WorkersLostError if none could be started."""
        while not self._find_started():
            if not ray.wait([member.node for member in self._members], timeout=START_TIMEOUT)[0]:
                raise WorkersLostError(
                    f"no worker could be started in {START_TIMEOUT:.0f} seconds: the cluster has no free CPU"
                )

    def _send_requests(self) -> None:
        for member in self._members:
            if member.started and member.rollouts is None:
                member.rollouts = member.actor.play.remote(self._weights, self._steps)

    def _receive(self, index: int) -> Rollouts | None:
        member = self._members[index]
        if member.rollouts is None:
            return None
        try:
            rollouts: Rollouts = ray.get(member.rollouts)
        except LOST as error:
            self._replace(index, error)
            return None
        member.rollouts = None
        return rollouts
