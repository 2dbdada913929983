"""Self-play over games of a place: one network plays all seats; forced decisions are made without it.

In a share of the games opponents play some of the seats (:mod:`train.algorithms.parts.opponents`), and only the
learner's choices are learnt from; see :mod:`train.algorithms.parts.kernels` for choices, rows and chains.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from train.algorithms.parts.device.policy import Deciding
from train.algorithms.parts.graphs import Work
from train.algorithms.parts.kernels import (
    DECIDE,
    DECIDE_LANES,
    ESTIMATE,
    FINISH,
    OPEN,
    TAKE,
    Chains,
    Decided,
    arrays_on,
)
from train.algorithms.parts.masked_softmax import sample_masked
from train.algorithms.parts.opponents import Opponents, WinRecord
from train.algorithms.parts.trainer import RolloutBuffer
from train.networks import kernels
from train.runs.checkpoint import load_generator
from uno_env.common.numbers import checked_arrays, checked_whole
from uno_env.core.arrays import Ints
from uno_env.editions import edition_for
from uno_env.placed_games import PlacedGames
from uno_env.player import Player
from uno_env.symmetry import CanonicalForm
from uno_env.symmetry.tables import forms_of

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


class Rollout:
    """Plays games with one network, and stores its choices. If opponents play some of the games, call
    :meth:`set_opponents` before :meth:`collect`.

    The games may be those of several groups, one after the other, each with a generator of random numbers of its own.
    In every rollout the generator of the first group draws the actions, or seeds the device's generator that does, and
    seeds those of the opponents, so that a run that was stopped continues as if it had not been. Raises ValueError if
    the games, columns, actions and the buffer do not fit each other.

    Args:
        games: games with ``obs_dtype="uint8"``, which are dealt.
        columns: columns of the observation that the network reads.
        actions: catalogue ids of its outputs.
        buffer: room for the choices, on the device of the games.
        rngs: a generator for each group.
        sizes: how many games each group has; empty: there is one group.
        opponent_share: share of the games with opponents, see :class:`train.algorithms.parts.opponents.Opponents`; in
            the others the network plays all seats.
        learners: seats that learn in a game with opponents.
        symmetry: whether the network reads observations in canonical form (:mod:`uno_env.symmetry`), in which they are
            stored then.
        truncated_is_lost: whether a truncated hand is stored as lost by every seat.
        repeated: makes of the work of a rollout, and the generator that it draws from, a function that repeats it; not
            used if opponents decide on the processor while the games are elsewhere.

    Attributes:
        records: results of the last rollout's hands against each opponent, by its number.
    """

    def __init__(
        self,
        games: PlacedGames[Any],
        columns: Ints,
        actions: Ints,
        buffer: RolloutBuffer,
        rngs: Sequence[np.random.Generator],
        sizes: Sequence[int] = (),
        opponent_share: float = 0.0,
        learners: int = 1,
        symmetry: bool = False,
        truncated_is_lost: bool = False,
        repeated: Callable[[Work, Any], Work] = lambda work, _: work,
    ) -> None:
        self.games, self.buffer, self.rngs = games, buffer, rngs
        self._sizes = list(sizes) or [games.num_games]
        self._has_all_rows = games.place.is_asynchronous
        self._generator = torch.Generator(buffer.obs.device) if self._has_all_rows else rngs[0]
        self._stored = {name: games.place.from_torch(tensor) for name, tensor in vars(buffer).items()}
        canonical = CanonicalForm(columns, actions, rules=games.rules)
        self._check_buffer(len(columns), len(actions))
        self._make_arrays()
        arrays = arrays_on(games.place, canonical.arrays(games.rules, symmetry))
        deciding = Deciding(games.seen, self._decided, arrays.actions, self._generator)
        self._opponents = Opponents(games, self._sizes, opponent_share, learners, deciding)
        self._bind(arrays, -1.0 / (games.rules.players - 1) if truncated_is_lost else 0.0)
        self._repeated, self._works = repeated, dict[tuple[Any, ...], Work]()
        self.records: dict[int, WinRecord] = {}

    def _check_buffer(self, columns: int, actions: int) -> None:
        """Check that kernels find the room that they write to."""
        fits = (self.buffer.obs.shape[1], self.buffer.mask.shape[1]) == (columns, actions)
        for name, like in vars(RolloutBuffer.empty(0, 0, 0)).items():
            own = getattr(self.buffer, name)
            fits &= len(own) == len(self.buffer.action) and (own.dtype, own.dim()) == (like.dtype, like.dim())
        if self.games.place.to_numpy(self.games.seen[0][:1]).dtype != np.uint8 or not fits:
            raise ValueError("the buffer does not fit: its rows or masks are not those of the games and columns")

    def _make_arrays(self) -> None:
        place, number, stored = self.games.place, self.games.num_games, self._stored
        self._row = place.zeros(1, dtype=np.int64)
        self._decided = Decided(
            decider=place.zeros(number, dtype=np.uint8),
            row=place.zeros(number, dtype=np.int64),
            form=place.zeros(number, dtype=np.int64),
            action=place.zeros(number, dtype=np.int64),
            rows=stored["obs"],
            masks=stored["mask"],
        )
        last = place.zeros(number, self.games.rules.players, dtype=np.int32)
        self._chains = Chains(last, stored["next_index"], stored["reward"])

    def _bind(self, arrays: Any, truncated: float) -> None:
        """Give the kernels their arrays."""
        games, decided, chains, meetings = self.games, self._decided, self._chains, self._opponents.meetings
        tables = arrays_on(games.place, forms_of(edition_for(games.rules)).tables)
        place, number = games.place, games.num_games
        decide = self._row, games.seen, tables, arrays, meetings.learning, chains, decided
        kernel, parts = (DECIDE_LANES, number) if self._has_all_rows else (DECIDE, 1)
        self._decide_kernel = place.bind(kernel, parts, decide)
        self._take_kernel = place.bind(TAKE, number, (decided, arrays.actions, self._stored["action"]))
        finish = *games.outcome, games.results, truncated, chains, decided, meetings
        self._finish_kernel = place.bind(FINISH, number, finish)

    def set_opponents(self, opponents: Mapping[int, Callable[[], Player]], *following: int) -> None:
        """Set which opponents can be met: by number, a function that makes an opponent for this rollout alone.

        Hands that begin from now on are against those that follow, one for each group. Hands that began against an
        opponent that is not among them are finished by the one that follows, and do not count.
        """
        self._opponents.set(opponents, following)

    @torch.no_grad()
    def collect(self, steps: int, evaluate: Evaluate, choose: Choose = sample_actions) -> RolloutStats:
        """Play ``steps`` decisions in every game, from where the last rollout stopped; chains begin anew. Decisions are
        those of all seats, choices the learner's. Raises ValueError if the buffer has no room for so many, or the
        opponents are not set.
        """
        checked_whole("steps", steps, 0, len(self.buffer.action) // self.games.num_games)
        self._begin()
        self._work(steps, evaluate, choose)()
        self.records = self._opponents.records()
        return RolloutStats(steps * self.games.num_games, *self._opponents.counted())

    def _begin(self) -> None:
        """Clear chains and records, and seed all generators."""
        if isinstance(self._generator, torch.Generator):
            self._generator.manual_seed(self._seed())
        self._opponents.begin(self._seed)
        self._row[:] = 0
        self._chains.next_index[:] = OPEN
        self._chains.last[:] = OPEN

    def _seed(self) -> int:
        return int(self.rngs[0].integers(2**63))

    def _work(self, steps: int, evaluate: Evaluate, choose: Choose) -> Work:
        """A function that plays ``steps`` decisions in every game; it is the same one for the same opponents."""

        def play() -> None:
            for step in range(steps):
                self._play(step, evaluate, choose)

        parts = self._opponents.parts
        if parts is None:
            return play
        of = steps, evaluate, choose, parts
        if of not in self._works:
            self._works = {of: self._repeated(play, self._generator)}
        return self._works[of]

    def _play(self, step: int, evaluate: Evaluate, choose: Choose) -> None:
        """Play one decision in every game."""
        stored = self._stored
        # Forced decisions, rows and chains
        rows = self._decide(step)
        # The learner's choices
        chosen = choose(*self._evaluated(rows, evaluate), stored["mask"][rows], self._generator)
        stored["action"][rows], stored["logp"][rows], stored["value"][rows] = chosen
        self._take_kernel()
        # Those of opponents
        self._opponents.decide(rows)
        # The games go on
        self.games.step(self._decided.action)
        self._finish_kernel()

    def _decide(self, step: int) -> slice:
        """Make forced decisions, and store what the network reads. Returns the rows where it is."""
        if self._has_all_rows:
            number = self.games.num_games
            rows = slice(step * number, (step + 1) * number)
            self._row[:] = rows.start
            self._decide_kernel()
            return rows
        first = int(self._row[0])
        self._decide_kernel()
        return slice(first, int(self._row[0]))

    def _evaluated(self, rows: slice, evaluate: Evaluate) -> tuple[Any, Any]:
        """Logits float32 [n, A] and values [n] of rows of the buffer. Raises ValueError if they have another form."""
        logits, values = evaluate(self.buffer.obs[rows])
        shape = self._stored["mask"][rows].shape
        if logits.shape != shape or logits.dtype != torch.float32 or values.shape != shape[:1]:
            form = f"{logits.dtype} {list(logits.shape)} and {list(values.shape)}"
            raise ValueError(f"logits and values must be float32 {list(shape)} and {list(shape[:1])}, not {form}")
        return self.games.place.from_torch(logits), self.games.place.from_torch(values)

    def estimate_advantages(self, gae_lambda: float, choice_cost: float) -> None:
        """Set the advantages and targets of the rollout: generalised advantage estimates along its chains."""
        strands, stored = self.games.num_games if self._has_all_rows else 1, self._stored
        arrays = stored["value"], stored["reward"], stored["next_index"]
        arguments = strands, *arrays, float(gae_lambda), float(choice_cost), stored["advantage"]
        self.games.place.bind(ESTIMATE, strands, arguments)()
        torch.add(self.buffer.advantage, self.buffer.value, out=self.buffer.target)

    def center_open_values(self) -> None:
        """Shift the values of the last choices in each unfinished hand so that they add up to 0 over its seats, as
        rewards do.

        Hands in which a seat has not chosen yet, or does not learn, stay as they are.
        """
        last, value = self._chains.last, self._stored["value"]
        rows = last[(last >= 0).all(axis=1)]
        value[rows] -= value[rows].mean(axis=1, keepdims=True)

    def get_states(self) -> list[dict[str, Any]]:
        """The games and the generator of random numbers of each group, copied, without the network and the
        opponents.
        """
        place, ends = self.games.place, np.cumsum(self._sizes)[:-1]
        own = {name: place.to_numpy(each).copy() for name, each in self._opponents.state.items()}
        games = {**self.games.get_state(), **own}
        parts = zip(*(np.split(array, ends) for array in games.values()), strict=True)
        states = [dict(zip(games, part, strict=True)) for part in parts]
        return [{"games": state, "rng": rng.bit_generator.state} for state, rng in zip(states, self.rngs, strict=True)]

    def set_states(self, states: Sequence[Mapping[str, Any]]) -> None:
        """Continue from states of :meth:`get_states`, of games on any place. Raises ValueError if their games are
        others, or impossible.
        """
        place, own = self.games.place, self._opponents.state
        games = {name: np.concatenate([state["games"][name] for state in states]) for name in states[0]["games"]}
        given = checked_arrays(games, {name: place.to_numpy(each) for name, each in own.items()})
        self.games.set_state(games)
        for name, array in own.items():
            array[:] = place.from_numpy(given[name])
        for rng, state in zip(self.rngs, states, strict=True):
            load_generator(rng, state["rng"])
