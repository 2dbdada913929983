"""What recurrent players remember of the hands they are in: a vector for each game and seat, kept by who asks them.

A player with a :attr:`uno_env.player.Player.state_size` is asked by ``act_recurrent``, which is given what it remembers
and leaves there what it is to remember. It begins a hand with zeros.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from uno_env.game import Game
from uno_env.history import history_for
from uno_env.player import Player

Array = npt.NDArray[Any]


class Memory:
    """What the recurrent ones of some players remember of a batch of games.

    Args:
        players: the players.
        num_games: number of games N.
        seats: seats of each.
    """

    def __init__(self, players: Sequence[Player], num_games: int, seats: int) -> None:
        self._states = {
            number: np.zeros((num_games, seats, player.state_size), np.float32)
            for number, player in enumerate(players)
            if player.state_size
        }

    def forget(self, games: Array) -> None:
        """Begin anew in the games, integers [K]: their hands are over."""
        for states in self._states.values():
            states[games] = 0

    def take(self, games: Array) -> None:
        """Go on with these games alone, integers [K], in their order."""
        self._states = {number: states[games] for number, states in self._states.items()}

    def act(
        self, number: int, player: Player, observations: Array, masks: Array, at: tuple[Array, Array], *histories: Array
    ) -> Any:
        """What a player chooses, with what it remembers if it does.

        Args:
            number: the player's index.
            player: itself.
            observations: float32 or uint8 [M, D].
            masks: [M, A].
            at: the game and the seat of each row, integers [M].
            histories: what :func:`uno_env.history.histories_for` gives.
        """
        if number not in self._states:
            return player.act_batch(observations, masks, *histories)
        states = self._states[number][at]
        actions = player.act_recurrent(observations, masks, states, *histories)
        self._states[number][at] = states
        return actions


def recall(player: Player, game: Game, seat: int) -> npt.NDArray[np.float32]:
    """What a recurrent player remembers at a seat of a game, float32 [1, state_size]: the hand is gone through."""
    states = np.zeros((1, player.state_size), np.float32)
    past = game.start()
    hand = past.hands_played
    for action in game.history:
        if past.hands_played > hand:
            hand, states[:] = past.hands_played, 0
        if past.to_move == seat:
            history = (each[None] for each in history_for(player, past.events, seat))
            player.act_recurrent(past.observe(seat, "uint8")[None], past.action_mask()[None], states, *history)
        past.step(action)
    if game.hands_played > hand:
        states[:] = 0
    return states
