"""The outcomes of an action when chance is spelled out, compiled: :func:`expand`.

The engine acts with given cards (:mod:`uno_env.extensive_form.explicit_chance`). All cards that can be drawn are tried,
one after the other, and every seat that chance can pick. Outcomes that are the same game are one, with the sum of their
probabilities. Games are rows of bytes (:mod:`uno_env.core.packed_games`).
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from uno_env.core.arrays import Array, Bytes, Ints
from uno_env.core.edition import sizes_of
from uno_env.core.jit.njit import njit, njit_wraparound
from uno_env.core.jit.records import copy_first
from uno_env.core.packed_games import game_at, offsets_of
from uno_env.core.record import CATCH
from uno_env.core.rng import GOLDEN, bounded, mix
from uno_env.core.rules.six_smackdown import slowness
from uno_env.extensive_form.explicit_chance import DEAL, act_with_cards

NO_ROOM = -1
"""Result of :func:`expand` if there are fewer rows than outcomes."""


class Outcomes(NamedTuple):
    """Rows for games, used as a stack, and room to work in."""

    rows: Bytes  # Games, uint8 [N, bytes]
    words: npt.NDArray[np.uint64]  # The same memory by eight bytes, to compare games with
    hashes: npt.NDArray[np.uint64]  # A hash of each game, uint64 [N]
    shares: npt.NDArray[np.float64]  # Probability of each outcome, float64 [N]
    games: Array  # The games before and after an action, whole records [2]
    cards: Ints  # Cards that are given to the engine
    moves: Ints  # What chance has moved at each level: a card or a seat
    weights: Ints  # How often each move of a level occurs, int64 [levels, kinds]
    level_shares: npt.NDArray[np.float64]  # Probability of the moves before each level
    pool: Ints
    renewed: Ints  # int64 [RENEWALS, kinds]


@njit
def expand(out, rules, source, action, given, start):
    """Write the games after a legal action of the game in row ``source`` into the rows from ``start`` on.

    Args:
        out: :class:`Outcomes`; the first ``given`` of ``out.cards`` are dealt in any case.
        rules: the rules.
        source: the row of the game; it is before ``start``.
        action: the action, or ``DEAL``.
        given: number of cards that are fixed.
        start: the first row to write.

    Returns:
        The row behind the last outcome, or :data:`NO_ROOM`; and whether chance has moved.
    """
    levels, seat_level, rng, end, by_chance = 0, -1, np.uint64(0), start, False
    before, after = out.games[0], out.games[1]
    out.level_shares[0] = 1.0
    while True:
        number = given + levels - (1 if seat_level >= 0 else 0)
        copy_first(game_at(out.rows, source, rules), before, out.rows.shape[1])
        before.rng = rng
        short = act_with_cards(out.games, rules, action, out.cards, number, out.pool, out.renewed)
        if rng == 0 and after.rng != 0:
            write_seats(after, rules, out.weights[levels])
            seat_level = levels
        elif short:
            out.weights[levels, :] = 0
            copy_array(out.pool, out.weights[levels])
        else:
            if end == len(out.rows):
                return NO_ROOM, by_chance
            end = add_outcome(out, rules, start, end, out.level_shares[levels])
        if short or seat_level == levels:
            by_chance = True
            out.moves[levels] = -1
            levels += 1
        while levels > 0 and not next_move(out, levels - 1):
            levels -= 1
            if levels == seat_level:
                seat_level, rng = -1, np.uint64(0)
        if levels == 0:
            return end, by_chance
        last = levels - 1
        if last == seat_level:
            rng = rng_that_picks(out.weights[last], out.moves[last])
        else:
            out.cards[given + last - (1 if 0 <= seat_level < last else 0)] = out.moves[last]


@njit
def next_move(out, level):
    """Go on to the next move of chance at a level. Returns whether there is one."""
    weights, move, total = out.weights[level], out.moves[level] + 1, 0
    while move < len(weights) and weights[move] == 0:
        move += 1
    if move == len(weights):
        return False
    for kind in range(len(weights)):
        total += weights[kind]
    out.moves[level] = move
    out.level_shares[level + 1] = out.level_shares[level] * weights[move] / total
    return True


@njit
def write_seats(after, rules, weights):
    """Write how likely chance is to pick each seat: to be asked about a missing call, or to slap a 6 last."""
    weights[:] = 0
    for seat in range(rules.players):
        weights[seat] = may_be_asked(after, seat) if after.phase == CATCH else slowness(rules, seat)


@njit
def may_be_asked(game, seat):
    """1 if chance can ask the seat next about a missing call, otherwise 0."""
    return 1 - ((game.asked | game.out) >> seat & 1)


@njit_wraparound
def rng_that_picks(weights, seat):
    """A state of a game's generator with which the engine picks a seat."""
    below, total = 0, 0
    for other in range(len(weights)):
        total += weights[other]
        if other < seat:
            below += weights[other]
    state = np.uint64(1)
    while bounded(mix(state + GOLDEN), total) != below:
        state += np.uint64(1)
    return state


@njit
def add_outcome(out, rules, start, end, share):
    """Add the game after the action to the outcomes in the rows from ``start`` to ``end``. Returns the new end."""
    forget_order(out.games[1], rules, out.rows.shape[1] > offsets_of(rules).known)
    copy_first(out.games[1], game_at(out.rows, end, rules), out.rows.shape[1])
    row = out.words[end]
    code = hash_words(row)
    for other in range(start, end):
        if out.hashes[other] == code and equal_arrays(out.words[other], row):
            out.shares[other] += share
            return end
    out.hashes[end], out.shares[end] = code, share
    return end + 1


@njit
def forget_order(game, rules, can_know):
    """Make games equal in which only bytes without meaning differ."""
    game.rng = 0
    for index in range(game.pile_next):
        game.pile[index] = 0
    if not can_know:
        return
    players, knows = rules.players, False
    for viewer in range(players):
        for owner in range(players):
            first = (viewer * players + owner) * sizes_of(rules).kinds
            for kind in range(first, first + sizes_of(rules).kinds):
                if viewer == owner or not game.knows:
                    game.known[kind] = 0
                knows |= game.known[kind] > 0
    game.knows = knows


@njit_wraparound
def hash_words(words):
    """A hash of 64-bit words."""
    code = GOLDEN
    for word in words:
        code = mix(code ^ word)
    return code


@njit
def copy_array(source, target):
    """Copy an array into the beginning of another one."""
    for index in range(len(source)):
        target[index] = source[index]


@njit
def equal_arrays(one, other):
    """Return whether two arrays are equal."""
    for index in range(len(one)):
        if one[index] != other[index]:
            return False
    return True


@njit
def deal_each(out, rules, cards, shares):
    """Write the games after deals of given cards, int64 [N, K], behind the root in row 0. Returns the row behind the
    last one.
    """
    end = 1
    for deal in range(len(cards)):
        start = end
        copy_array(cards[deal], out.cards)
        end, _ = expand(out, rules, 0, DEAL, cards.shape[1], start)
        if end == NO_ROOM:
            return end
        for row in range(start, end):
            out.shares[row] *= shares[deal]
    return end
