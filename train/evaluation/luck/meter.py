"""The luck of each seat's drawn cards, added up while games are played.

Each card that is drawn moves the value of the game. The *luck* of a card is the value after it, less the mean of the
values after all cards that could have come, weighted by how likely they were. Its mean is 0 whatever the value function
is, so a result less the luck in it has the same mean as the result, and varies less if the values are good.

The deal needs no correction: each deal is played from every seat, and the values of a position add up to 1. Values that
do not are moved alike for all seats until they do.

Source: N. Burch et al., "AIVAT: A new variance reduction technique for agent evaluation in imperfect information
games", 2018; here with the moves of chance alone, so that nobody's policy need be known.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from train.evaluation.luck.draws import RUNNING, Listed, check_rules, list_draws, new_list, new_room
from uno_env.batched import BatchedGames
from uno_env.core.arrays import Array
from uno_env.core.packed_games import rows_of
from uno_env.rules import Rules

Values: TypeAlias = Callable[[Array], npt.NDArray[Any]]
"""Values [M, players], by place, of positions given as columns uint8 [M, columns]; any such function will do."""


class LuckMeter:
    """Adds up luck in ``games`` games, which are single hands; :meth:`watch` is the ``watch`` of
    :func:`train.evaluation.duplicate.play_deals`. Raises ValueError if luck cannot be computed by these rules.

    Attributes:
        luck: float64 [games, players], of each seat in shares of a win; the seats of a game add up to 0.
    """

    def __init__(self, values: Values, rules: Rules, games: int) -> None:
        check_rules(rules)
        self.luck = np.zeros((games, rules.players))
        self._values, self._players, self._rules = values, rules.players, rules.record
        self._room, self._listed = new_room(), new_list(rules.players)

    def watch(self, games_in: Array, actions: Array, table: BatchedGames) -> None:
        """Look at the actions before they are done in the batch."""
        self.add(rows_of(np.ascontiguousarray(table.games)), games_in, actions)

    def add(self, games: Array, games_in: Array, actions: Array) -> None:
        """Add the luck of actions, integers [N], in the games before them, uint8 [N, bytes], whose numbers are
        ``games_in``, integers [N]; −1: to be left out."""
        chosen, begin = np.flatnonzero(games_in >= 0), 0
        actions = np.asarray(actions, np.int64)
        while begin < len(chosen):
            begin, count = list_draws(games, self._rules, actions, chosen, begin, self._room, self._listed)
            if count:
                self._add_listed(Listed(*(column[:count] for column in self._listed)), games_in)

    def _add_listed(self, listed: Listed, games_in: Array) -> None:
        values = np.array(self._values(listed.rows), np.float64)
        over = np.flatnonzero(listed.winners != RUNNING)
        values[over] = listed.seats[over] == listed.winners[over, None]
        values += ((1 - values.sum(axis=1)) / self._players)[:, None]
        luck: npt.NDArray[np.float64] = listed.shares[:, None].astype(np.float64) * values
        np.add.at(self.luck, (games_in[listed.owners][:, None], listed.seats), luck)
