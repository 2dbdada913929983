"""Playouts by any agents, many games side by side, since a network's decisions cost least in batches."""

import numpy as np
import numpy.typing as npt

from agents.agent import Agent
from agents.search.determinization import determinize
from agents.search.ismcts_tree import see
from agents.search.playout import SearchScratch, only_marked
from uno_env.actions import NUM_ACTIONS
from uno_env.core.arrays import Array, Bytes, Ints
from uno_env.core.jit.njit import njit
from uno_env.core.legal import legal_actions
from uno_env.core.observe.decode import OBSERVER
from uno_env.core.observe.layout import OBSERVATION_SIZE
from uno_env.core.packed_games import copy_game
from uno_env.core.record import GAME, OVER
from uno_env.core.rng import stream
from uno_env.core.rules.reward import write_rewards
from uno_env.core.step import step
from uno_env.player import checked_choices

Rewards = npt.NDArray[np.float32]


class AgentPlayouts:
    """Plays games to their end, with ``mine`` at the observer's seat and ``others`` at the rest. A ``critic`` replaces
    the rest of a game by its value once the observer has chosen ``depth`` times.

    The network is asked only for the observer. Its value for another seat would be that of a player who knows that
    seat's hand and does not know the observer's.
    """

    def __init__(self, mine: Agent, others: Agent, critic: Agent | None = None, depth: int = 0) -> None:
        self.mine, self.others, self.critic, self.depth = mine, others, critic, depth

    def try_actions(
        self, scratch: SearchScratch, actions: Ints, seed: int, first: int, determinizations: int
    ) -> Rewards:
        """Rewards of the observer, float32 [determinizations, K], after each action in each determinization; as
        :func:`agents.search.determinization.try_actions` does."""
        games = np.zeros(determinizations * len(actions), GAME)
        open_determinizations(scratch, actions, np.uint64(seed), first, games)
        return self.rewards(scratch, games, seed + first)[:, OBSERVER].reshape(determinizations, len(actions))

    def rewards(self, scratch: SearchScratch, games: Array, seed: int) -> Rewards:
        """Rewards by seat, float32 [N, players], of games [N] that are played on here."""
        self.mine.reset(seed % 2**64)
        self.others.reset(~seed % 2**64)
        rewards = np.zeros((len(games), int(scratch.rules["players"][0])), np.float32)
        live, movers = np.arange(len(games)), np.zeros(len(games), np.int64)
        rows = np.zeros((len(games), OBSERVATION_SIZE), np.uint8)
        masks = np.zeros((len(games), NUM_ACTIONS), np.uint8)
        chosen = np.zeros(len(games), np.int64)
        left = advance(scratch, games, live, rows, masks, movers)
        while left:
            live = live[:left]
            asked = (movers[:left] == OBSERVER) & (chosen[live] >= self.depth) & (self.critic is not None)
            if self.critic is not None and asked.any():
                rewards[live[asked]] = shared(np.asarray(self.critic.values(rows[:left][asked])), rewards.shape[1])
            live, movers = live[~asked], movers[:left][~asked]
            if len(live):
                actions = self._choose(rows[:left][~asked], masks[:left][~asked], movers)
                chosen[live] += movers == OBSERVER
                step_chosen(scratch, games, live, actions)
            left = advance(scratch, games, live, rows, masks, movers)
        reward_games(scratch, games, rewards)
        return rewards

    def _choose(self, rows: Bytes, masks: Bytes, movers: Ints) -> Ints:
        if self.mine is self.others:
            return checked_choices(self.mine.name, self.mine.act_batch(rows, masks), masks)
        actions = np.zeros(len(rows), np.int64)
        for player, theirs in ((self.mine, movers == OBSERVER), (self.others, movers != OBSERVER)):
            asked = masks[theirs]
            actions[theirs] = checked_choices(player.name, player.act_batch(rows[theirs], asked), asked)
        return actions


def shared(values: Rewards, players: int) -> Rewards:
    """Rewards by seat, [N, players]: ``values`` [N] for the observer, and equal shares of the loss for the others."""
    rewards = np.repeat(-values[:, None] / np.float32(players - 1), players, axis=1)
    rewards[:, OBSERVER] = values
    return rewards


@njit
def open_determinizations(scratch: SearchScratch, actions: Ints, seed: np.uint64, first: int, games: Array) -> None:
    """Deal determinizations from ``first`` on, and do each of ``actions`` [K] in each, into ``games`` [all × K]."""
    number = actions.shape[0]
    for index in range(games.shape[0] // number):
        determinize(scratch, stream(seed, np.uint64(first + index)))
        for candidate in range(number):
            copy_game(scratch.dealt[0], games[index * number + candidate], scratch.rules[0])
            step(games[index * number + candidate], scratch.rules[0], actions[candidate])


@njit
def advance(scratch: SearchScratch, games: Array, live: Ints, rows: Bytes, masks: Bytes, movers: Ints) -> int:
    """Play all forced actions in the games ``live`` [K]; returns how many games then wait for a choice.

    These games come first in ``live`` afterwards. The first rows of ``rows``, ``masks`` and ``movers`` get what their
    players to move see and may do, and the seats of these players.
    """
    rules, left = scratch.rules[0], 0
    for slot in range(live.shape[0]):
        game = games[live[slot]]
        while game.phase != OVER:
            legal_actions(game, rules, scratch.mask)
            action = only_marked(scratch.mask)
            if action < 0:
                break
            step(game, rules, action)
        if game.phase != OVER:
            live[left] = live[slot]
            movers[left] = game.to_move
            see(scratch, games, live[left], rows[left], masks[left])
            left += 1
    return left


@njit
def step_chosen(scratch: SearchScratch, games: Array, live: Ints, actions: Ints) -> None:
    """Do ``actions`` in the games ``live``."""
    for slot in range(live.shape[0]):
        step(games[live[slot]], scratch.rules[0], actions[slot])


@njit
def reward_games(scratch: SearchScratch, games: Array, rewards: Rewards) -> None:
    """Write the rewards by seat of the games that are over."""
    for index in range(games.shape[0]):
        if games[index].phase == OVER:
            write_rewards(games[index], scratch.rules[0], rewards[index])
