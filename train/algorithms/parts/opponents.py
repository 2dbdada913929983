"""The opponents in the games of a rollout: :class:`Opponents`."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from train.algorithms.parts.device.deciders import DeviceDeciders
from train.algorithms.parts.device.policy import Deciding
from train.algorithms.parts.kernels import OPPONENT, Meetings
from uno_env.core.arrays import Array, Flags
from uno_env.placed_games import PlacedGames
from uno_env.player import Player

NOBODY = -1


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


class Opponents:
    """The opponents of the learner, each in some of the games, and the results of the hands against them.

    An opponent plays a hand to its end; the next hand of that game is against the opponent that is set by then. So
    every hand that is counted was played against one opponent from its first card to its last.

    Args:
        games: the games of the rollout.
        sizes: how many games each of its groups has.
        share: share of the games of a group that have an opponent, rounded up.
        learners: seats of such a game that learn, next to each other; they move on by one from game to game.
        deciding: what is shared with the rollout.
    """

    def __init__(
        self, games: PlacedGames[Any], sizes: Sequence[int], share: float, learners: int, deciding: Deciding
    ) -> None:
        self._place, self._sizes, self._deciding = games.place, sizes, deciding
        seats = [_learning_seats(size, games.rules.players, share, learners) for size in sizes]
        self._has_opponent, learning = (np.concatenate(each) for each in zip(*seats, strict=True))
        self.meetings = self._new_meetings(learning)
        self._players: dict[int, Player] = {}
        self._others: set[int] = set()
        self._deciders: DeviceDeciders | None = None
        if share and games.place.is_asynchronous:
            self._deciders = DeviceDeciders(games, self.meetings, deciding)

    def _new_meetings(self, learning: Flags) -> Meetings:
        place, number = self._place, len(learning)
        return Meetings(
            has_opponent=place.from_numpy(self._has_opponent),
            learning=place.from_numpy(learning),
            opponent=place.from_numpy(np.full(number, NOBODY)),
            begun=place.from_numpy(np.full(number, NOBODY)),
            following=place.from_numpy(np.full(number, NOBODY)),
            counts=place.from_numpy(np.ones(number, bool)),
            met=place.zeros(2, 2, number, dtype=np.float64),
            choices=place.zeros(number, dtype=np.int64),
            hands=place.zeros(number, dtype=np.int64),
            decisions=place.zeros(number, dtype=np.int64),
            reward=place.zeros(number, dtype=np.float64),
        )

    @property
    def state(self) -> dict[str, Any]:
        """The part for a checkpoint, arrays of the place: the opponent of each game, int64 [N], and whether its hand
        counts, bool [N]; nothing if no game has an opponent.
        """
        if not self._has_opponent.any():
            return {}
        return {"opponent": self.meetings.opponent, "counts": self.meetings.counts}

    @property
    def parts(self) -> tuple[int, ...] | None:
        """The parts of :meth:`decide`: it does the same as long as these are the same. None if it reads results of
        kernels.
        """
        if self._others:
            return None
        return () if self._deciders is None else self._deciders.parts

    def set(self, opponents: Mapping[int, Callable[[], Player]], following: Sequence[int]) -> None:
        """Set which opponents can be met, and for each group that of the hands that begin from now on; see
        :meth:`train.algorithms.parts.rollout.Rollout.set_opponents`.
        """
        self._players = {number: self._players.get(number) or make() for number, make in opponents.items()}
        self._others = {*self._players} if self._deciders is None else self._deciders.set(self._players)
        opponent, counts = self._read("opponent").copy(), self._read("counts").copy()
        coming = np.repeat(following, self._sizes)
        left = self._has_opponent & ~np.isin(opponent, list(opponents))
        counts[left] = opponent[left] == NOBODY
        opponent[left] = coming[left]
        for name, array in (("opponent", opponent), ("counts", counts), ("following", coming)):
            getattr(self.meetings, name)[:] = self._place.from_numpy(array)

    def begin(self, seed: Callable[[], int]) -> None:
        """Begin a rollout: forget what was counted, and seed all opponents that can be met. Raises ValueError if some
        are not set.
        """
        met = {
            *np.concatenate((self._read("opponent"), self._read("following")))[np.tile(self._has_opponent, 2)].tolist()
        }
        if met - self._players.keys():
            raise ValueError("some games have opponents, and they are not set: call set_opponents() before collect()")
        if self._deciders is not None:
            self._deciders.begin(seed)
        for number in sorted(met & self._others):
            self._players[number].reset(seed())
        self.meetings.begun[:] = self.meetings.opponent
        for array in (
            self.meetings.met,
            self.meetings.choices,
            self.meetings.hands,
            self.meetings.decisions,
            self.meetings.reward,
        ):
            array[:] = 0

    def decide(self, rows: slice) -> None:
        """Decide the actions of all opponents that are to move; ``rows`` are those of the learner's choices."""
        if self._deciders is not None:
            self._deciders.decide(rows)
        if self._others:
            self._ask_others()

    def _ask_others(self) -> None:
        """Ask the agents that decide on the processor, each about all games that wait for it."""
        decided, (obs, mask, _) = self._deciding.decided, self._deciding.seen
        waiting = np.flatnonzero(self._place.to_numpy(decided.decider) == OPPONENT)
        opponent = self._read("opponent")[waiting]
        for number in np.unique(opponent).tolist():
            if number in self._others:
                games = self._place.from_numpy(waiting[opponent == number])
                seen = (self._place.to_numpy(each[games]) for each in (obs, mask))
                decided.action[games] = self._place.from_numpy(self._players[number].act_batch(*seen))

    def records(self) -> dict[int, WinRecord]:
        """The hands of the rollout against each opponent, by its number."""
        met = zip(self._read("met"), (self._read("begun"), self._read("following")), strict=True)
        records = {number: WinRecord() for number in self._players}
        for sums, opponents in met:
            for number, record in records.items():
                record.add(WinRecord(*sums[:, opponents == number].sum(axis=1).tolist()))
        return records

    def counted(self) -> tuple[int, int, int, float]:
        """Choices of the learner, hands that ended, their decisions, and the sum of the rewards of the first seat that
        learns, in this rollout.
        """
        choices, hands, decisions, reward = map(self._read, ("choices", "hands", "decisions", "reward"))
        return int(choices.sum()), int(hands.sum()), int(decisions.sum()), float(reward.sum())

    def _read(self, name: str) -> Array:
        """A field of the meetings, in ordinary memory."""
        return self._place.to_numpy(getattr(self.meetings, name))


def _learning_seats(games: int, players: int, share: float, learners: int) -> tuple[Flags, Flags]:
    """The games of a group that have an opponent, bool [N], and the seats that learn in each, bool [N, seats]."""
    has_opponent = np.arange(games) < math.ceil(share * games)
    turned = (np.arange(players) - np.arange(games)[:, None]) % players
    return has_opponent, (turned < learners) | ~has_opponent[:, None]
