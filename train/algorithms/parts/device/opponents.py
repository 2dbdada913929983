"""The opponents in games on a GPU: :class:`DeviceOpponents`.

- *Past selves* are evaluated together (:mod:`.past_selves`), in all games that have an opponent.
- *Scripted agents* are compiled for the GPU from the same source files.
- *Saved policies* are evaluated there (:mod:`.policy`).
- *Other agents* decide on the processor: their observations are copied there in each step, which waits for the GPU.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor

from agents.policy.policy_agent import PolicyAgent
from agents.scripted.agent import ScriptedAgent
from agents.scripted.strategy import Scratch
from train.algorithms.parts.device.kernels import OPPONENT, scripted_kernel
from train.algorithms.parts.device.past_selves import PastSelves
from train.algorithms.parts.device.policy import Deciding, PolicyOnDevice
from train.algorithms.parts.device.tensors import tensor_on
from train.algorithms.parts.league import PastSelf
from train.algorithms.parts.masked_softmax import sample_masked
from train.algorithms.parts.rollout import NOBODY, WinRecord
from uno_env import DeviceGames
from uno_env.actions import NUM_ACTIONS
from uno_env.core.jit.devices import machine_of
from uno_env.core.jit.places import Bound
from uno_env.player import Player


class DeviceOpponents:
    """Who plays against the learner in which game, and how the hands against each ended.

    Tensors stay where they are, and only :meth:`set` and :meth:`begin` wait for the device, unless some agents decide
    on the processor. So :meth:`decide` and :meth:`count` can be recorded as CUDA graphs.

    Args:
        games: the games of the rollout.
        has_opponent: bool [N], which of them have an opponent: one or more.
        learning: bool [N, seats], the seats that learn.
        deciding: what is shared with the rollout.
    """

    def __init__(self, games: DeviceGames, has_opponent: Tensor, learning: Tensor, deciding: Deciding) -> None:
        self._rules, self._device = games.rules, games.device
        self._has_opponent, self._learning = has_opponent, learning
        self._deciding = deciding
        self._playing = torch.nonzero(has_opponent).squeeze(1)
        self._opponent = torch.full_like(deciding.actions, NOBODY)
        self._next, self._begun = self._opponent.clone(), self._opponent.clone()
        self._counts = torch.ones_like(has_opponent)
        # Against the opponent of the rollout's beginning, and against the next one: hands, and rewards
        self._sums = torch.zeros(2, 2, games.num_games, dtype=torch.float64, device=games.device)
        self._players: dict[int, Player] = {}
        self._selves = PastSelves()
        self._here: dict[int, Bound] = {}
        self._others: dict[int, Player] = {}
        self._memory: tuple[Any, ...] = ()

    @property
    def state(self) -> dict[str, Tensor]:
        """The opponent of each game, int64 [N], and whether its hand counts, bool [N]: what a checkpoint has."""
        return {"opponent": self._opponent, "counts": self._counts}

    @property
    def parts(self) -> tuple[int, ...] | None:
        """What :meth:`decide` consists of: it does the same as long as this is the same. None if it waits for the
        processor.
        """
        return None if self._others else (self._selves.places, *self._here)

    def set(self, opponents: Mapping[int, Callable[[], Player]], following: Tensor) -> None:
        """Set which opponents can be met, and that of the hands that begin from now on in each game, int64 [N]; see
        :meth:`train.algorithms.parts.rollout.Rollout.set_opponents`.
        """
        self._players = {number: self._players.get(number) or make() for number, make in opponents.items()}
        self._sort_players()
        self._next.copy_(following)
        present = torch.tensor(list(opponents), device=self._device)
        left = self._has_opponent & ~torch.isin(self._opponent, present)
        self._counts.copy_(torch.where(left, self._opponent == NOBODY, self._counts))
        self._opponent.copy_(torch.where(left, self._next, self._opponent))

    def _sort_players(self) -> None:
        """Find out who decides where; who was there before stays there."""
        selves = {number: each.network for number, each in self._players.items() if isinstance(each, PastSelf)}
        self._selves.set(selves)
        named = {number: each for number, each in self._players.items() if number not in selves}
        deciders = {number: self._here.get(number) or self._decider(number, each) for number, each in named.items()}
        self._here = {number: decide for number, decide in deciders.items() if decide is not None}
        self._others = {number: each for number, each in named.items() if number not in self._here}

    def _decider(self, number: int, player: Player) -> Bound | None:
        """What decides on the device for a player in all games that wait for it; None if nothing can."""
        if type(player) is ScriptedAgent:
            return self._bound(number, player)
        if type(player) is PolicyAgent and not player.card.random_rules:
            policy = PolicyOnDevice(player, self._rules, self._playing, self._deciding)
            return partial(policy.decide, self._opponent, number)
        return None

    def _bound(self, number: int, agent: ScriptedAgent) -> Bound:
        """The kernel of a scripted agent."""
        games, deciding = len(self._playing), self._deciding
        if not self._memory:
            whole = torch.zeros(games, NUM_ACTIONS, dtype=torch.int64, device=self._device)
            self._memory = whole[:, 0].clone().view(torch.uint64), whole, whole.double()
        random, legal, scores = self._memory
        weights: Any = tensor_on(self._device, agent.weights)
        waiting = number, self._playing, self._opponent, deciding.decided.decider
        obs, mask, _ = deciding.seen
        arguments = waiting, obs, mask, Scratch(random, legal, scores, weights), deciding.actions
        return machine_of(self._device).bind(scripted_kernel(agent.strategy), games, arguments)

    def begin(self, seed: Callable[[], int]) -> None:
        """Begin a rollout: forget the records, and seed all opponents. Raises ValueError if some are not set."""
        met = {*torch.cat((self._opponent, self._next))[self._has_opponent.repeat(2)].tolist()}
        if met - set(self._players):
            raise ValueError("some games have opponents, and they are not set: call set_opponents() before collect()")
        if self._memory:
            states = np.random.default_rng(seed()).integers(2**63, size=len(self._playing))
            self._memory[0].view(torch.int64).copy_(torch.from_numpy(states))
        for number, player in self._others.items():
            if number in met:
                player.reset(seed())
        self._begun.copy_(self._opponent)
        self._sums.zero_()

    def decide(self, rows: Tensor, legal: Tensor) -> None:
        """Write the actions of all opponents that are to move. ``rows`` uint8 [N, C] and ``legal`` uint8 [N, A] are the
        network's inputs of this step.
        """
        if self._selves.places:
            self._decide_for_selves(rows[self._playing], legal[self._playing])
        for decide in self._here.values():
            decide()
        for number, player in self._others.items():
            self._decide_for_other(number, player)

    def _decide_for_selves(self, rows: Tensor, legal: Tensor) -> None:
        """Draw the actions of past selves by their probabilities."""
        playing, (_, decided, real, actions, generator) = self._playing, self._deciding
        logits, found = self._selves.logits(rows, self._opponent[playing])
        output, _ = sample_masked(logits, legal, generator)
        waiting = found & (decided.decider[playing] == OPPONENT)
        actions[playing] = torch.where(waiting, real[decided.form[playing], output], actions[playing])

    def _decide_for_other(self, number: int, player: Player) -> None:
        """Let an agent decide on the processor."""
        deciding = self._deciding
        waiting = torch.nonzero((deciding.decided.decider == OPPONENT) & (self._opponent == number)).squeeze(1)
        if len(waiting):
            obs, mask = (each[waiting].cpu().numpy() for each in deciding.seen[:2])
            deciding.actions[waiting] = tensor_on(self._device, player.act_batch(obs, mask))

    def count(self, reward: Tensor, done: Tensor) -> None:
        """Count the hands that ended, and let the next opponents begin. ``reward`` is float32 [N, seats], ``done`` bool
        [N].
        """
        ended = done & self._has_opponent
        means = (reward * self._learning).sum(dim=1) / self._learning.sum(dim=1)
        is_first = self._opponent == self._begun
        for sums, met in zip(self._sums, (is_first, ~is_first), strict=True):
            counted = (ended & self._counts & met).double()
            sums += torch.stack((counted, means * counted))
        self._opponent.copy_(torch.where(ended, self._next, self._opponent))
        self._counts.logical_or_(ended)

    def records(self) -> dict[int, WinRecord]:
        """The hands of the rollout against each opponent, by its number."""
        if not self._players:
            return {}
        met, sums = torch.stack((self._begun, self._next)), self._sums.transpose(0, 1)
        of_each = torch.stack([(sums * (met == number)).sum(dim=(1, 2)) for number in self._players]).tolist()
        return {number: WinRecord(*record) for number, record in zip(self._players, of_each, strict=True)}
