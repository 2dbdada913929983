"""Self-play over batched games: every seat asks the same network, forced decisions are made without it.

A *choice* is a decision with two or more legal actions; see :mod:`train.networks.kernels` for rows and chains.

In a share of the games opponents play some of the seats, and only what the learner chooses is stored. An opponent plays
a hand to its end; the next hand of that game is against the opponent that is set by then. So every hand that is counted
was played against one opponent from its first card to its last.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from train.networks import kernels
from train.networks.critic import hand_kinds
from train.runs.checkpoint import Array, load_generator
from uno_env import BatchedGames
from uno_env.actions import NUM_ACTIONS
from uno_env.common.numbers import checked_arrays, checked_whole, checked_wholes
from uno_env.core.packed_games import rows_of
from uno_env.history import EVENT_SIZE, histories_for
from uno_env.observation import OBSERVATION_SIZE
from uno_env.player import Player
from uno_env.symmetry import CanonicalForm
from uno_env.symmetry.tables import REAL_KINDS, REAL_SEATS

NOBODY = -1
Evaluate = Callable[[Tensor], tuple[Tensor, Tensor]]
"""Logits float32 [n, A] and values float32 [n] of rows uint8 [n, C], on the CPU."""


@dataclass(frozen=True)
class RolloutBuffer:
    """Room for choices, one row each; only those that :meth:`Rollout.collect` counts are filled."""

    row: Tensor
    """uint8 [R, C]: the network's columns of the observation, then the past events that it reads; as it reads them."""
    mask: Tensor
    """uint8 [R, A]: which of the network's actions were legal."""
    hands: Tensor
    """uint8 [R, H]: what the others held, hidden from the player; H is 0 unless a critic is to see it."""
    taught: Tensor
    """int64 [R, T]: the network's output that the teacher would have chosen; T is 0 unless there is one."""
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
    def empty(
        cls, rows: int, columns: int, actions: int, hands: int = 0, teachers: int = 0, pinned: bool = False
    ) -> "RolloutBuffer":
        """Room for ``rows`` choices; ``pinned`` memory is what a GPU reads fastest."""

        def zeros(*shape: int, dtype: torch.dtype = torch.float32) -> Tensor:
            return torch.zeros(shape, dtype=dtype, pin_memory=pinned)

        return cls(
            row=zeros(rows, columns, dtype=torch.uint8),
            mask=zeros(rows, actions, dtype=torch.uint8),
            hands=zeros(rows, hands, dtype=torch.uint8),
            taught=zeros(rows, teachers, dtype=torch.int64),
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
        """Set the advantages of all rows, see :func:`train.networks.kernels.estimate_advantages`, and their targets.

        Raises:
            ValueError: the next index of a row is none, or the fields have not one row each.
        """
        value, reward, next_index, advantage = (
            tensor.numpy() for tensor in (self.value, self.reward, self.next_index, self.advantage)
        )
        if not len(value) == len(reward) == len(next_index) == len(advantage):
            raise ValueError("value, reward, next_index and advantage must have as many rows as each other")
        if len(next_index) and not kernels.ENDED <= next_index.min() <= next_index.max() < len(next_index):
            raise ValueError(f"next_index must be rows from 0 to {len(next_index) - 1}, or mark the end of a chain")
        kernels.estimate_advantages(value, reward, next_index, gae_lambda, choice_cost, advantage)
        torch.add(self.advantage, self.value, out=self.target)


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
class Record:
    """Results of the learner against an opponent."""

    hands: float = 0.0
    reward: float = 0.0
    """Sum over the hands of the mean reward of the seats that learnt."""

    def add(self, other: "Record") -> None:
        """Count the hands of another record too."""
        self.hands += other.hands
        self.reward += other.reward


class Rollout:
    """Plays a batch of games with one network, and stores its choices. Where opponents play some of the games,
    :meth:`set_opponents` is to be called before :meth:`collect`.

    The random generators of opponents and of the teacher are seeded anew in every rollout by this one's, so that a run
    that was stopped goes on as if it had not been.

    Args:
        games: games with ``obs_dtype="uint8"``; they are dealt here.
        columns: columns of the observation that the network reads.
        actions: catalogue ids of its outputs.
        buffer: room for the choices.
        rng: draws the actions.
        opponent_share: share of the games with opponents, rounded up; in the others the network plays all seats.
        learners: seats of such a game that learn, next to each other; they go round from game to game.
        symmetry: whether the network reads observations in canonical form (:mod:`uno_env.symmetry`); what is stored is
            in that form then.
        truncated_is_lost: whether a truncated hand is stored as lost by every seat.
        teacher: who is asked what it would choose in the learner's place; None: nobody.

    Raises:
        ValueError: the games, columns, actions and the buffer do not fit each other.

    Attributes:
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
        teacher: Player | None = None,
    ) -> None:
        self.games, self.buffer, self.rng, self._teacher = games, buffer, rng, teacher
        self._truncated = -1.0 / (games.rules.players - 1) if truncated_is_lost else 0.0
        columns = checked_wholes("columns", columns, 0, OBSERVATION_SIZE - 1)
        actions = checked_wholes("actions", actions, 0, NUM_ACTIONS - 1)
        self._arrays = {name: tensor.numpy() for name, tensor in vars(buffer).items()}
        history = (buffer.row.shape[1] - len(columns)) // EVENT_SIZE
        self._history = games.history if history else None
        self._symmetry = symmetry
        self._canonical = CanonicalForm(columns, actions, history, games.rules)
        self._kinds = REAL_KINDS[:, hand_kinds(games.rules)] if buffer.hands.shape[1] else None
        self._view = games.reset()
        self._check_buffer(len(columns), len(actions))
        number, players = games.num_games, games.rules.players
        self._actions = np.zeros(number, np.int64)
        self._choosing = np.zeros(number, np.int64)
        self._forms = np.zeros(number, np.int64)
        self._last = np.zeros((number, players), np.int32)
        self._has_opponent = np.arange(number) < math.ceil(opponent_share * number)
        turned = (np.arange(players) - np.arange(number)[:, None]) % players
        self._learning = (turned < learners) | ~self._has_opponent[:, None]
        self._first = self._learning.argmax(axis=1)
        self._opponent = np.full(number, NOBODY)
        self._counts = np.ones(number, bool)
        self._players: dict[int, Player] = {}
        self._next = NOBODY
        self.records: dict[int, Record] = {}

    def _check_buffer(self, columns: int, actions: int) -> None:
        """See to it that compiled code finds the room that it writes to."""
        past = self.buffer.row.shape[1] - columns
        events = 0 if self._history is None else self._history.shape[1] * EVENT_SIZE
        others = 0 if self._kinds is None else self._kinds.shape[1] * (self.games.rules.players - 1)
        fits = 0 <= past <= events and past % EVENT_SIZE == 0 and self.buffer.mask.shape[1] == actions
        for name, like in vars(RolloutBuffer.empty(0, 0, 0)).items():
            own = getattr(self.buffer, name)
            fits &= len(own) == len(self.buffer.action) and (own.dtype, own.dim()) == (like.dtype, like.dim())
        fits &= self.buffer.taught.shape[1:] == (int(self._teacher is not None),)
        if self._view[0].dtype != np.uint8 or not fits or others > self.buffer.hands.shape[1]:
            raise ValueError("the buffer does not fit: its rows, masks or hands are not those of the games and columns")

    def set_opponents(self, opponents: Mapping[int, Callable[[], Player]], next_opponent: int) -> None:
        """Set which opponents can be met.

        Hands that began against an opponent who is not among them are finished by the next one, and do not count.

        Args:
            opponents: what makes an opponent for this rollout alone, by number.
            next_opponent: number of the opponent in hands that begin from now on.
        """
        self._players = {number: self._players.get(number) or make() for number, make in opponents.items()}
        self._next = next_opponent
        left = self._has_opponent & ~np.isin(self._opponent, list(opponents))
        self._counts[left] = self._opponent[left] == NOBODY
        self._opponent[left] = next_opponent

    def collect(self, steps: int, evaluate: Evaluate) -> RolloutStats:
        """Play ``steps`` decisions in every game, from where the last rollout stopped; chains begin anew.

        Decisions are those of all seats, choices the learner's.

        Raises:
            ValueError: the buffer has no room for so many, or the opponents are not set.
        """
        room = len(self.buffer.action) // self.games.num_games
        checked_whole("steps", steps, 0, room)
        missing = {*self._opponent[self._has_opponent].tolist()} - set(self._players)
        if missing:
            raise ValueError("some games have opponents, and they are not set: call set_opponents() before collect()")
        self.records = {number: Record() for number in self._players}
        if self._has_opponent.any():
            for number in sorted({*self._opponent[self._has_opponent].tolist(), self._next}):
                self._players[number].reset(int(self.rng.integers(2**63)))
        if self._teacher is not None:
            self._teacher.reset(int(self.rng.integers(2**63)))
        arrays, stats, count = self._arrays, RolloutStats(decisions=steps * self.games.num_games), 0
        arrays["next_index"][:] = kernels.OPEN
        self._last[:] = kernels.OPEN
        for _ in range(steps):
            obs, mask, seat = self._view
            choosing = self._learners(self._choosing[: kernels.decide_forced(mask, self._actions, self._choosing)])
            rows = slice(count, count + len(choosing))
            forms = self._forms[: len(choosing)]
            if self._symmetry:
                self._canonical.find_forms(obs, self._history, choosing, forms)
            self._canonical.write_rows(obs, self._history, choosing, forms, arrays["row"][rows])
            self._canonical.write_masks(mask, choosing, forms, arrays["mask"][rows])
            if self._kinds is not None:
                others = choosing, seat, self.games.rules.players, forms, REAL_SEATS, self._kinds
                kernels.gather_other_hands(rows_of(self.games.games), *others, arrays["hands"][rows])
            if self._teacher is not None:
                arrays["taught"][rows, 0] = self._taught(self._teacher, choosing, forms)
            kernels.link_choices(choosing, count, seat, self._last, arrays["next_index"], arrays["reward"])
            self._choose(choosing, rows, evaluate)
            self._actions[choosing] = self._canonical.real_actions(forms, arrays["action"][rows])
            obs, mask, seat, reward, done = self.games.step(self._actions)
            self._view = obs, mask, seat
            ended = done, self.games.winner, self._truncated
            kernels.credit_rewards(reward, *ended, self._last, arrays["next_index"], arrays["reward"])
            stats += self._finished(reward, done)
            count = rows.stop
        stats.choices = count
        return stats

    def center_open_values(self) -> None:
        """Let the values of the last choices in each hand that goes on add up to 0 over its seats, as rewards do.

        Hands in which a seat has not chosen yet, or does not learn, are left as they are.
        """
        rows, value = self._last[(self._last >= 0).all(axis=1)], self._arrays["value"]
        value[rows] -= value[rows].mean(axis=1, keepdims=True)

    def get_state(self) -> dict[str, Any]:
        """All that the next rollout depends on, but for the network and the opponents; copied."""
        games = dict(self.games.get_state())
        if self._has_opponent.any():
            games |= {"opponent": self._opponent.copy(), "counts": self._counts.copy()}
        return {"games": games, "rng": self.rng.bit_generator.state}

    def set_state(self, state: dict[str, Any]) -> None:
        """Go on from a state of :meth:`get_state`.

        Raises:
            ValueError: the state is of other games, or of impossible ones.
        """
        own = {"opponent": self._opponent, "counts": self._counts} if self._has_opponent.any() else {}
        given = checked_arrays(state["games"], own)
        self._view = self.games.set_state(state["games"])
        for name, array in own.items():
            array[:] = given[name]
        load_generator(self.rng, state["rng"])

    def _learners(self, choosing: Array) -> Array:
        """Of the games with a choice those whose players learn; in the others the opponents decide."""
        if not self._players:
            return choosing
        obs, mask, seat = self._view
        mine = self._learning[choosing, seat[choosing]]
        theirs = choosing[~mine]
        for number in np.unique(self._opponent[theirs]).tolist():
            rows = theirs[self._opponent[theirs] == number]
            player = self._players[number]
            histories = histories_for(player, self.games.history, rows)
            self._actions[rows] = player.act_batch(obs[rows], mask[rows], *histories)
        return choosing[mine]

    def _taught(self, teacher: Player, choosing: Array, forms: Array) -> Array:
        """The network's output, int64 [n], that a teacher would choose in each of the games ``choosing``."""
        obs, mask, _ = self._view
        chosen = teacher.act_batch(obs[choosing], mask[choosing], *histories_for(teacher, self.games.history, choosing))
        alone = np.zeros((len(choosing), NUM_ACTIONS), np.uint8)
        alone[np.arange(len(choosing)), chosen] = 1
        return self._canonical.masks(alone, forms).argmax(axis=1)

    def _choose(self, choosing: Array, rows: slice, evaluate: Evaluate) -> None:
        """Choose one of the network's outputs for some rows of the buffer, those of the games ``choosing``."""
        arrays = self._arrays
        logits, arrays["value"][rows] = self._evaluated(rows, evaluate)
        uniform = self.rng.random(len(choosing), np.float32)
        kernels.sample_masked(logits, arrays["mask"][rows], uniform, arrays["action"][rows], arrays["logp"][rows])

    def _evaluated(self, rows: slice, evaluate: Evaluate) -> tuple[Array, Array]:
        """Logits float32 [n, A] and values [n] of some rows of the buffer.

        Raises:
            ValueError: they are of another form; compiled code would read beyond them.
        """
        logits, values = evaluate(self.buffer.row[rows])
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
            self.records[number].add(Record(int(met.sum()), float(means[met].sum())))
