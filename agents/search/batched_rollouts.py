"""Playouts by any agents, many games side by side, since a network's decisions cost least in batches."""

from typing import NamedTuple

import numpy as np

from agents.agent import Agent
from agents.search.determinization import determinize
from agents.search.ismcts_tree import see
from agents.search.playout import SearchScratch, only_marked
from uno_env.core.arrays import Array, Bytes, Flags, Ints, Singles
from uno_env.core.jit.njit import njit
from uno_env.core.legal import legal_actions
from uno_env.core.observe.decode import OBSERVER
from uno_env.core.packed_games import copy_game
from uno_env.core.record import OVER
from uno_env.core.rng import stream
from uno_env.core.rules.reward import write_rewards
from uno_env.core.step import step
from uno_env.player import checked_choices


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
    ) -> Singles:
        """Rewards of the observer, float32 [determinizations, K], after each action in each determinization; as
        :func:`agents.search.determinization.try_actions` does."""
        games = np.zeros(determinizations * len(actions), scratch.game.dtype)
        open_determinizations(scratch, actions, np.uint64(seed), first, games)
        return self.rewards(scratch, games, seed + first)[:, OBSERVER].reshape(determinizations, len(actions))

    def rewards(self, scratch: SearchScratch, games: Array, seed: int) -> Singles:
        """Play games [N] on, and return the rewards by seat, float32 [N, players]."""
        self.mine.reset(seed % 2**64)
        self.others.reset(~seed % 2**64)
        rewards = np.zeros((len(games), int(scratch.rules["players"][0])), np.float32)
        chosen = np.zeros(len(games), np.int64)
        room = Waiting.room(len(games), scratch)
        live = room.games
        while number := advance(scratch, games, live, room.movers, room.rows, room.masks):
            waiting = Waiting(live, room.movers, room.rows, room.masks).part(slice(number))
            if self.critic is not None:
                is_cut = (waiting.movers == OBSERVER) & (chosen[waiting.games] >= self.depth)
                cut, waiting = waiting.part(is_cut), waiting.part(~is_cut)
                if len(cut.games):
                    rewards[cut.games] = shared(np.asarray(self.critic.values(cut.rows)), rewards.shape[1])
            if len(waiting.games):
                actions = self._choose(waiting)
                chosen[waiting.games] += waiting.movers == OBSERVER
                step_chosen(scratch, games, waiting.games, actions)
            live = waiting.games
        reward_games(scratch, games, rewards)
        return rewards

    def _choose(self, waiting: "Waiting") -> Ints:
        if self.mine is self.others:
            return _checked(self.mine, waiting)
        actions, is_observer = np.zeros(len(waiting.games), np.int64), waiting.movers == OBSERVER
        actions[is_observer] = _checked(self.mine, waiting.part(is_observer))
        actions[~is_observer] = _checked(self.others, waiting.part(~is_observer))
        return actions


class Waiting(NamedTuple):
    """Games that wait for a choice."""

    games: Ints
    """int64 [K]: their numbers."""
    movers: Ints
    """int64 [K]: the seats of the players to move."""
    rows: Bytes
    """uint8 [K, D]: the observations of these players."""
    masks: Bytes
    """uint8 [K, A]: their legal actions."""

    @classmethod
    def room(cls, number: int, scratch: SearchScratch) -> "Waiting":
        """Room for ``number`` games of the scratch's edition: all are listed, and nothing of them is known yet."""
        rows, masks = (np.zeros((number, len(each)), np.uint8) for each in (scratch.row, scratch.mask))
        return cls(np.arange(number), np.zeros(number, np.int64), rows, masks)

    def part(self, chosen: slice | Flags) -> "Waiting":
        """Some of the games. For a slice, the arrays are views."""
        return Waiting(self.games[chosen], self.movers[chosen], self.rows[chosen], self.masks[chosen])


def _checked(agent: Agent, waiting: Waiting) -> Ints:
    """The agent's choices. Raises PlayerError if one is not legal."""
    return checked_choices(agent.name, agent.act_batch(waiting.rows, waiting.masks), waiting.masks)


def shared(values: Singles, players: int) -> Singles:
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
def advance(scratch: SearchScratch, games: Array, live: Ints, movers: Ints, rows: Bytes, masks: Bytes) -> int:
    """Play all forced actions in the games ``live`` [K]. Returns how many games then wait for a choice.

    These games come first in ``live`` afterwards, and the first entries of the other arrays are theirs, as in
    :class:`Waiting`.
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
def reward_games(scratch: SearchScratch, games: Array, rewards: Singles) -> None:
    """Write the rewards by seat of the games that are over."""
    for index in range(games.shape[0]):
        if games[index].phase == OVER:
            write_rewards(games[index], scratch.rules[0], rewards[index])
