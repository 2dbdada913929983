"""Self-play over games on a GPU: :class:`DeviceRollout` does there what :class:`train.algorithms.parts.rollout.Rollout`
does on the processor.

A step is the same work for every game: the network is evaluated for forced decisions, too, and each of them has a row
in the buffer, which is not trained on. So shapes do not change, and nothing waits for the GPU until the rollout is
over, unless opponents decide on the processor (:mod:`train.algorithms.parts.device.opponents`).
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from train.algorithms.parts.device import kernels
from train.algorithms.parts.device.opponents import DeviceOpponents
from train.algorithms.parts.device.policy import Deciding
from train.algorithms.parts.device.tensors import tables_on, tensor_on, tensors_on
from train.algorithms.parts.graphs import Recorded
from train.algorithms.parts.rollout import (
    Choose,
    Evaluate,
    RolloutStats,
    WinRecord,
    learning_seats,
    sample_actions,
)
from train.algorithms.parts.rollout_buffer import RolloutBuffer
from train.networks.kernels import OPEN
from train.runs.checkpoint import load_generator
from uno_env import BatchedGames, DeviceGames
from uno_env.common.numbers import checked_arrays, checked_whole
from uno_env.core.arrays import Array
from uno_env.core.jit.devices import machine_of
from uno_env.player import Player
from uno_env.symmetry import CanonicalForm


class DeviceRollout:
    """Plays the games of one table with one network, and stores its choices, all on one device.

    The games are those of several ``groups``, batches with ``obs_dtype="uint8"`` that a run on the processor would play
    one by one; they are dealt here. A checkpoint has each group by itself, as on the processor. The generator of the
    first group seeds the device's own in every rollout.

    Args:
        groups: batches by the same rules; only their state is used.
        device: where to play, see :class:`uno_env.DeviceGames`.
        rngs: a generator for each group.
        uses_graphs: whether rollouts are repeated as CUDA graphs, unless opponents decide on the processor.

    The other arguments and the attributes are those of :class:`train.algorithms.parts.rollout.Rollout`.
    """

    def __init__(
        self,
        groups: Sequence[BatchedGames],
        device: torch.device,
        columns: Array,
        actions: Array,
        buffer: RolloutBuffer,
        rngs: Sequence[np.random.Generator],
        opponent_share: float = 0.0,
        learners: int = 1,
        symmetry: bool = False,
        truncated_is_lost: bool = False,
        uses_graphs: bool = False,
    ) -> None:
        rules, self._sizes = groups[0].rules, [group.num_games for group in groups]
        self.buffer, self.rngs = buffer, rngs
        self.games = DeviceGames(sum(self._sizes), rules, device=device, obs_dtype="uint8")
        self.device = self.games.device
        self._generator = torch.Generator(self.device)
        for group in groups:
            group.reset()
        self._view = self.games.set_state(_concatenated([group.get_state() for group in groups]))
        shares = [learning_seats(size, rules.players, opponent_share, learners) for size in self._sizes]
        has_opponent, self._learning = (
            tensor_on(self.device, np.concatenate(each)) for each in zip(*shares, strict=True)
        )
        self._first_learner = self._learning.long().argmax(dim=1, keepdim=True)
        self.records: dict[int, WinRecord] = {}
        self._totals = torch.zeros(4, dtype=torch.float64, device=self.device)
        self._truncated = -1.0 / (rules.players - 1) if truncated_is_lost else 0.0
        self._uses_graphs = uses_graphs
        self._recorded: Recorded | None = None
        self._recorded_of: tuple[Any, ...] = ()
        self._bind(CanonicalForm(columns, actions, rules=rules), symmetry)
        deciding = Deciding(self._view, self._decided, self._real, self._actions, self._generator)
        self._opponents: DeviceOpponents | None = None
        if opponent_share:
            self._opponents = DeviceOpponents(self.games, has_opponent, self._learning, deciding)

    def _bind(self, canonical: CanonicalForm, symmetry: bool) -> None:
        """Compile the kernels, and give them their arrays."""
        buffer, number, machine = self.buffer, self.games.num_games, machine_of(self.device)
        whole = torch.zeros(number, dtype=torch.int64, device=self.device)
        self._row = whole[:1].clone()
        self._last = torch.full((number, self._learning.shape[1]), OPEN, dtype=torch.int32, device=self.device)
        self._winner = torch.zeros(number, dtype=torch.int32, device=self.device)
        self._actions = whole.clone()
        self._rewards, self._done = torch.zeros(self._learning.shape, device=self.device), whole.bool()
        every = torch.arange(number, device=self.device)
        self._decided = kernels.Decided(every, whole.byte(), whole.clone(), whole.clone(), buffer.obs, buffer.mask)
        arrays = tensors_on(self.device, canonical.arrays(self.games.rules, symmetry))
        self._real = arrays.actions
        chains = self._last, buffer.next_index, buffer.reward
        self._decide = machine.bind(
            kernels.DECIDE,
            number,
            (
                self._row,
                self._view,
                tables_on(self.device),
                arrays,
                self._learning.byte(),
                chains,
                self._decided,
            ),
        )
        self._credit = machine.bind(
            kernels.CREDIT, number, (self._rewards, self._done, self._winner, self._truncated, chains)
        )

    @property
    def num_groups(self) -> int:
        """How many groups a checkpoint has; each has its own next opponent."""
        return len(self._sizes)

    def set_opponents(self, opponents: Mapping[int, Callable[[], Player]], *next_opponents: int) -> None:
        """Set which opponents can be met, see :meth:`train.algorithms.parts.rollout.Rollout.set_opponents`;
        ``next_opponents`` has one for each group.
        """
        if self._opponents is not None:
            self._opponents.set(opponents, tensor_on(self.device, np.repeat(next_opponents, self._sizes)))

    @torch.no_grad()
    def collect(self, steps: int, evaluate: Evaluate, choose: Choose = sample_actions) -> RolloutStats:
        """Play ``steps`` decisions in every game, see :meth:`train.algorithms.parts.rollout.Rollout.collect`."""
        number = self.games.num_games
        checked_whole("steps", steps, 0, len(self.buffer.action) // number)
        self._begin_rollout()
        self._rollout_of(steps, evaluate, choose)()
        self.records = {} if self._opponents is None else self._opponents.records()
        choices, hands, hand_decisions, reward = self._totals.tolist()
        return RolloutStats(steps * number, int(choices), int(hands), int(hand_decisions), reward)

    def _rollout_of(self, steps: int, evaluate: Evaluate, choose: Choose) -> Callable[[], None]:
        """What plays ``steps`` decisions in every game. With graphs, it is what was recorded for the same functions and
        opponents.
        """
        number, parts = self.games.num_games, () if self._opponents is None else self._opponents.parts

        def play() -> None:
            for step in range(steps):
                self._play(slice(step * number, (step + 1) * number), evaluate, choose)

        if not self._uses_graphs or parts is None:
            return play
        if self._recorded is None or self._recorded_of != (steps, evaluate, choose, parts):
            self._recorded, self._recorded_of = Recorded(play, self._generator), (steps, evaluate, choose, parts)
        return self._recorded

    def _begin_rollout(self) -> None:
        """Clear chains and records, and seed all generators."""
        self._generator.manual_seed(self._seed())
        if self._opponents is not None:
            self._opponents.begin(self._seed)
        self._totals.zero_()
        self._row.zero_()
        self.buffer.next_index.fill_(OPEN)
        self._last.fill_(OPEN)

    def _seed(self) -> int:
        return int(self.rngs[0].integers(2**63))

    def _play(self, rows: slice, evaluate: Evaluate, choose: Choose) -> None:
        """Play one decision in every game, whose rows of the buffer these are."""
        buffer, decided = self.buffer, self._decided
        # Forced decisions, rows and chains
        self._decide()
        # The learner's choices
        chosen = choose(*evaluate(buffer.obs[rows]), buffer.mask[rows], self._generator)
        buffer.action[rows], buffer.logp[rows], buffer.value[rows] = chosen
        real = self._real[decided.form, buffer.action[rows]]
        self._actions.copy_(torch.where(decided.decider == kernels.FORCED, decided.forced, real))
        # Those of opponents
        if self._opponents is not None:
            self._opponents.decide(buffer.obs[rows], buffer.mask[rows])
        # The games go on
        *_, reward, done = self.games.step(self._actions)
        self._rewards.copy_(reward)
        self._done.copy_(done)
        self._winner.copy_(self.games.winner)
        self._credit()
        self._count()
        self._row += self.games.num_games

    def _count(self) -> None:
        """Count choices and the hands that ended, and let the next opponents begin."""
        reward, done = self._rewards, self._done
        choices = self._decided.decider == kernels.LEARNER
        of_first = reward.gather(1, self._first_learner).squeeze(1)
        sums = [choices.sum(), done.sum(), (self.games.length * done).sum(), (of_first * done).sum()]
        self._totals += torch.stack([each.double() for each in sums])
        if self._opponents is not None:
            self._opponents.count(reward, done)

    def estimate_advantages(self, gae_lambda: float, choice_cost: float) -> None:
        """Set the advantages and targets of the rollout."""
        buffer, number = self.buffer, self.games.num_games
        arguments = buffer.value, buffer.reward, buffer.next_index, gae_lambda, choice_cost, buffer.advantage
        machine_of(self.device).bind(kernels.ESTIMATE, number, (number, *arguments))()
        torch.add(buffer.advantage, buffer.value, out=buffer.target)

    def center_open_values(self) -> None:
        """Same as :meth:`train.algorithms.parts.rollout.Rollout.center_open_values`."""
        rows, value = self._last[(self._last >= 0).all(dim=1)].long(), self.buffer.value
        value[rows] -= value[rows].mean(dim=1, keepdim=True)

    def get_states(self) -> list[dict[str, Any]]:
        """The state of each group, see :meth:`train.algorithms.parts.rollout.Rollout.get_state`."""
        games = {**self.games.get_state(), **{name: each.cpu().numpy() for name, each in self._own_state().items()}}
        ends = np.cumsum(self._sizes)[:-1]
        parts = zip(*(np.split(array, ends) for array in games.values()), strict=True)
        states = [dict(zip(games, part, strict=True)) for part in parts]
        return [{"games": state, "rng": rng.bit_generator.state} for state, rng in zip(states, self.rngs, strict=True)]

    def set_states(self, states: Sequence[dict[str, Any]]) -> None:
        """Continue from states of :meth:`get_states`, here or on the processor. Raises ValueError if their games are
        others, or impossible.
        """
        games = _concatenated([state["games"] for state in states])
        given = checked_arrays(games, {name: each.cpu().numpy() for name, each in self._own_state().items()})
        self.games.set_state(games)
        for name, tensor in self._own_state().items():
            tensor.copy_(torch.from_numpy(given[name]))
        for rng, state in zip(self.rngs, states, strict=True):
            load_generator(rng, state["rng"])

    def _own_state(self) -> dict[str, Tensor]:
        return {} if self._opponents is None else self._opponents.state


def _concatenated(states: Sequence[Mapping[str, Array]]) -> dict[str, Array]:
    """States of several batches as that of one."""
    return {name: np.concatenate([state[name] for state in states]) for name in states[0]}
