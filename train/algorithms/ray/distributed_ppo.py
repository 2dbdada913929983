"""PPO on a Ray cluster: workers play (actors, :mod:`train.algorithms.ray.worker_pool`), this process learns,
evaluations are tasks.

As :mod:`train.algorithms.ppo`, but that games are played elsewhere. In every iteration each worker plays ``num_steps``
decisions in each of its games, and sends the choices that can be learnt from, with their advantages; this process
learns from all of them and sends new weights.

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
- A run that goes on from a checkpoint has its workers' games, those of lost ones excepted, and so goes on as if it had
  not stopped; it may have other numbers of workers, and be in another cluster.

Source: A. Nair et al., "Massively parallel methods for deep reinforcement learning", 2015: actors that play apart from
the learner.
"""

import copy
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
import numpy.typing as npt
import ray
import torch
from msgspec import Meta
from torch import Tensor

from agents.policy.policy_file import policy_actions, policy_columns
from train.algorithms.ppo import PPO, PPOConfig
from train.algorithms.ray.cluster import LEAST_STORE, check_address, joined
from train.algorithms.ray.worker_pool import Crew, Rollouts, WorkerState, compile_learner
from train.algorithms.rollout import Choices, Played, Rollout
from train.evaluation.duplicate import Evaluation
from train.networks.policy_network import Network
from train.runs.checkpoint import under
from train.runs.config import PositiveInt
from train.runs.evaluator import Evaluator, Measured, measure, pairings
from uno_env.history import EVENT_SIZE
from uno_env.replay import Replay
from uno_env.rules import Rules

Array = npt.NDArray[Any]


@dataclass(frozen=True, kw_only=True)
class DistributedConfig(PPOConfig):
    """The config of ``distributed_ppo``."""

    changeable: ClassVar[tuple[str, ...]] = (*PPOConfig.changeable, "address", "workers")
    algorithm: Literal["distributed_ppo"] = "distributed_ppo"
    address: str = ""
    """HOST:PORT of the head of a Ray cluster, or ``auto``: that of this machine; empty: Ray on this machine alone."""
    workers: Annotated[int, Meta(ge=1, le=10_000)] = 2
    """Processes that play, each on a CPU of its own."""
    num_envs: PositiveInt = 1024
    """Games that each worker plays side by side."""
    synchronous: bool = False
    """Whether workers wait for the weights of each update, instead of playing on with those before."""

    def check(self) -> None:
        """Raise :class:`ValueError` if the rules, the device or the address cannot be used, or a league is asked
        for."""
        if self.league_share:
            raise ValueError(
                f"league_share={self.league_share} is not allowed here: workers know of no league, choose 0"
            )
        super().check()
        check_address(self.address)


class DistributedPPO(PPO):
    """PPO whose games are played by a crew on a Ray cluster, to which this process belongs inside ``with``."""

    config: DistributedConfig

    def __init__(self, config: DistributedConfig) -> None:
        super().__init__(config)
        self._cluster = joined(config.address, config.workers, _store(config))
        self._crew: Crew | None = None
        self._asked: dict[str, Array] = {}
        """The weights that rollouts have been asked for with; empty: there are none under way."""
        self._saved: tuple[dict[str, Array], dict[str, Any]] | None = None

    def __enter__(self) -> Self:
        self._cluster.__enter__()
        return super().__enter__()

    def __exit__(self, *error: object) -> None:
        if self._crew is not None:
            self._crew.dismiss()
        super().__exit__(*error)
        self._cluster.__exit__(None, None, None)

    @property
    def crew(self) -> Crew:
        """The workers, hired when they are first needed."""
        if self._crew is None:
            self._crew = self._hire()
            self._crew.await_start()
        return self._crew

    def warm_up(self) -> None:
        """Compile, then hire the workers: on this machine they only read what was compiled."""
        compile_learner(self.config)
        _ = self.crew

    def play(self) -> Played:
        """Have ``num_steps`` decisions played in every game, and put the choices that arrive into the store."""
        if not self._asked:
            self._ask(self.get_weights())
        received = self.crew.receive()
        self._asked = {}
        if not self.config.synchronous:
            self._ask(self.get_weights())
        self.store = _put_together(received)
        self._received = len(received)
        return sum((rollouts.played for rollouts in received), start=Played())

    def iterate(self, progress: float) -> dict[str, float]:
        """As :meth:`train.algorithms.ppo.PPO.iterate`; also how many workers played, and how many have been lost."""
        figures = super().iterate(progress)
        return {**figures, "ray/workers": self._received, "ray/workers_lost": self.crew.lost}

    def evaluator(self) -> Evaluator:
        """Evaluations as Ray tasks."""
        return RayEvaluator(self.config)

    def get_state(self) -> tuple[dict[str, Array], dict[str, Any]]:
        """As :meth:`train.algorithms.self_play.SelfPlayLearner.get_state`, with the games of the workers.

        Rollouts under way are not kept but what they are made from: the games as they stood, and the weights.
        """
        arrays, values = super().get_state()
        states = self.crew.states()
        for place, state in enumerate(states):
            arrays |= {f"workers.{place}.{name}": array for name, array in state.games.items()}
        arrays |= {f"asked.{name}": weight for name, weight in self._asked.items()}
        values["workers"] = [{"number": state.number, "chance": state.chance} for state in states]
        return arrays, {**values, "next_worker": self.crew.next_number, "workers_lost": self.crew.lost}

    def set_state(self, arrays: dict[str, Array], values: dict[str, Any]) -> None:
        """Go on from a state that :meth:`get_state` gave; before workers are hired."""
        super().set_state(arrays, values)
        self._saved = arrays, values
        asked = under("asked.", arrays)
        if asked:
            self._ask(asked)

    def _seat_games(self) -> tuple[Choices, list[Rollout]]:
        return Choices.empty(0, len(self.network.columns), len(self.network.actions)), []

    def _hire(self) -> Crew:
        if self._saved is None:
            return Crew(self.config, self.config.workers)
        arrays, values = self._saved
        states = [
            WorkerState(worker["number"], under(f"workers.{place}.", arrays), worker["chance"])
            for place, worker in enumerate(values["workers"])
        ]
        return Crew(self.config, self.config.workers, states, values["next_worker"], values["workers_lost"])

    def _ask(self, weights: dict[str, Array]) -> None:
        self._asked = weights
        self.crew.request(weights)


EVALUATION: dict[str, Any] = {"num_cpus": 0, "max_retries": -1, "scheduling_strategy": "SPREAD"}
"""How Ray is to run evaluations: on any machine, without waiting for a CPU, since workers keep theirs to the end of the
run; again, as often as it takes, where the machine is lost."""


class RayEvaluator:
    """Measures as Ray tasks."""

    def __init__(self, config: DistributedConfig) -> None:
        self._config = config
        self._under_way: list[tuple[int, Network, list[Any]]] = []

    def begin(self, network: Network, decisions: int) -> None:
        """See :class:`train.runs.evaluator.Evaluator`."""
        task = ray.remote(measure_elsewhere).options(**EVALUATION)
        network = copy.deepcopy(network).cpu()
        sent = ray.put(network)
        tasks = [task.remote(sent, *pairing, self._config) for pairing in pairings(self._config)]
        self._under_way.append((decisions, network, tasks))

    def finished(self, wait: bool) -> list[Measured]:
        """See :class:`train.runs.evaluator.Evaluator`."""
        finished = []
        while self._under_way:
            decisions, network, tasks = self._under_way[0]
            if not wait and len(ray.wait(tasks, num_returns=len(tasks), timeout=0)[0]) < len(tasks):
                break
            del self._under_way[0]
            pairs = [self._result(*each, network) for each in zip(tasks, pairings(self._config), strict=True)]
            finished.append(Measured(decisions, [result for result, _ in pairs], [games for _, games in pairs]))
        return finished

    def _result(self, task: Any, pairing: tuple[str, Rules], network: Network) -> tuple[Evaluation, list[Replay]]:
        try:
            result, replays = ray.get(task)
        except ray.exceptions.RayTaskError:  # an opponent's file, say, is on this machine only
            return measure(network, *pairing, self._config)
        return result, [Replay.from_json(replay) for replay in replays]


def measure_elsewhere(
    network: Network, opponent: str, rules: Rules, config: DistributedConfig
) -> tuple[Evaluation, list[str]]:
    """:func:`train.runs.evaluator.measure` in a process of its own; the games as texts."""
    torch.set_num_threads(1)
    result, replays = measure(network, opponent, rules, replace(config, threads=1))
    return result, [replay.to_json() for replay in replays]


def _put_together(received: list[Rollouts]) -> Choices:
    """All choices that were received, with room for what is computed from them here."""

    def tensor(name: str) -> Tensor:
        return torch.from_numpy(np.concatenate([rollouts.choices[name] for rollouts in received]))

    sent = {name: tensor(name) for name in received[0].choices}
    rows = len(sent["action"])
    rest = {"reward": torch.zeros(rows), "target": torch.zeros(rows), "following": torch.zeros(rows, dtype=torch.int32)}
    return Choices(**sent, **rest)


def _store(config: DistributedConfig) -> int:
    """Bytes of shared memory for the rollouts that are learnt from and those under way."""
    rules = config.all_rules()
    players = max(each.players for each in rules)
    a_row = len(policy_columns(rules)) + config.history * EVENT_SIZE
    a_choice = a_row + len(policy_actions(rules)) + 64 * players  # numbers, hidden hands
    return max(LEAST_STORE, 2 * config.workers * config.num_envs * config.num_steps * a_choice)
