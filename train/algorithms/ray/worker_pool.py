"""Workers that play, as Ray actors, and the crew of them that a run keeps up: :class:`Crew`.

A worker is lost if its process, its machine or the way to it is. What it was playing is lost with it, nothing else:
another one, which begins games of its own with chance of its own, takes its place on any machine with a free CPU, and
the others go on meanwhile.
"""

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy.typing as npt
import ray
from ray.exceptions import NodeDiedError, ObjectLostError, OutOfMemoryError, RayActorError

from train.algorithms import self_play
from train.algorithms.ppo import PPO, PPOConfig
from train.algorithms.rollout import Played
from train.runs.learner import WorkersLostError
from train.runs.run import console

Array = npt.NDArray[Any]

LOST = (RayActorError, ObjectLostError, NodeDiedError, OutOfMemoryError)
"""What Ray raises when the other side is gone; errors of the code itself are others."""
PATIENCE = 120.0
"""Seconds to wait for a worker while there is none."""
NOT_SENT = ("reward", "following", "target")
"""What of choices nobody needs once their advantages are known."""


@dataclass(frozen=True)
class Rollouts:
    """What a worker played: the choices that can be learnt from."""

    choices: dict[str, Array]
    """Fields of :class:`train.algorithms.rollout.Choices`, but for :data:`NOT_SENT`, one row a choice."""
    played: Played


@dataclass(frozen=True)
class WorkerState:
    """What a worker goes on from."""

    number: int
    games: dict[str, Array]
    chance: list[dict[str, Any]]


class Worker:
    """Plays ``num_envs`` games with the weights it is given; made a Ray actor by :class:`Crew`.

    Args:
        config: the run's.
        number: no other worker of the run has it, nor had it; its chance is derived from it.
        state: what it goes on from, if not from the beginning.
    """

    def __init__(self, config: PPOConfig, number: int, state: WorkerState | None = None) -> None:
        config = replace(config, threads=1, device="cpu")
        compile_learner(config)
        self._number = number
        self._learner = _NumberedPPO(config, number)
        if state is not None:
            self._learner.set_games({name: array.copy() for name, array in state.games.items()}, state.chance)
        self._before = self._learner.get_games()

    def node(self) -> str:
        """Where it is."""
        return str(ray.get_runtime_context().get_node_id())

    def play(self, weights: Mapping[str, Array]) -> Rollouts:
        """Play ``num_steps`` decisions in every game."""
        self._before = self._learner.get_games()
        self._learner.set_weights({name: weight.copy() for name, weight in weights.items()})
        played = self._learner.play()
        rows = self._learner.store.closed()
        fields = vars(self._learner.store.select(rows))
        return Rollouts({name: field.numpy() for name, field in fields.items() if name not in NOT_SENT}, played)

    def get_state(self, before: bool) -> WorkerState:
        """Its games as they stand, or as they stood before it last played."""
        return WorkerState(self._number, *(self._before if before else self._learner.get_games()))


class _NumberedPPO(PPO):
    def __init__(self, config: PPOConfig, number: int) -> None:
        self.first_group = number * len(self_play.game_groups(config))
        super().__init__(config)


def compile_learner(config: PPOConfig) -> None:
    """Have everything compiled that playing and learning need."""
    with PPO(self_play.few_games(config)) as few:
        few.iterate(0.0)


@dataclass
class _Member:
    number: int
    actor: Any
    node: Any
    """Reference to where it is, known when it has started."""
    started: bool = False
    rollouts: Any = None
    """Reference to what it has been asked to play."""


class Crew:
    """The workers of a run.

    Args:
        config: the run's.
        workers: how many.
        states: what the first of them go on from.
        next_number: the first number that no worker has had.
        lost: how many have been lost so far.
    """

    def __init__(
        self,
        config: PPOConfig,
        workers: int,
        states: Sequence[WorkerState] = (),
        next_number: int = 0,
        lost: int = 0,
    ) -> None:
        self.next_number, self.lost = next_number, lost
        self._config = ray.put(config)
        self._weights: Any = None
        self._lost_in_a_row = 0
        self._members = [self._hire(state) for state in states[:workers]]
        self._members += [self._hire() for _ in range(workers - len(self._members))]

    def await_start(self) -> None:
        """Wait until all have started, but no longer than :data:`PATIENCE`: the others join when they have.

        Raises:
            WorkersLostError: none has.
        """
        ray.wait([member.node for member in self._members], num_returns=len(self._members), timeout=PATIENCE)
        self._await_one()
        started = sum(member.started for member in self._members)
        if started < len(self._members):
            console.print(f"{started} of {len(self._members)} workers have started; the others join when they have.")

    def request(self, weights: Mapping[str, Array]) -> None:
        """Ask all that have started to play."""
        self._weights = ray.put(weights)
        self._admit()
        self._ask()

    def receive(self) -> list[Rollouts]:
        """What those who were asked have played, in the order of their places; of those lost meanwhile, nothing.

        If all are lost, the first that starts in their place is asked instead.

        Raises:
            WorkersLostError: none could be started.
        """
        while True:
            received = [rollouts for place in range(len(self._members)) if (rollouts := self._receive(place))]
            if received:
                self._lost_in_a_row = 0
                return received
            self._await_one()
            self._ask()

    def states(self) -> list[WorkerState]:
        """What the workers could go on from: those who are playing, from where they began to; of lost ones, nothing."""
        asked = [
            member.actor.get_state.remote(member.rollouts is not None) for member in self._members if member.started
        ]
        states = []
        for state in asked:
            with contextlib.suppress(*LOST):  # found out when they are next asked to play
                states.append(ray.get(state))
        return states

    def nodes(self) -> dict[int, str]:
        """Where each worker is that has started, by its number."""
        return {member.number: ray.get(member.node) for member in self._members if member.started}

    def dismiss(self) -> None:
        """End all."""
        for member in self._members:
            ray.kill(member.actor)

    def _hire(self, state: WorkerState | None = None) -> _Member:
        number = self.next_number if state is None else state.number
        self.next_number = max(self.next_number, number + 1)
        hire = ray.remote(Worker).options(num_cpus=1, max_restarts=0, scheduling_strategy="SPREAD")
        actor = hire.remote(self._config, number, state)
        return _Member(number, actor, actor.node.remote())

    def _replace(self, place: int, error: Exception) -> None:
        """Put another worker in the place of one that is lost.

        Raises:
            WorkersLostError: so many were lost in a row that no other would fare better.
        """
        self.lost += 1
        self._lost_in_a_row += 1
        reason = type(error).__name__
        if self._lost_in_a_row > 3 * len(self._members):
            raise WorkersLostError(
                f"{self._lost_in_a_row} workers in a row were lost; the last: {' '.join(str(error).split())}"
            )
        old, self._members[place] = self._members[place], self._hire()
        ray.kill(old.actor)  # it may live on where it cannot be reached from
        console.print(f"Worker {old.number} was lost ({reason}); worker {self._members[place].number} takes its place.")

    def _admit(self) -> None:
        """Note who has started."""
        for place, member in enumerate(self._members):
            if member.started or not ray.wait([member.node], timeout=0)[0]:
                continue
            try:
                ray.get(member.node)
                member.started = True
            except LOST as error:
                self._replace(place, error)

    def _await_one(self) -> None:
        """Wait until at least one has started."""
        self._admit()
        while not any(member.started for member in self._members):
            if not ray.wait([member.node for member in self._members], timeout=PATIENCE)[0]:
                raise WorkersLostError(
                    f"no worker could be started in {PATIENCE:.0f} seconds: the cluster has no free CPU"
                )
            self._admit()

    def _ask(self) -> None:
        for member in self._members:
            if member.started and member.rollouts is None:
                member.rollouts = member.actor.play.remote(self._weights)

    def _receive(self, place: int) -> Rollouts | None:
        member = self._members[place]
        if member.rollouts is None:
            return None
        try:
            rollouts: Rollouts = ray.get(member.rollouts)
        except LOST as error:
            self._replace(place, error)
            return None
        member.rollouts = None
        return rollouts
