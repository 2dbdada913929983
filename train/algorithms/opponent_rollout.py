"""Games in which opponents play some of the seats: only what the learner chooses is stored, :class:`OpponentRollout`.

An opponent plays a hand to its end; the next hand of that game is against the opponent that is set by then. So every
hand that is counted was played against one opponent from its first card to its last.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

import agents
from train.algorithms.rollout import Array, Evaluate, Rollout, RolloutStats
from uno_env.history import histories_for
from uno_env.player import Player
from uno_env.rules import Rules

NOBODY = -1


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


class OpponentRollout(Rollout):
    """Plays a batch of games, some of them against opponents. :meth:`set_opponents` is to be called before
    :meth:`collect`.

    An opponent's own chance begins anew in every rollout, drawn from this one's, so that a run that was stopped goes on
    as if it had not been.

    Args:
        *others: as for :class:`train.algorithms.rollout.Rollout`.
        share: share of the games with opponents, rounded up; in the others the network plays all seats.
        learners: seats of such a game that learn, next to each other; they go round from game to game.
    """

    def __init__(self, *others: Any, share: float, learners: int) -> None:
        super().__init__(*others)
        number, players = self.games.num_games, self.games.rules.players
        self._has_opponent = np.arange(number) < math.ceil(share * number)
        turned = (np.arange(players) - np.arange(number)[:, None]) % players
        self._learning = (turned < learners) | ~self._has_opponent[:, None]
        self._first = self._learning.argmax(axis=1)
        self._opponent = np.full(number, NOBODY)
        self._counts = np.ones(number, bool)
        self._players: dict[int, Player] = {}
        self._next = NOBODY
        self.records: dict[int, Record] = {}

    def set_opponents(self, opponents: Mapping[int, Callable[[], Player]], next_opponent: int) -> None:
        """Set who can be played against.

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
        """As :meth:`train.algorithms.rollout.Rollout.collect`; decisions are those of all seats, choices the learner's.

        The rewards are those of the first seat that learns, and :attr:`records` counts the hands.
        """
        self.records = {number: Record() for number in self._players}
        for number in sorted({*self._opponent[self._has_opponent].tolist(), self._next}):
            self._players[number].reset(int(self.rng.integers(2**63)))
        return super().collect(steps, evaluate)

    def get_state(self) -> dict[str, Any]:
        """All that the next rollout depends on, but for the network and the opponents; copied."""
        state = super().get_state()
        own = {"opponent": self._opponent.copy(), "counts": self._counts.copy()}
        return {**state, "games": {**state["games"], **own}}

    def set_state(self, state: dict[str, Any]) -> None:
        """Go on from a state of :meth:`get_state`."""
        games = dict(state["games"])
        self._opponent, self._counts = games.pop("opponent").copy(), games.pop("counts").copy()
        super().set_state({**state, "games": games})

    def _learners(self, choosing: Array) -> Array:
        obs, mask, seat = self._view
        mine = self._learning[choosing, seat[choosing]]
        theirs = choosing[~mine]
        for number in np.unique(self._opponent[theirs]).tolist():
            rows = theirs[self._opponent[theirs] == number]
            player = self._players[number]
            histories = histories_for(player, self.games.history, rows)
            self._actions[rows] = player.act_batch(obs[rows], mask[rows], *histories)
        return choosing[mine]

    def _finished(self, reward: Array, done: Array) -> RolloutStats:
        over = np.flatnonzero(done)
        stats = super()._finished(reward, done)
        stats.reward = float(reward[over, self._first[over]].sum())
        ended = over[self._has_opponent[over]]
        self._record(ended[self._counts[ended]], reward)
        self._opponent[ended], self._counts[ended] = self._next, True
        return stats

    def _record(self, games: Array, reward: Array) -> None:
        learning = self._learning[games]
        means = (reward[games] * learning).sum(axis=1) / learning.sum(axis=1)
        for number in np.unique(self._opponent[games]).tolist():
            met = self._opponent[games] == number
            self.records[number].add(Record(int(met.sum()), float(means[met].sum())))


def check_opponent(field: str, spec: str, rules: Rules, history: int) -> None:
    """Raise :class:`ValueError` if the agent named in a config's field cannot play where so many events are shown."""
    agent = agents.load(spec, rules=rules)
    if agent.sees_all_hands:
        raise ValueError(f"{field}={spec!r} is not allowed: who sees all hands plays only where games are evaluated")
    if agent.history > history:
        raise ValueError(
            f"{field}={spec!r} is not allowed with history={history}: it reads {agent.history} past events"
        )
