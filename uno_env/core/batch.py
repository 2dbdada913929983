"""Loops over the games of a batch."""

import numpy as np

from uno_env.core.compiled import compiled
from uno_env.core.deal import deal_hand
from uno_env.core.encode import encode
from uno_env.core.illegal import resolve_illegal
from uno_env.core.legal import legal_actions
from uno_env.core.record import OVER
from uno_env.core.reward import write_rewards
from uno_env.core.rng import bounded, next_bits_at, stream
from uno_env.core.step import step


@compiled
def deal_games(games, rules, start, stop):
    """Deal a new hand in each of ``games[start:stop]``."""
    for index in range(start, stop):
        deal_hand(games[index], rules)


@compiled
def seed_games(games, seed, start, stop):
    """Give each of ``games[start:stop]`` the chance of its own place in the batch."""
    for index in range(start, stop):
        games[index].rng = stream(seed, np.uint64(index))


@compiled
def find_illegal(mask, actions, start, stop):
    """Place of the first game whose action is not marked in its mask, or −1."""
    for index in range(start, stop):
        action = actions[index]
        if action < 0 or action >= mask.shape[1] or mask[index, action] == 0:
            return index
    return -1


@compiled
def step_games(games, rules, actions, obs, mask, seat, reward, done, results, start, stop):
    """Act in each game, deal finished ones anew, and write what the next player to move sees and may do.

    An action not marked in the mask ends its game (the rules must allow that, see illegal.py).
    ``results`` is int32 [N, 3 + seats]: winner, reason of the end and decisions, then points by seat.
    """
    for index in range(start, stop):
        game = games[index]
        action = actions[index]
        if action < 0 or action >= mask.shape[1] or mask[index, action] == 0:
            resolve_illegal(game)
        else:
            step(game, rules, action)
        done[index] = game.phase == OVER
        if game.phase == OVER:
            write_rewards(game, rules, reward[index])
            write_result(game, rules, results[index])
            deal_hand(game, rules)
        else:
            reward[index] = 0.0
        view_game(game, rules, obs[index], mask[index])
        seat[index] = game.to_move


@compiled
def write_result(game, rules, result):
    """Write how a finished hand ended."""
    result[0] = game.winner
    result[1] = game.end
    result[2] = game.decisions
    for seat in range(rules.players):
        result[3 + seat] = game.points[seat]


@compiled
def view_games(games, rules, obs, mask, seat, start, stop):
    """Write, for each game, what its player to move sees and may do; the rules' columns are left alone."""
    for index in range(start, stop):
        view_game(games[index], rules, obs[index], mask[index])
        seat[index] = games[index].to_move


@compiled
def view_game(game, rules, obs, mask):
    """Write what the player to move sees and may do."""
    encode(game, rules, game.to_move, obs)
    legal_actions(game, rules, mask)


@compiled
def scale_rows(rows, scales, out, start, stop):
    """Write the float form of observations."""
    for index in range(start, stop):
        for column in range(rows.shape[1]):
            out[index, column] = rows[index, column] * scales[column]


@compiled
def sample_legal(mask, random, actions, start, stop):
    """Draw a uniformly random marked action for each row; ``random`` is uint64 [N], the generators."""
    for index in range(start, stop):
        count = 0
        for action in range(mask.shape[1]):
            count += mask[index, action]
        left = bounded(next_bits_at(random, index), count)
        action = -1
        while left >= 0:
            action += 1
            left -= mask[index, action]
        actions[index] = action
