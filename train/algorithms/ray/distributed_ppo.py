"""PPO on a Ray cluster: workers play (actors, :mod:`train.algorithms.ray.worker_pool`), this process learns,
evaluations are tasks.

As :mod:`train.algorithms.ppo`, except that games are played elsewhere. In every iteration each worker plays
``num_steps`` decisions in each of its games, and sends the choices that can be learnt from, with their advantages; this
process learns from all of them and sends new weights.

- *How old the weights are that games are played with:* at most one update. Workers play the next rollouts while this
  process learns from the last ones, and these were made with the weights before; with ``synchronous`` workers wait for
  each update, and the weights are the newest.
- *What is lost with a worker* is what it was playing, see :mod:`train.algorithms.ray.worker_pool`. Decisions are
  counted when they arrive.
  An evaluation that is lost with its machine is done again on another.
- *What repeats:* the result depends on the config alone, not on machines or time, as long as no worker is lost (each
  iteration waits for all) and none joins late. Synchronous workers of ``num_envs`` games, a multiple of
  ``train.algorithms.self_play.GROUP`` or not more than that, play what :mod:`train.algorithms.ppo` plays with ``workers
  × num_games`` games in as many groups: the weights are equal, bit for bit, on machines of one kind. A loss changes
  what follows.
- A run that is resumed from a checkpoint has the games of its workers, except those of lost ones, and so continues as
  if it had not stopped. It may have another number of workers, and be in another cluster.

Source: A. Nair et al., "Massively parallel methods for deep reinforcement learning", 2015: actors that play apart from
the learner.
"""

import copy
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
import ray
import torch
from msgspec import Meta
from torch import Tensor

from train.algorithms.ppo import PPO, PPOConfig
from train.algorithms.ray.cluster import LEAST_STORE, check_address, joined
from train.algorithms.ray.worker_pool import Rollouts, WorkerPool, WorkerState, compile_learner
from train.algorithms.rollout import Rollout, RolloutBuffer, RolloutStats
from train.evaluation.duplicate import Evaluation
from train.networks.policy_network import Network, NetworkPlayer
from train.runs.checkpoint import Array, under
from train.runs.config import PositiveInt
from train.runs.evaluator import Evaluator, RunEvaluation, evaluate_network, pairings
from train.runs.run_config import RunConfig
from uno_env.common.numbers import checked_arrays, checked_whole, checked_wholes
from uno_env.history import EVENT_SIZE
from uno_env.player import Player
from uno_env.policy_columns import policy_actions, policy_columns
from uno_env.replay import Replay
from uno_env.rules import Rules


@dataclass(frozen=True, kw_only=True)
class DistributedConfig(PPOConfig):
    """The config of ``distributed_ppo``."""

    changeable: ClassVar[tuple[str, ...]] = (*PPOConfig.changeable, "address", "workers")
    algorithm: Literal["distributed_ppo"] = "distributed_ppo"
    address: str = ""
    """HOST:PORT of the head of a Ray cluster; ``auto``: the cluster of this machine; empty: start Ray on this
    machine."""
    workers: Annotated[int, Meta(ge=1, le=10_000)] = 2
    """Processes that play, each on its own CPU."""
    num_envs: PositiveInt = 1024
    """Games that each worker plays at the same time."""
    synchronous: bool = False
    """Whether workers wait for the newest weights, instead of playing with those of the update before."""

    def check(self) -> None:
        """Raise :class:`ValueError` if the rules, the device or the address cannot be used, or a league is asked
        for."""
        if self.league_share:
            raise ValueError(
                f"league_share={self.league_share} is not allowed here: workers know of no league, choose 0"
            )
        if self.random_rules:
            raise ValueError(
                f"random_rules={self.random_rules} is not allowed here: workers keep their rules, choose 0"
            )
        super().check()
        check_address(self.address)


class DistributedPPO(PPO):
    """PPO whose games are played by workers on a Ray cluster, to which this process belongs inside ``with``."""

    config: DistributedConfig

    def __init__(self, config: DistributedConfig) -> None:
        super().__init__(config)
        self._cluster = joined(config.address, config.workers, _store_bytes(config))
        self._workers: WorkerPool | None = None
        self._workers_state: tuple[Any, ...] = ()
        """What the workers continue from: the last arguments of :class:`WorkerPool`."""
        self._requested: dict[str, Array] = {}
        """The weights that the workers are playing with; empty: they are not playing."""

    def __enter__(self) -> Self:
        self._cluster.__enter__()
        return super().__enter__()

    def __exit__(self, *error: object) -> None:
        if self._workers is not None:
            self._workers.close()
        super().__exit__(*error)
        self._cluster.__exit__(None, None, None)

    @property
    def workers(self) -> WorkerPool:
        """The workers, started when they are first needed, and asked again for what they were asked for."""
        if self._workers is None:
            self._workers = WorkerPool(self.config, self.config.workers, *self._workers_state)
            self._workers.wait_for_start()
            if self._requested:
                self._workers.request(self._requested)
        return self._workers

    def warm_up(self) -> None:
        """Compile, then start the workers: on this machine they only read what was compiled."""
        compile_learner(self.config)
        _ = self.workers

    def play(self) -> RolloutStats:
        """Let the workers play ``num_steps`` decisions in every game; the buffer becomes the choices that they send."""
        if not self._requested:
            self._request(self.get_weights())
        received = self.workers.receive()
        self._requested = {}
        if not self.config.synchronous:
            self._request(self.get_weights())
        self.buffer = _concatenate(received)
        self._received = len(received)
        return sum((rollouts.played for rollouts in received), start=RolloutStats())

    def iterate(self, progress: float) -> dict[str, float]:
        """As :meth:`train.algorithms.ppo.PPO.iterate`; also how many workers played, and how many have been lost."""
        figures = super().iterate(progress)
        return {**figures, "ray/workers": self._received, "ray/workers_lost": self.workers.lost}

    def evaluator(self) -> Evaluator:
        """Evaluations as Ray tasks."""
        return RayEvaluator(self.config)

    def get_state(self) -> tuple[dict[str, Array], dict[str, Any]]:
        """As :meth:`train.algorithms.self_play.SelfPlayLearner.get_state`, with the games of the workers.

        Rollouts that are being played are not saved, but what they are made from: the games before them, and the
        weights.
        """
        arrays, values = super().get_state()
        states = self.workers.states()
        for index, state in enumerate(states):
            arrays |= {f"workers.{index}.{name}": array for name, array in state.games.items()}
        arrays |= {f"asked.{name}": weight for name, weight in self._requested.items()}
        values["workers"] = [{"number": state.number, "chance": state.rngs} for state in states]
        return arrays, {**values, "next_worker": self.workers.next_number, "workers_lost": self.workers.lost}

    def set_state(self, arrays: dict[str, Array], values: dict[str, Any]) -> None:
        """Continue from a state that :meth:`get_state` gave; only before workers are started.

        Raises:
            KeyError, TypeError, ValueError: it is none of such a run.
        """
        super().set_state(arrays, values)
        next_worker, lost = (checked_whole(name, values[name], 0, 2**53) for name in ("next_worker", "workers_lost"))
        numbers = checked_wholes("workers", [worker["number"] for worker in values["workers"]], 0, next_worker - 1)
        if len(set(numbers.tolist())) < len(numbers):
            raise ValueError(f"the workers are numbered {numbers.tolist()}")
        states = [
            WorkerState(worker["number"], under(f"workers.{index}.", arrays), worker["chance"])
            for index, worker in enumerate(values["workers"])
        ]
        requested = under("asked.", arrays)
        self._requested = checked_arrays(requested, self.get_weights()) if requested else {}
        self._workers_state = states, next_worker, lost

    def _deal_games(self, new_rollout: Callable[..., Rollout]) -> tuple[RolloutBuffer, list[Rollout]]:
        return RolloutBuffer.empty(0, len(self.network.columns), len(self.network.actions)), []

    def _request(self, weights: dict[str, Array]) -> None:
        workers, self._requested = self.workers, weights
        workers.request(weights)


EVALUATION: dict[str, Any] = {"num_cpus": 0, "max_retries": -1, "scheduling_strategy": "SPREAD"}
"""How Ray runs evaluations: on any machine, without waiting for a CPU, since workers occupy theirs to the end of the
run; if the machine is lost, again on another."""


class RayEvaluator(Evaluator):
    """Evaluates in Ray tasks, while the training continues."""

    def __init__(self, config: DistributedConfig) -> None:
        super().__init__(config)
        self._running: list[tuple[int, Network, list[Any]]] = []

    def begin(self, policy: Player, decisions: int) -> None:
        """Measure the policy as it is now."""
        assert isinstance(policy, NetworkPlayer)
        task = ray.remote(measure_elsewhere).options(**EVALUATION)
        network = copy.deepcopy(policy.network).cpu()
        sent = ray.put(network)
        tasks = [task.remote(sent, *pairing, self._config, decisions) for pairing in pairings(self._config)]
        self._running.append((decisions, network, tasks))

    def finished(self, wait: bool) -> list[RunEvaluation]:
        """As :meth:`train.runs.evaluator.Evaluator.finished`."""
        finished = []
        while self._running:
            decisions, network, tasks = self._running[0]
            if not wait and len(ray.wait(tasks, num_returns=len(tasks), timeout=0)[0]) < len(tasks):
                break
            del self._running[0]
            pairs = [
                self._result(*each, network, decisions) for each in zip(tasks, pairings(self._config), strict=True)
            ]
            finished.append(RunEvaluation(decisions, pairs))
        return finished

    def _result(
        self, task: Any, pairing: tuple[str, Rules], network: Network, decisions: int
    ) -> tuple[Evaluation, list[Replay]]:
        try:
            result, replays = ray.get(task)
        except ray.exceptions.RayTaskError:  # an opponent's file, say, is on this machine only
            return evaluate_network(network, *pairing, self._config, decisions)
        return result, [Replay.from_json(replay) for replay in replays]


def measure_elsewhere(
    network: Network, opponent: str, rules: Rules, config: RunConfig, decisions: int
) -> tuple[Evaluation, list[str]]:
    """:func:`train.runs.evaluator.evaluate_network` in a process of its own; the games as texts."""
    torch.set_num_threads(1)
    result, replays = evaluate_network(network, opponent, rules, replace(config, threads=1), decisions)
    return result, [replay.to_json() for replay in replays]


def _concatenate(received: list[Rollouts]) -> RolloutBuffer:
    """All choices that were received; fields that were not sent are 0."""

    def tensor(name: str) -> Tensor:
        return torch.from_numpy(np.concatenate([rollouts.choices[name] for rollouts in received]))

    sent = {name: tensor(name) for name in received[0].choices}
    rows = len(sent["action"])
    rest = {
        "reward": torch.zeros(rows),
        "next_index": torch.zeros(rows, dtype=torch.int32),
    }
    return RolloutBuffer(**sent, **rest)


def _store_bytes(config: DistributedConfig) -> int:
    """Bytes of shared memory for the rollouts that are learnt from and those that are being played."""
    rules = config.all_rules()
    players = max(each.players for each in rules)
    a_row = len(policy_columns(rules)) + config.history * EVENT_SIZE
    a_choice = a_row + len(policy_actions(rules)) + 64 * players  # numbers, hidden hands
    return max(LEAST_STORE, 2 * config.workers * config.num_envs * config.num_steps * a_choice)
