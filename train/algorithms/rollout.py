"""Self-play over batched games: every seat asks the same network, forced decisions are made without it.

A *choice* is a decision with two or more legal actions; see :mod:`train.networks.kernels` for rows and chains.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from train.networks import kernels
from train.networks.critic import hand_kinds
from uno_env import BatchedGames
from uno_env.core.packed_games import rows_of

Array = npt.NDArray[Any]
Evaluate = Callable[[Tensor], tuple[Tensor, Tensor]]
"""Logits float32 [n, A] and values float32 [n] of rows uint8 [n, C], on the CPU."""


@dataclass(frozen=True)
class RolloutBuffer:
    """Room for choices, one row each; only those that :meth:`Rollout.collect` counts are filled."""

    row: Tensor
    """uint8 [R, C]: the network's columns of the observation, then the past events that it reads."""
    mask: Tensor
    """uint8 [R, A]: which of the network's actions were legal."""
    hands: Tensor
    """uint8 [R, H]: what the others held, hidden from the player; H is 0 unless a critic is to see it."""
    action: Tensor
    """int64 [R]: the network's output that was chosen."""
    logp: Tensor
    """float32 [R]: logarithm of its probability when it was chosen."""
    value: Tensor
    """float32 [R]: the network's value then."""
    reward: Tensor
    """float32 [R]: the seat's reward, at the end of a chain."""
    next_index: Tensor
    """int32 [R]: the chain's next row, or ``kernels.ENDED`` or ``OPEN``."""
    advantage: Tensor
    """float32 [R]: see :func:`train.networks.kernels.estimate_advantages`."""
    target: Tensor
    """float32 [R]: what the value should have been."""

    @classmethod
    def empty(cls, rows: int, columns: int, actions: int, hands: int = 0, pinned: bool = False) -> "RolloutBuffer":
        """Room for ``rows`` choices; ``pinned`` memory is what a GPU reads fastest."""

        def zeros(*shape: int, dtype: torch.dtype = torch.float32) -> Tensor:
            return torch.zeros(shape, dtype=dtype, pin_memory=pinned)

        return cls(
            row=zeros(rows, columns, dtype=torch.uint8),
            mask=zeros(rows, actions, dtype=torch.uint8),
            hands=zeros(rows, hands, dtype=torch.uint8),
            action=zeros(rows, dtype=torch.int64),
            logp=zeros(rows),
            value=zeros(rows),
            reward=zeros(rows),
            next_index=zeros(rows, dtype=torch.int32),
            advantage=zeros(rows),
            target=zeros(rows),
        )

    def part(self, rows: slice) -> "RolloutBuffer":
        """A view of some of the rows."""
        return RolloutBuffer(**{name: tensor[rows] for name, tensor in vars(self).items()})

    def select(self, rows: Tensor) -> "RolloutBuffer":
        """A copy of the rows of some indices."""
        return RolloutBuffer(**{name: tensor.index_select(0, rows) for name, tensor in vars(self).items()})

    def to(self, device: torch.device) -> "RolloutBuffer":
        """The same on another device."""
        return RolloutBuffer(**{name: tensor.to(device, non_blocking=True) for name, tensor in vars(self).items()})

    def closed(self) -> Tensor:
        """Indices of the rows whose chain goes on or ended, of all rows; the others cannot be learnt from."""
        return torch.nonzero(self.next_index != kernels.OPEN).squeeze(1)

    def on_device(self, device: torch.device, rows: Tensor) -> tuple["RolloutBuffer", Tensor]:
        """Where learning from some rows finds them: themselves on the CPU, else copies of them and their indices."""
        return (self, rows) if device.type == "cpu" else (self.select(rows).to(device), torch.arange(len(rows)))

    def estimate_advantages(self, gae_lambda: float, choice_cost: float) -> None:
        """Set the advantages of all rows, see :func:`train.networks.kernels.estimate_advantages`."""
        value, reward, next_index, advantage = (
            tensor.numpy() for tensor in (self.value, self.reward, self.next_index, self.advantage)
        )
        kernels.estimate_advantages(value, reward, next_index, gae_lambda, choice_cost, advantage)


@dataclass
class RolloutStats:
    """What a rollout played."""

    decisions: int = 0
    """All, forced or not."""
    choices: int = 0
    hands: int = 0
    hand_decisions: int = 0
    """Decisions of the finished hands."""
    reward: float = 0.0
    """Sum over the finished hands of seat 0's reward."""

    def figures(self) -> dict[str, float]:
        """Means over the finished hands, under SB3's names."""
        hands = max(1, self.hands)
        return {"rollout/ep_rew_mean": self.reward / hands, "rollout/ep_len_mean": self.hand_decisions / hands}

    def __add__(self, other: "RolloutStats") -> "RolloutStats":
        return RolloutStats(
            *(mine + theirs for mine, theirs in zip(vars(self).values(), vars(other).values(), strict=True))
        )


class Rollout:
    """Plays a batch of games with one network for all seats, and stores their choices.

    Args:
        games: games with ``obs_dtype="uint8"``; they are dealt here.
        columns: columns of the observation that the network reads.
        actions: catalogue ids of its outputs.
        buffer: room for the choices.
        rng: draws the actions.
    """

    def __init__(
        self, games: BatchedGames, columns: Array, actions: Array, buffer: RolloutBuffer, rng: np.random.Generator
    ) -> None:
        self.games, self.columns, self.outputs, self.rng = games, columns, actions, rng
        self.buffer = buffer
        self._arrays = {name: tensor.numpy() for name, tensor in vars(buffer).items()}
        self._history = games.history if buffer.row.shape[1] > len(columns) else None
        self._kinds = hand_kinds(games.rules) if buffer.hands.shape[1] else None
        self._view = games.reset()
        self._actions = np.zeros(games.num_games, np.int64)
        self._choosing = np.zeros(games.num_games, np.int64)
        self._last = np.zeros((games.num_games, games.rules.players), np.int32)

    def collect(self, steps: int, evaluate: Evaluate) -> RolloutStats:
        """Play ``steps`` decisions in every game, from where the last rollout stopped; chains begin anew."""
        arrays, stats, count = self._arrays, RolloutStats(decisions=steps * self.games.num_games), 0
        arrays["next_index"][:] = kernels.OPEN
        self._last[:] = kernels.OPEN
        for _ in range(steps):
            obs, mask, seat = self._view
            choosing = self._learners(self._choosing[: kernels.decide_forced(mask, self._actions, self._choosing)])
            rows = slice(count, count + len(choosing))
            kernels.gather_columns(obs, choosing, self.columns, arrays["row"][rows])
            if self._history is not None:
                kernels.gather_events(self._history, choosing, len(self.columns), arrays["row"][rows])
            kernels.gather_columns(mask, choosing, self.outputs, arrays["mask"][rows])
            if self._kinds is not None:
                players = self.games.rules.players
                others = choosing, seat, players, self._kinds, arrays["hands"][rows]
                kernels.gather_other_hands(rows_of(self.games.games), *others)
            kernels.link_choices(choosing, count, seat, self._last, arrays["next_index"], arrays["reward"])
            self._choose(choosing, rows, evaluate)
            obs, mask, seat, reward, done = self.games.step(self._actions)
            self._view = obs, mask, seat
            kernels.credit_rewards(reward, done, self._last, arrays["next_index"], arrays["reward"])
            stats += self._finished(reward, done)
            count = rows.stop
        stats.choices = count
        return stats

    def get_state(self) -> dict[str, Any]:
        """All that the next rollout depends on, but for the network; copied."""
        return {"games": self.games.get_state(), "rng": self.rng.bit_generator.state}

    def set_state(self, state: dict[str, Any]) -> None:
        """Go on from a state of :meth:`get_state`."""
        self._view = self.games.set_state(state["games"])
        self.rng.bit_generator.state = state["rng"]

    def _learners(self, choosing: Array) -> Array:
        """Of the games with a choice those whose players learn: all; see :mod:`train.algorithms.best_response`."""
        return choosing

    def _choose(self, choosing: Array, rows: slice, evaluate: Evaluate) -> None:
        arrays = self._arrays
        logits, values = evaluate(self.buffer.row[rows])
        uniform = self.rng.random(len(choosing), np.float32)
        kernels.sample_masked(
            logits.numpy(), arrays["mask"][rows], uniform, arrays["action"][rows], arrays["logp"][rows]
        )
        arrays["value"][rows] = values.numpy()
        self._actions[choosing] = self.outputs[arrays["action"][rows]]

    def _finished(self, reward: Array, done: Array) -> RolloutStats:
        over = np.flatnonzero(done)
        return RolloutStats(
            hands=len(over), hand_decisions=int(self.games.length[over].sum()), reward=float(reward[over, 0].sum())
        )
