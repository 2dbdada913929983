"""PPO on a Ray cluster: workers play, this process updates the networks, evaluations are tasks.

In every iteration each worker (:mod:`train.algorithms.ray.worker_pool`) plays ``num_steps`` decisions in each of its
games, and sends the choices with their advantages. This process updates the networks with all of them and sends the new
weights.

- *Age of the weights:* workers play the next rollouts while this process trains, with weights that are at most one
  update old. With ``synchronous``, they wait for each update.
- *Lost workers:* the rollouts that a lost worker was playing are lost; an evaluation is done again elsewhere.
- *Repeatable results:* the result depends on the config alone, as long as no worker is lost and none joins late.
  Synchronous workers of ``num_envs`` games, a multiple of ``train.algorithms.parts.backends.GROUP`` or not more than
  that, play the same games as :mod:`train.algorithms.ppo` with ``workers × num_envs`` games in as many groups: the
  weights are equal, bit for bit, on machines of one kind.
- *Resuming:* a checkpoint holds the games of all workers that are not lost, so a resumed run continues as if it had not
  stopped. It may have another number of workers, and be in another cluster.

Source: A. Nair et al., "Massively parallel methods for deep reinforcement learning", 2015.
"""

from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
import ray
import torch
from msgspec import Meta

from train.algorithms.parts.config import ROW_BYTES
from train.algorithms.parts.rollout import RolloutStats
from train.algorithms.parts.trainer import RolloutBuffer
from train.algorithms.ppo import PPO, PPOConfig
from train.algorithms.ray.cluster import LEAST_STORE, check_address, joined
from train.algorithms.ray.worker_pool import Rollouts, WorkerPool, WorkerState
from train.runs.checkpoint import under
from train.runs.config import PositiveInt
from train.runs.evaluator import Evaluator
from train.runs.evaluator_beside import EvaluatorBeside, Measured, Task, measure_elsewhere
from train.runs.learner import Learner
from uno_env.common.numbers import checked_arrays, checked_indices, checked_whole
from uno_env.core.arrays import Array
from uno_env.policy_columns import policy_actions, policy_columns


@dataclass(frozen=True, kw_only=True)
class DistributedConfig(PPOConfig):
    """The config of ``distributed_ppo``."""

    changeable: ClassVar[tuple[str, ...]] = (*PPOConfig.changeable, "address", "workers")
    algorithm: Literal["distributed_ppo"] = "distributed_ppo"
    address: str = ""
    """HOST:PORT of a Ray cluster's head; ``auto``: the cluster of this machine; empty: start Ray on this machine."""
    workers: Annotated[int, Meta(ge=1, le=10_000)] = 2
    """Processes that play, each on its own CPU."""
    num_envs: PositiveInt = 1024
    """Games that each worker plays at the same time."""
    synchronous: bool = False
    """True if workers wait for the newest weights, instead of playing with those of the update before."""

    def check(self) -> None:
        """Raise :class:`ValueError` if a value cannot be used, or a league or random rules are wanted."""
        if self.league_share:
            raise ValueError(
                f"league_share={self.league_share} is not allowed here: workers play without a league, choose 0"
            )
        if self.random_rules:
            raise ValueError(
                f"random_rules={self.random_rules} is not allowed here: workers keep their rules, choose 0"
            )
        super().check()
        check_address(self.address)

    def step_size(self) -> int:
        """Decisions of a step in every game of all workers."""
        return self.num_envs * self.workers


class DistributedPPO(Learner):
    """PPO whose games are played by workers on a Ray cluster; this process belongs to it inside ``with``.

    It holds a :class:`train.algorithms.ppo.PPO` without games, which updates the networks; each worker holds one that
    plays.
    """

    config_class = DistributedConfig
    config: DistributedConfig

    def __init__(self, config: DistributedConfig) -> None:
        self.config = config
        self.ppo = PPO(config, groups=())
        self.network = self.ppo.network
        self._cluster = joined(config.address, config.workers, _store_bytes(config))
        self._workers: WorkerPool | None = None
        self._workers_state: tuple[Any, ...] = ()
        """The last arguments of :class:`WorkerPool`, with which a resumed run starts its workers."""
        self._requested: dict[str, Array] = {}
        """The weights that the workers are playing with; empty: they are not playing."""

    def __enter__(self) -> Self:
        self._cluster.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        if self._workers is not None:
            self._workers.close()
        self.ppo.__exit__(*error)
        self._cluster.__exit__(None, None, None)

    @property
    def workers(self) -> WorkerPool:
        """The workers, started on first use; in a resumed run they are asked again to play."""
        if self._workers is None:
            self._workers = WorkerPool(self.config, self.config.workers, *self._workers_state)
            self._workers.wait_for_start()
            if self._requested:
                self._workers.request(self._requested, self.config.next_steps(self.decisions))
        return self._workers

    def least_decisions(self) -> int:
        """Same as :meth:`train.runs.learner.Learner.least_decisions`: those of one step of all workers."""
        return self.config.step_size()

    def begin(self) -> None:
        """Load the weights of the initial policy, if there is one."""
        self.ppo.begin()

    def warm_up(self) -> None:
        """Compile, then start the workers, which on this machine only read the compiled code."""
        self.ppo.warm_up()
        _ = self.workers

    def evaluator(self) -> Evaluator:
        """Evaluations as Ray tasks."""
        return RayEvaluator(self.config)

    def iterate(self, progress: float) -> dict[str, float]:
        """Update the networks with the next rollouts of the workers. Return PPO's figures and numbers of workers."""
        if not self._requested:
            self._request(self.decisions)
        received = self.workers.receive()
        self._requested = {}
        stats = sum((rollouts.played for rollouts in received), start=RolloutStats())
        played = self.decisions + stats.decisions
        if not self.config.synchronous and played + self.least_decisions() <= self.config.total_timesteps:
            self._request(played)
        figures = self.ppo.update(_concatenate(received, self.config.device), stats, progress)
        self.decisions, self.choices = self.ppo.decisions, self.ppo.choices
        return {**figures, "ray/workers": len(received), "ray/workers_lost": self.workers.lost}

    def get_state(self) -> tuple[dict[str, Array], dict[str, Any]]:
        """The state of the networks and the games of the workers.

        A rollout that is being played is not saved; its games from before and its weights are, so that it can be
        played again.
        """
        arrays, values = self.ppo.get_state()
        states = self.workers.states()
        for index, state in enumerate(states):
            arrays |= {f"workers.{index}.{name}": array for name, array in state.games.items()}
        arrays |= {f"asked.{name}": weight for name, weight in self._requested.items()}
        values["workers"] = [{"number": state.number, "rng_states": state.rngs} for state in states]
        return arrays, {**values, "next_worker": self.workers.next_number, "workers_lost": self.workers.lost}

    def set_state(self, arrays: dict[str, Array], values: dict[str, Any]) -> None:
        """Continue from a state, before workers start. Raises KeyError, TypeError or ValueError if it is none."""
        self.ppo.set_state(arrays, values)
        self.decisions, self.choices = self.ppo.decisions, self.ppo.choices
        next_worker, lost = (checked_whole(name, values[name], 0, 2**53) for name in ("next_worker", "workers_lost"))
        numbers = checked_indices("workers", [worker["number"] for worker in values["workers"]], next_worker)
        if len(set(numbers.tolist())) < len(numbers):
            raise ValueError(f"the workers are numbered {numbers.tolist()}")
        states = [
            WorkerState(
                worker["number"],
                under(f"workers.{index}.", arrays),
                worker["rng_states"],
            )
            for index, worker in enumerate(values["workers"])
        ]
        requested = under("asked.", arrays)
        self._requested = checked_arrays(requested, self.ppo.trainer.get_weights()) if requested else {}
        self._workers_state = states, next_worker, lost

    def _request(self, decisions: int) -> None:
        """Ask the workers to play the iteration after ``decisions`` decisions with the weights of now."""
        workers, self._requested = self.workers, self.ppo.trainer.get_weights()
        workers.request(self._requested, self.config.next_steps(decisions))


EVALUATION: dict[str, Any] = {"num_cpus": 0, "max_retries": -1, "scheduling_strategy": "SPREAD"}
"""Ray's options for evaluations: on any machine, without waiting for a CPU, since workers occupy theirs to the end of
the run; if the machine is lost, again on another."""


class RayEvaluator(EvaluatorBeside):
    """Measures in Ray tasks, each on one thread."""

    failure = ray.exceptions.RayTaskError  # an opponent's file, say, is on this machine only

    def start(self, tasks: Sequence[Task]) -> Sequence[Future[Measured]]:
        """Same as :meth:`train.runs.evaluator_beside.EvaluatorBeside.start`."""
        work = ray.remote(measure_on_one_thread).options(**EVALUATION)
        return [work.remote(ray.put(task)).future() for task in tasks]


def measure_on_one_thread(task: Task) -> Measured:
    """Do a task in the process of a worker of Ray's."""
    torch.set_num_threads(1)
    return measure_elsewhere(replace(task, config=replace(task.config, threads=1)))


def _concatenate(received: list[Rollouts], device: str) -> RolloutBuffer:
    """Return all received choices on a device. The fields that were not sent are 0."""

    sent = {
        name: torch.from_numpy(np.concatenate([rollouts.choices[name] for rollouts in received])).to(device)
        for name in received[0].choices
    }
    reward, next_index = torch.zeros_like(sent["value"]), torch.zeros_like(sent["action"], dtype=torch.int32)
    return RolloutBuffer(**sent, reward=reward, next_index=next_index)


def _store_bytes(config: DistributedConfig) -> int:
    """Bytes of shared memory for the rollouts that are trained on and those that are being played."""
    rules = config.all_rules()
    choice = len(policy_columns(rules)) + len(policy_actions(rules)) + ROW_BYTES
    return max(LEAST_STORE, 2 * config.workers * config.num_envs * config.num_steps * choice)
