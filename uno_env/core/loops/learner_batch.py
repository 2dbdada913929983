"""Games in which a learner sits among other players, each of whom decides in all games that wait for it together.

Player 0 is the learner, at one seat of each game; players 1, 2, … share the other seats. A game is on the list of the
player who is to decide in it, until it waits for its learner or is over.

``games`` are rows of bytes (packed_games.py).

``history`` is that of observe/history.py, with no room for events if none is recorded.

Python gives ``table`` and ``outcome`` as plain tuples of the fields of :class:`Table` and :class:`Outcome`: Numba takes
3 µs more to recognise a named one.
"""

from typing import NamedTuple

from uno_env.core.arrays import Array, Bytes, Ints, Singles
from uno_env.core.jit.njit import njit
from uno_env.core.legal import legal_actions
from uno_env.core.loops.batch import choose_marked, write_result
from uno_env.core.observe.encode import encode_anew
from uno_env.core.observe.history import record_decision, record_event
from uno_env.core.packed_games import game_at
from uno_env.core.record import OVER
from uno_env.core.rng import next_bits_at, stream
from uno_env.core.rules.deal import deal_hand
from uno_env.core.rules.illegal import resolve_illegal
from uno_env.core.rules.reward import write_rewards
from uno_env.core.step import step

LEARNER = 0


class Table(NamedTuple):
    """The players that decide in the games, and their views. The learner's rows are by game, those of others by their
    index in the list.
    """

    seating: Ints
    """int64 [seats]: the player who sits that many seats to the learner's left."""
    learner: Ints
    """int64 [N]: the learner's seat in each game."""
    lists: Ints
    """int64 [P, N]: the games that wait for each player."""
    lengths: Ints
    """int64 [P]: how many they are."""
    rows: Bytes
    """uint8 [P, N, D]: observations."""
    masks: Bytes
    """uint8 [P, N, A]."""
    known: Bytes
    """uint8 [P, N]: flags as in :func:`uno_env.core.loops.batch.view_games`."""


class Outcome(NamedTuple):
    """The results of games."""

    reward: Singles
    """float32 [N]: the learner's rewards, which add up."""
    over: Bytes
    """uint8 [N]: 1 for games that are over."""
    results: Array
    """int32 of the last hand of each as in :func:`uno_env.core.loops.batch.step_games`."""
    shares: Singles
    """float32 [seats]: room for a reward of each seat."""


@njit
def seed_chosen(games, rules, indices, seeds, numbers):
    """Seed the games ``indices`` as games ``numbers`` of batches with their ``seeds``, both uint64 [K]."""
    for entry in range(len(indices)):
        game_at(games, indices[entry], rules).rng = stream(seeds[entry], numbers[entry])


@njit
def seed_substitutes(random, indices, seeds, numbers):
    """Start the generators ``random``, uint64 [N], of :func:`substitute_random` in the games ``indices``."""
    for entry in range(len(indices)):
        random[indices[entry]] = stream(~seeds[entry], numbers[entry])


@njit
def substitute_random(masks, random, indices, actions, found):
    """Replace the ``actions`` of the entries ``found`` by uniformly random legal ones of their games."""
    for number in range(len(found)):
        entry = found[number]
        index = indices[entry]
        actions[entry] = choose_marked(masks[index], next_bits_at(random, index))


@njit
def deal_listed(games, rules, indices, table, history):
    """Deal the games ``indices``, integers [K], from their own generators, and list them for the player who begins.

    ``rules`` is an array [1], see :func:`act_listed`.
    """
    table = Table(*table)
    for entry in range(len(indices)):
        index = indices[entry]
        deal_hand(game_at(games, index, rules[0]), rules[0])
        if has_history(history):
            record_event(game_at(games, index, rules[0]), rules[0], history, index)
        list_game(games, rules[0], index, table)


@njit
def act_listed(games, rules, player, actions, table, outcome, history):
    """Act in the games on a player's list, ``actions`` int64 in its order, and list each for the next player.

    A game that is over is on no list: its learner's row is what it saw at the end, with nothing to do. An action that
    is not marked is an illegal one, which the rules must allow.

    ``rules`` is an array [1], which compiled code is handed ten times as fast as a record.
    """
    table, outcome = Table(*table), Outcome(*outcome)
    _, _, _, facts = history
    number = table.lengths[player]
    table.lengths[player] = 0
    # A game that goes back on this list comes to an index that was read before.
    for entry in range(number):
        index = table.lists[player, entry]
        action = actions[entry]
        legal = table.masks[player, index if player == LEARNER else entry, action] != 0
        if has_history(history):
            record_decision(game_at(games, index, rules[0]), rules[0].players, action, legal, facts[index])
        act(games, rules[0], index, action, legal, table, outcome)
        if has_history(history):
            record_event(game_at(games, index, rules[0]), rules[0], history, index)
        list_game(games, rules[0], index, table)


@njit
def has_history(history):
    """Return whether events are recorded."""
    rings, _, _, _ = history
    return rings.shape[2] > 0


@njit
def act(games, rules, index, action, legal, table, outcome):
    """Act in one game. Where that ends a hand, credit the learner and write how the hand ended."""
    game = game_at(games, index, rules)
    hand, decisions = game.hands_played, game.decisions + 1
    if legal:
        step(game, rules, action)
    else:
        resolve_illegal(game, rules)
    outcome.over[index] = game.phase == OVER
    if game.phase == OVER or game.hands_played != hand:
        write_rewards(game, rules, outcome.shares)
        outcome.reward[index] += outcome.shares[table.learner[index]]
        write_result(game, rules, outcome.results[index], decisions)


@njit
def list_game(games, rules, index, table):
    """Put a game on the list of the player who decides in it now, with its view, or show the learner the end."""
    game = game_at(games, index, rules)
    player, seat, slot = LEARNER, table.learner[index], index
    if game.phase != OVER:
        left = game.to_move - seat
        seat += left
        player = table.seating[left if left >= 0 else left + rules.players]
    if player != LEARNER:
        slot = table.lengths[player]
        table.lists[player, slot] = index
        table.lengths[player] += 1
    row, known = table.rows[player, slot], table.known[player]
    known[slot] = encode_anew(game, rules, seat, row, known[slot])
    legal_actions(game, rules, table.masks[player, slot])


@njit
def view_learners(games, rules, table, over):
    """Write what the learners see and may do in games that wait for them or are ``over``, uint8 [N].

    Of a game that was given up while another player decided, the row is left as it is; those of others are 0 before.
    """
    table = Table(*table)
    for index in range(len(over)):
        game = game_at(games, index, rules)
        if game.phase == OVER or game.to_move == table.learner[index]:
            list_game(games, rules, index, table)
        if over[index]:
            table.masks[LEARNER, index] = 0


@njit
def find_unmarked(masks, rows, actions, found):
    """Find which of ``actions`` [K] are not marked in the rows ``rows`` [K] of the masks. Write them into ``found`` and
    return how many they are.

    An action that is none counts as not marked.
    """
    number = 0
    for entry in range(len(rows)):
        action = actions[entry]
        if action < 0 or action >= masks.shape[1] or masks[rows[entry], action] == 0:
            found[number] = entry
            number += 1
    return number


@njit
def first_unmarked(masks, actions):
    """Return the first of ``actions`` [K] that is not marked in its own row of the masks, uint8 [K, A], or −1 if all
    are.
    """
    for entry in range(len(actions)):
        action = actions[entry]
        if action < 0 or action >= masks.shape[1] or masks[entry, action] == 0:
            return entry
    return -1


@njit
def find_refused_step(masks, over, rows, actions, found, stamps, stamp):
    """Same as :func:`find_unmarked` for the learner's actions. Return −1 if these are no games and actions to step.

    Each game must exist, must not be over, and must be listed once; each action must exist.

    Args:
        masks: uint8 [N, A].
        over: uint8 [N].
        rows: int64 [K], the games.
        actions: int64 [K].
        found: int64 [≥ K], as there.
        stamps: int64 [N], room for marks of the games that were met.
        stamp: a number that is not among them yet.
    """
    for entry in range(len(rows)):
        index, action = rows[entry], actions[entry]
        if index < 0 or index >= len(over) or action < 0 or action >= masks.shape[1]:
            return -1
        if over[index] or stamps[index] == stamp:
            return -1
        stamps[index] = stamp
    return find_unmarked(masks, rows, actions, found)


@njit
def scale_all(rows, scales, out):
    """Write the float form of observations, every column."""
    for index in range(rows.shape[0]):
        row, scaled = rows[index], out[index]
        for column in range(rows.shape[1]):
            scaled[column] = row[column] * scales[column]
