"""A player that knows all cards and their order, for scale: the most that knowing more can be worth."""

from typing import Any

import numpy as np

import agents
from agents.search import LONGEST_PLAYOUT, SearchScratch, new_search_scratch, play_out, set_rules
from studies.habits import Array
from uno_env.core.jit.njit import njit
from uno_env.core.packed_games import copy_game, whole
from uno_env.core.step import step
from uno_env.invariants import verify_games
from uno_env.observation import rules_of
from uno_env.player import Player
from uno_env.rules import RANGES

SPEC = "cheat:deck"
"""The spec of the player."""

MODEL = "tuned"
"""The strategy that is taken to play on, at all seats."""


class KnowsTheDeck(Player):
    """Tries each action in a copy of the true game, which is played on by ``tuned`` with the true draw pile.

    It takes what ``tuned`` would do if that wins, else the first action that does, else what ``tuned`` would do.
    """

    name = SPEC
    obs_dtype = "uint8"
    sees_all_hands = True

    def __init__(self, seed: int = 0) -> None:
        self._model = agents.load(MODEL, seed=seed)
        self._scratch = new_search_scratch(MODEL, MODEL, (seed, seed))

    def act_on_games(self, observations: Array, action_masks: Array, games: Array) -> Any:
        """As :meth:`uno_env.player.Player.act_on_games`; observations are uint8.

        Raises:
            ValueError: the games are not one for each observation, or one is impossible.
        """
        actions, rules = self._model.act_batch(observations, action_masks), rules_of(observations[0], LONGEST_PLAYOUT)
        if len(games) != len(observations):
            raise ValueError(f"{len(games)} games are not one for each of {len(observations)} observations")
        everything = whole(games)  # compiled code copies whole records, and these can be the first bytes of some
        verify_games(
            everything, rules.replace(max_decisions=RANGES["max_decisions"][1]), rules.record_for(True, "outcome")
        )
        set_rules(self._scratch, rules)
        look_ahead(np.array(action_masks, np.uint8), everything, self._scratch, actions)
        return actions


@njit
def look_ahead(masks: Array, games: Array, scratch: SearchScratch, actions: Array) -> None:
    """Put an action that wins in place of each of ``actions`` [N] that does not, where there is one."""
    for index in range(games.shape[0]):
        if wins(games[index], actions[index], scratch):
            continue
        for action in range(masks.shape[1]):
            if masks[index, action] != 0 and wins(games[index], action, scratch):
                actions[index] = action
                break


@njit
def wins(game: Any, action: int, scratch: SearchScratch) -> bool:
    """Return whether the player to move wins the true game after an action, if all play on as the strategies do."""
    seat = game.to_move
    copy_game(game, scratch.game[0], scratch.rules[0])
    step(scratch.game[0], scratch.rules[0], action)
    play_out(scratch)
    return scratch.reward[seat] > 0
