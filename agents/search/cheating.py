"""A player that sees all hands: ``cheat:flat``, for scale.

It chooses as ``search:flat`` does, with the same options, but its determinizations have the true hands of the others;
only the order of the draw pile is random. Its gain over a fair player is a loose upper bound on the worth of more
knowledge. No observation holds the hands of others: measurements show it the games by
:meth:`CheatingAgent.act_on_games`; environments and views never do, and :meth:`CheatingAgent.act` refuses.
"""

from typing import Any

import numpy as np

from agents.agent import checked_masks, checked_observations
from agents.search.determinization import is_sound
from agents.search.playout import SearchScratch
from agents.search.search_agents import FlatAgent
from uno_env.common.calls import exclusive
from uno_env.common.copies import compiled_view
from uno_env.core.arrays import Array, Bytes, Ints
from uno_env.core.edition import sizes_of
from uno_env.core.jit.njit import njit
from uno_env.core.observe.decode import OBSERVER, gather_unseen, note_backs
from uno_env.core.packed_games import game_at, offsets, rows_of
from uno_env.core.record import edition_of, records_of
from uno_env.editions.edition import Edition
from uno_env.observation import edition_shown, integer_form


class CheatingAgent(FlatAgent):
    """Flat Monte Carlo with open hands. The arguments are those of :class:`agents.search.search_agents.SearchAgent`."""

    sees_all_hands = True
    _games: Array | None = None

    @exclusive
    def act_on_games(self, observations: Array, action_masks: Array, games: Array) -> Ints:
        """As :meth:`agents.Agent.act_batch`, knowing the true games: records [N] as
        :attr:`uno_env.BatchedGames.games`, in which the players to move sit at ``to_move``; they are left as they are.

        Raises ValueError if an argument has another shape or type, or the games are not those that are observed.
        """
        rows = integer_form(checked_observations(observations))
        masks = checked_masks(action_masks, len(rows), rows.shape[1])
        self._games = _checked_games(games, len(rows), edition_shown(rows.shape[1]))
        try:
            return super()._choose(rows, masks)
        finally:
            self._games = None

    def _choose(self, rows: Array, masks: Bytes) -> Ints:
        raise ValueError(
            f"{self.name} must be shown the games, and this is not done here: it plays in `uno evaluate`, "
            "`uno tournament` and `uno benchmark`"
        )

    def _enter(self, rows: Array, index: int) -> None:
        super()._enter(rows, index)
        assert self._games is not None
        players = int(self._scratch.rules["players"][0])
        at = offsets(edition_of(self._scratch.rules))
        fits = self._games.dtype.itemsize >= at.seats + players * at.seat_bytes
        if not fits or not 0 <= self._games["to_move"][index] < players:
            raise ValueError(f"game {index} of those shown is not for {players} players, one of whom is to move")
        if not show_hands(rows[index], self._scratch, rows_of(self._games), index):
            raise ValueError(f"game {index} of those shown is not the one that is observed")


def _checked_games(games: Any, number: int, edition: Edition) -> Array:
    names = games.dtype.names if isinstance(games, np.ndarray) else None
    if not names or names != (records_of(edition).game.names or ())[: len(names)] or games.shape != (number,):
        raise ValueError(f"games must be {number} records as BatchedGames.games, one for each observation")
    return compiled_view(np.ascontiguousarray(games))


@njit
def show_hands(row: Bytes, scratch: SearchScratch, games: Array, index: int) -> bool:
    """Fix the others' hands in all determinizations to those of a game. Returns whether this is possible."""
    rules = scratch.rules[0]
    seen, game, players = scratch.seen[0], game_at(games, index, rules), rules.players
    for seat in range(players):
        if seat != OBSERVER:
            for kind in range(sizes_of(rules).kinds):
                seen.seats[seat].hand[kind] = game.seats[(game.to_move + seat) % players].hand[kind]
    if sizes_of(rules).sides > 1:
        note_backs(row, rules, seen)
    return gather_unseen(rules, seen) and is_sound(row, scratch)
