"""Loops over the games of a batch: ``games`` are rows of bytes (packed_games.py), uint8 [N, bytes]."""

import numpy as np

from uno_env.core.edition import actions_of, sizes_of
from uno_env.core.jit.bits import WORD, count_bits, marked_bits, nth_bit
from uno_env.core.jit.njit import njit
from uno_env.core.jit.prefetch import fetch, prefetch
from uno_env.core.legal import legal_actions
from uno_env.core.observe.encode import encode_anew, known_end
from uno_env.core.observe.layout import columns_of
from uno_env.core.packed_games import game_at, offsets_of
from uno_env.core.record import OVER, RUNNING
from uno_env.core.rng import bounded, next_bits_at, stream
from uno_env.core.rules.deal import deal_hand
from uno_env.core.rules.illegal import resolve_illegal
from uno_env.core.rules.knowledge import known_at
from uno_env.core.rules.reward import write_rewards
from uno_env.core.step import step

GAME_DISTANCE, REST_DISTANCE, VIEW_DELAY = 4, 2, 1
"""Distances in games from the one that is stepped. Memory is prefetched GAME_DISTANCE ahead for what every action
needs, and REST_DISTANCE ahead for what its own action needs. The view is written VIEW_DELAY behind, since only a game's
step says who sees it.

Together that takes a fifth off the time of a step with 4,096 games and other work on the machine, and 40 % with 65,536.
"""
SCALED_TOGETHER = 64
"""Games that are stepped before their float rows are written: so few that their rows are still in the cache."""
DEAL = -1
"""In place of an action, where nothing is marked in the mask: deal the game anew."""


@njit
def deal_chosen(games, rules, view, index, states, start, stop):
    """Deal the games ``index[start:stop]``, each from its own state of the generator, uint64 [K]; see view_games."""
    for entry in range(start, stop):
        game = game_at(games, index[entry], rules)
        game.rng = states[entry]
        deal_hand(game, rules)
        view_game(game, rules, view, index[entry])


@njit
def seed_games(games, rules, random, seed, start, stop):
    """Give each of ``games[start:stop]`` the generator of its own index in the batch, and ``random``, uint64 [N], the
    generator of the actions that are drawn for it.
    """
    for index in range(start, stop):
        state = stream(seed, np.uint64(index))
        game_at(games, index, rules).rng = state
        random[index] = ~state


@njit
def find_refused(refuses, mask, actions, start, stop):
    """Return the index of the first game whose action is no action, or is illegal under rules that refuse it, or −1.

    ``refuses`` is whether the rules do.
    """
    for index in range(start, stop):
        action = actions[index]
        if action < 0 or action >= mask.shape[1] or (refuses and mask[index, action] == 0):
            return index
    return -1


@njit
def step_batch(games, rules, actions, view, outcome, floats, start, stop):
    """Same as :func:`step_games`, and observations as floats.

    ``rules`` is an array [1], which compiled code is handed ten times as fast as a record. ``floats`` is two arrays,
    scales [D] and the float form of observations [N, D] (:func:`scale_rows`), or [0, 0] if nobody wants it. A batch's
    first steps need this function alone, in both forms of observations: compiling it takes seconds.
    """
    rows, _, _, known = view
    scales, scaled = floats
    together = SCALED_TOGETHER if len(scaled) else max(stop - start, 1)
    for first in range(start, stop, together):
        end = min(first + together, stop)
        step_games(games, rules[0], actions, view, outcome, first, end)
        if len(scaled):
            scale_rows(rules[0], rows, known, scales, scaled, first, end)


@njit
def step_games(games, rules, actions, view, outcome, start, stop):
    """Act in each game, deal finished ones anew, and write what the next player to move sees and may do.

    ``view`` is as in :func:`view_games`. An action not marked in its mask ends the game (the rules must allow that, see
    illegal.py). Of a game that is dealt anew by :data:`DEAL`, the values about its end mean nothing.

    ``outcome`` is three arrays: rewards float32 [N, seats], whether games are over uint8 [N], and ``results`` int32
    [N, 4 + 2 seats]: whether a hand has ended, its winner (the match's, if that has ended), reason of the end and
    decisions, then points of the hand and scores of the match by seat.
    """
    _, mask, _, _ = view
    for index in range(start, stop + VIEW_DELAY):
        if index + GAME_DISTANCE < stop:
            fetch_game(games, rules, view, index + GAME_DISTANCE)
        if index + REST_DISTANCE < stop:
            fetch_rest(games, rules, actions, index + REST_DISTANCE)
        if index < stop:
            act_in_game(games, rules, actions[index], mask, outcome, index)
            fetch_known(games, rules, index)
        if index - VIEW_DELAY >= start:
            view_game(game_at(games, index - VIEW_DELAY, rules), rules, view, index - VIEW_DELAY)


@njit
def act_in_game(games, rules, action, mask, outcome, index):
    """Act in game ``index``, and deal it anew if it is finished."""
    reward, done, results = outcome
    game = game_at(games, index, rules)
    hand, decisions = game.hands_played, game.decisions + 1
    if mask[index, action] != 0:
        step(game, rules, action)
    elif action == DEAL:  # no mask marks it, so legal actions are not asked about it
        game.phase, game.end = OVER, RUNNING
    else:
        resolve_illegal(game, rules)
    done[index] = game.phase == OVER
    results[index, 0] = game.phase == OVER or game.hands_played != hand
    if results[index, 0]:
        write_rewards(game, rules, reward[index])
        write_result(game, rules, results[index], decisions)
    else:
        reward[index] = 0.0
    if game.phase == OVER:
        deal_hand(game, rules)


@njit
def fetch_game(games, rules, view, index):
    """Ask memory for what a step in a game reads and writes."""
    first, at = index * games.shape[1], offsets_of(rules)
    fetch(games, first, at.pile)
    fetch(games, first + at.seats, rules.players * at.seat_bytes)
    rows, mask, _, known = view
    fetch(rows, index * columns_of(rules).end, known_end(rules) if known[index] else columns_of(rules).known)
    actions = actions_of(rules).number
    fetch(mask, index * actions, actions)


@njit
def fetch_rest(games, rules, actions, index):
    """Ask memory for what only the beginning of a game's record, which must be there, says where it is."""
    game, first = game_at(games, index, rules), index * games.shape[1]
    prefetch(games, first + offsets_of(rules).pile + game.pile_next)
    if game.knows:
        for viewer in range(rules.players):
            known = known_at(rules, viewer, game.turn) + np.uint64(min(actions[index], sizes_of(rules).kinds - 1))
            prefetch(games, first + offsets_of(rules).known + np.int64(known))


@njit
def fetch_known(games, rules, index):
    """Ask memory for what the player to move in a game knows of the others."""
    game = game_at(games, index, rules)
    if game.knows:
        first = np.int64(known_at(rules, game.to_move, 0))
        fetch(games, index * games.shape[1] + offsets_of(rules).known + first, rules.players * sizes_of(rules).kinds)


@njit
def write_result(game, rules, result, decisions):
    """Write how a hand that has just ended went."""
    if rules.match:
        result[1] = game.match_winner if game.phase == OVER else game.last_winner
    else:
        result[1] = game.winner
    result[2] = game.end if game.phase == OVER else game.last_end
    result[3] = decisions
    for seat in range(rules.players):
        result[4 + seat] = game.points[seat]
        result[4 + rules.players + seat] = game.scores[seat] if rules.match else 0


@njit
def view_games(games, rules, view, start, stop):
    """Write, for each game, what its player to move sees and may do.

    ``view`` holds observations uint8 [N, D], whose rules' columns are left alone, masks uint8 [N, A], seats int8 [N],
    and flags uint8 [N], as of encode_anew.
    """
    for index in range(start, stop):
        view_game(game_at(games, index, rules), rules, view, index)


@njit
def view_game(game, rules, view, index):
    """Write what the player to move in game ``index`` sees and may do."""
    obs, mask, seat, known = view
    seat[index] = game.to_move
    known[index] = encode_anew(game, rules, game.to_move, obs[index], known[index])
    legal_actions(game, rules, mask[index])


@njit
def scale_rows(rules, rows, known, scales, out, start, stop):
    """Write the float form of observations, but for columns that have not changed (see :func:`view_games`)."""
    at = columns_of(rules)
    for index in range(start, stop):
        last = known_end(rules) if known[index] else at.known
        row, scaled = rows[index], out[index]
        for column in range(last):
            scaled[column] = row[column] * scales[column]


@njit
def sample_legal(mask, random, actions, start, stop):
    """Draw a uniformly random marked action for each row of ``mask``; ``random`` is uint64 [N], the generators."""
    for index in range(start, stop):
        actions[index] = choose_marked(mask[index], next_bits_at(random, index))


@njit
def choose_marked(row, bits):
    """The marked action of a mask that 64 random bits choose."""
    if 2 * WORD < len(row) <= 3 * WORD:
        return choose_in_three_words(row, bits)
    count = 0
    for action in range(len(row)):
        count += row[action] != 0
    left = bounded(bits, count)
    for action in range(len(row)):
        left -= row[action] != 0
        if left < 0:
            return action
    return -1


@njit
def choose_in_three_words(row, bits):
    """The same without a branch, for a mask of two words of bits and a part of a third one.

    The third word is read from the end of the mask; its first bits are in the second word, too.
    """
    last = len(row) - WORD
    overlap = 2 * WORD - last
    first, second = marked_bits(row, 0), marked_bits(row, WORD)
    third = (marked_bits(row, last) >> overlap) & ((1 << WORD - overlap) - 1)
    in_first, in_second = count_bits(first), count_bits(second)
    left = bounded(bits, in_first + in_second + count_bits(third))
    beyond_first, beyond_second = int(left >= in_first), int(left >= in_first + in_second)
    left -= beyond_first * in_first + beyond_second * in_second
    word = first ^ ((first ^ second) & -beyond_first) ^ ((second ^ third) & -beyond_second)
    return WORD * (beyond_first + beyond_second) + nth_bit(word, left)
