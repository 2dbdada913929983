"""Self-play over batched games: one network plays all seats; forced decisions are made without it.

A *choice* is a decision with two or more legal actions; see :mod:`train.networks.kernels` for rows and chains.

In a share of the games opponents play some of the seats, and only the learner's choices are stored. An opponent plays a
hand to its end; the next hand of that game is against the opponent that is set by then. So every hand that is counted
was played against one opponent from its first card to its last.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from train.algorithms.parts.masked_softmax import sample_masked
from train.algorithms.parts.rollout_buffer import RolloutBuffer
from train.networks import kernels
from train.runs.checkpoint import load_generator
from uno_env import BatchedGames
from uno_env.actions import NUM_ACTIONS
from uno_env.common.numbers import checked_arrays, checked_indices, checked_whole
from uno_env.core.arrays import Array
from uno_env.observation import OBSERVATION_SIZE
from uno_env.player import Player
from uno_env.symmetry import CanonicalForm

NOBODY = -1
Evaluate = Callable[[Tensor], tuple[Tensor, Tensor]]
"""Logits float32 [n, A] and values float32 [n] for observations uint8 [n, C], on the device of these."""
Choose = Callable[[Any, Any, Any, Any], tuple[Any, Any, Any]]
"""From logits [n, A], values [n], masks uint8 [n, A] and a generator: actions int64 [n], their log-probabilities and
the values to store, float32 [n]. These are arrays and a generator of NumPy; for games on a GPU, tensors and a generator
of PyTorch."""


def sample_actions(logits: Any, values: Any, mask: Any, rng: Any) -> tuple[Any, Any, Any]:
    """Draw actions by their probabilities; a :data:`Choose`."""
    if isinstance(rng, torch.Generator):
        return *sample_masked(logits, mask, rng), values
    action, logp = np.empty(len(mask), np.int64), np.empty(len(mask), np.float32)
    kernels.sample_masked(logits, mask, rng.random(len(mask), np.float32), action, logp)
    return action, logp, values


@dataclass
class RolloutStats:
    """Counts and results of a rollout."""

    decisions: int = 0
    """All, forced or not."""
    choices: int = 0
    hands: int = 0
    hand_decisions: int = 0
    """Decisions of the finished hands."""
    reward: float = 0.0
    """Sum over the finished hands of the reward of the first seat that learns: seat 0 without opponents."""

    def figures(self) -> dict[str, float]:
        """Means over the finished hands, under SB3's names."""
        hands = max(1, self.hands)
        return {"rollout/ep_rew_mean": self.reward / hands, "rollout/ep_len_mean": self.hand_decisions / hands}

    def __add__(self, other: "RolloutStats") -> "RolloutStats":
        return RolloutStats(
            *(mine + theirs for mine, theirs in zip(vars(self).values(), vars(other).values(), strict=True))
        )


@dataclass
class WinRecord:
    """Results of the learner against an opponent."""

    hands: float = 0.0
    reward: float = 0.0
    """Sum over the hands of the mean reward of the seats that learnt."""

    def add(self, other: "WinRecord") -> None:
        """Count the hands of another record too."""
        self.hands += other.hands
        self.reward += other.reward


def learning_seats(games: int, players: int, opponent_share: float, learners: int) -> tuple[Array, Array]:
    """Which games have an opponent, bool [N], and which seats of each learn, bool [N, seats]; see :class:`Rollout`."""
    has_opponent = np.arange(games) < math.ceil(opponent_share * games)
    turned = (np.arange(players) - np.arange(games)[:, None]) % players
    return has_opponent, (turned < learners) | ~has_opponent[:, None]


class Rollout:
    """Plays a batch of games with one network, and stores its choices. If opponents play some of the games, call
    :meth:`set_opponents` before :meth:`collect`.

    In every rollout, this generator of random numbers seeds those of the opponents, so that a run
    that was stopped continues as if it had not been. Raises ValueError if the games, columns, actions and the buffer do
    not fit each other.

    Args:
        games: games with ``obs_dtype="uint8"``; they are dealt here.
        columns: columns of the observation that the network reads.
        actions: catalogue ids of its outputs.
        buffer: room for the choices.
        rng: draws the actions.
        opponent_share: share of the games with opponents, rounded up; in the others the network plays all seats.
        learners: seats of such a game that learn, next to each other; they move on by one from game to game.
        symmetry: whether the network reads observations in canonical form (:mod:`uno_env.symmetry`), in which they are
            stored then.
        truncated_is_lost: whether a truncated hand is stored as lost by every seat.

    Attributes:
        num_choices: rows of the buffer that the last rollout filled.
        records: results of the last rollout's hands against each opponent, by its number.
    """

    def __init__(
        self,
        games: BatchedGames,
        columns: Array,
        actions: Array,
        buffer: RolloutBuffer,
        rng: np.random.Generator,
        opponent_share: float = 0.0,
        learners: int = 1,
        symmetry: bool = False,
        truncated_is_lost: bool = False,
    ) -> None:
        self.games, self.buffer, self.rng = games, buffer, rng
        self._truncated = -1.0 / (games.rules.players - 1) if truncated_is_lost else 0.0
        columns = checked_indices("columns", columns, OBSERVATION_SIZE)
        actions = checked_indices("actions", actions, NUM_ACTIONS)
        self._arrays = {name: tensor.numpy() for name, tensor in vars(buffer).items()}
        self._symmetry = symmetry
        self._canonical = CanonicalForm(columns, actions, rules=games.rules)
        self._view = games.reset()
        self._check_buffer(len(columns), len(actions))
        number, players = games.num_games, games.rules.players
        self._actions = np.zeros(number, np.int64)
        self._choosing = np.zeros(number, np.int64)
        self._forms = np.zeros(number, np.int64)
        self._last = np.zeros((number, players), np.int32)
        self._has_opponent, self._learning = learning_seats(number, players, opponent_share, learners)
        self._first = self._learning.argmax(axis=1)
        self._opponent = np.full(number, NOBODY)
        self._counts = np.ones(number, bool)
        self._players: dict[int, Player] = {}
        self._next = NOBODY
        self.num_choices = 0
        self.records: dict[int, WinRecord] = {}

    def _check_buffer(self, columns: int, actions: int) -> None:
        """Check that compiled code finds the room that it writes to."""
        fits = (self.buffer.obs.shape[1], self.buffer.mask.shape[1]) == (columns, actions)
        for name, like in vars(RolloutBuffer.empty(0, 0, 0)).items():
            own = getattr(self.buffer, name)
            fits &= len(own) == len(self.buffer.action) and (own.dtype, own.dim()) == (like.dtype, like.dim())
        if self._view[0].dtype != np.uint8 or not fits:
            raise ValueError("the buffer does not fit: its rows or masks are not those of the games and columns")

    num_groups = 1
    """How many groups of games it plays; see :class:`train.algorithms.parts.device.rollout.DeviceRollout`."""

    def set_opponents(self, opponents: Mapping[int, Callable[[], Player]], next_opponent: int) -> None:
        """Set which opponents can be met: by number, a function that makes an opponent for this rollout alone.

        Hands that begin from now on are against ``next_opponent``. Hands that began against an opponent that is not
        among them are finished by the next one, and do not count.
        """
        self._players = {number: self._players.get(number) or make() for number, make in opponents.items()}
        self._next = next_opponent
        left = self._has_opponent & ~np.isin(self._opponent, list(opponents))
        self._counts[left] = self._opponent[left] == NOBODY
        self._opponent[left] = next_opponent

    def collect(self, steps: int, evaluate: Evaluate, choose: Choose = sample_actions) -> RolloutStats:
        """Play ``steps`` decisions in every game, from where the last rollout stopped; chains begin anew. Decisions are
        those of all seats, choices the learner's. Raises ValueError if the buffer has no room for so many, or the
        opponents are not set.
        """
        checked_whole("steps", steps, 0, len(self.buffer.action) // self.games.num_games)
        self._begin_rollout()
        arrays, stats, count = self._arrays, RolloutStats(decisions=steps * self.games.num_games), 0
        for _ in range(steps):
            # Forced decisions and those of opponents
            _, mask, seat = self._view
            choosing = self._learners(self._choosing[: kernels.decide_forced(mask, self._actions, self._choosing)])
            # The learner's choices
            rows = slice(count, count + len(choosing))
            forms = self._store_observations(choosing, rows)
            kernels.link_choices(choosing, count, seat, self._last, arrays["next_index"], arrays["reward"])
            chosen = choose(*self._evaluated(rows, evaluate), arrays["mask"][rows], self.rng)
            arrays["action"][rows], arrays["logp"][rows], arrays["value"][rows] = chosen
            self._actions[choosing] = self._canonical.real_actions(forms, arrays["action"][rows])
            # The games go on
            obs, mask, seat, reward, done = self.games.step(self._actions)
            self._view = obs, mask, seat
            kernels.credit_rewards(
                reward, done, self.games.winner, self._truncated, self._last, arrays["next_index"], arrays["reward"]
            )
            stats += self._finished(reward, done)
            count = rows.stop
        stats.choices = self.num_choices = count
        return stats

    def _begin_rollout(self) -> None:
        """Clear chains and records, and seed the opponents."""
        met = {*self._opponent[self._has_opponent].tolist()}
        if met - set(self._players):
            raise ValueError("some games have opponents, and they are not set: call set_opponents() before collect()")
        self.records = {number: WinRecord() for number in self._players}
        for number in sorted({*met, self._next} if met else ()):
            self._players[number].reset(int(self.rng.integers(2**63)))
        self._arrays["next_index"][:] = kernels.OPEN
        self._last[:] = kernels.OPEN

    def _store_observations(self, choosing: Array, rows: slice) -> Array:
        """Store what some games show, and return their canonical forms, int64 [n]."""
        (obs, mask, _), arrays, forms = self._view, self._arrays, self._forms[: len(choosing)]
        if self._symmetry:
            self._canonical.find_forms(obs, None, choosing, forms)
        self._canonical.write_rows(obs, None, choosing, forms, arrays["obs"][rows])
        self._canonical.write_masks(mask, choosing, forms, arrays["mask"][rows])
        return forms

    def estimate_advantages(self, gae_lambda: float, choice_cost: float) -> None:
        """Set the advantages and targets of the rollout."""
        self.buffer.estimate_advantages(gae_lambda, choice_cost)

    def center_open_values(self) -> None:
        """Shift the values of the last choices in each unfinished hand so that they add up to 0 over its seats, as
        rewards do.

        Hands in which a seat has not chosen yet, or does not learn, stay as they are.
        """
        rows, value = self._last[(self._last >= 0).all(axis=1)], self._arrays["value"]
        value[rows] -= value[rows].mean(axis=1, keepdims=True)

    def get_states(self) -> list[dict[str, Any]]:
        """The state of each of its groups, of which there is one."""
        return [self.get_state()]

    def set_states(self, states: Sequence[dict[str, Any]]) -> None:
        """Continue from states of :meth:`get_states`; see :meth:`set_state`."""
        (state,) = states
        self.set_state(state)

    def get_state(self) -> dict[str, Any]:
        """Return the games and the generator of random numbers, copied, without the network and the opponents."""
        games = dict(self.games.get_state())
        if self._has_opponent.any():
            games |= {"opponent": self._opponent.copy(), "counts": self._counts.copy()}
        return {"games": games, "rng": self.rng.bit_generator.state}

    def set_state(self, state: dict[str, Any]) -> None:
        """Continue from a state of :meth:`get_state`. Raises ValueError if its games are others, or impossible."""
        own = {"opponent": self._opponent, "counts": self._counts} if self._has_opponent.any() else {}
        given = checked_arrays(state["games"], own)
        self._view = self.games.set_state(state["games"])
        for name, array in own.items():
            array[:] = given[name]
        load_generator(self.rng, state["rng"])

    def _learners(self, choosing: Array) -> Array:
        """Return the games with a choice for a learner. In the other games with a choice the opponents decide."""
        if not self._players:
            return choosing
        obs, mask, seat = self._view
        mine = self._learning[choosing, seat[choosing]]
        theirs = choosing[~mine]
        for number in np.unique(self._opponent[theirs]).tolist():
            rows = theirs[self._opponent[theirs] == number]
            self._actions[rows] = self._players[number].act_batch(obs[rows], mask[rows])
        return choosing[mine]

    def _evaluated(self, rows: slice, evaluate: Evaluate) -> tuple[Array, Array]:
        """Logits float32 [n, A] and values [n] of rows of the buffer. Raises ValueError if they have another form."""
        logits, values = evaluate(self.buffer.obs[rows])
        shape = self._arrays["mask"][rows].shape
        if logits.shape != shape or logits.dtype != torch.float32 or values.shape != shape[:1]:
            form = f"{logits.dtype} {list(logits.shape)} and {list(values.shape)}"
            raise ValueError(f"logits and values must be float32 {list(shape)} and {list(shape[:1])}, not {form}")
        return logits.numpy(), values.numpy()

    def _finished(self, reward: Array, done: Array) -> RolloutStats:
        over = np.flatnonzero(done)
        ended = over[self._has_opponent[over]]
        self._record(ended[self._counts[ended]], reward)
        self._opponent[ended], self._counts[ended] = self._next, True
        total = float(reward[over, self._first[over]].sum())
        return RolloutStats(hands=len(over), hand_decisions=int(self.games.length[over].sum()), reward=total)

    def _record(self, games: Array, reward: Array) -> None:
        learning = self._learning[games]
        means = (reward[games] * learning).sum(axis=1) / learning.sum(axis=1)
        for number in np.unique(self._opponent[games]).tolist():
            met = self._opponent[games] == number
            self.records[number].add(WinRecord(int(met.sum()), float(means[met].sum())))
