"""Kernels of self-play (:mod:`uno_env.core.jit.places`): choices, their chains, rewards and advantages.

A *choice* is a decision with two or more legal actions; the others are forced, and not learnt from. What is known of a
choice is stored in a row of a buffer. A *chain* is the choices of one seat in one hand: ``next_index[row]`` is the row
of the next choice of the same chain, :data:`ENDED` if the hand ended before there was one, or :data:`OPEN` if that is
not known when the rollout stops.

On the processor the learner's choices have rows, one after the other in the order of time. A GPU is asked for the same
work in each step, whatever the games are like: every decision has a row, game i's is ``first + i``, and those that are
no choices of the learner stay open.

Arguments of several kernels: ``first``, int64 [1], is the buffer's next row; ``seen`` are observations uint8 [N, D],
masks uint8 [N, A] and seats int8 [N] of the players to move; ``form_arrays`` is
:class:`uno_env.symmetry.canonical.FormArrays`.
"""

from typing import Any, NamedTuple

import numpy as np

from uno_env.core.arrays import Array
from uno_env.core.jit.njit import njit
from uno_env.core.jit.places import LANES, Blocks, Each, Place
from uno_env.symmetry.canonical import FormArrays
from uno_env.symmetry.kernels import form_of
from uno_env.symmetry.tables import Tables

Arrays = tuple[Array, ...]
OPEN, ENDED = -1, -2
FORCED, LEARNER, OPPONENT = 0, 1, 2
"""The kinds of decisions: nobody's, since one action is legal; the learner's; its opponent's."""


class Chains(NamedTuple):
    """The chains of a rollout; arrays of a place."""

    last: Any
    """int32 [N, seats]: the row of each seat's last choice in the running hand, or a negative number."""
    next_index: Any
    """int32 [R]: the next row of each row's chain."""
    reward: Any
    """float32 [R]: the seat's reward, at the end of a chain."""


class Decided(NamedTuple):
    """The decisions of a step; arrays of a place."""

    decider: Any
    """uint8 [N]: :data:`FORCED`, :data:`LEARNER` or :data:`OPPONENT`."""
    row: Any
    """int64 [N]: the row of a learner's choice."""
    form: Any
    """int64 [N]: the form of an observation that is shown to the network; 0 without symmetry."""
    action: Any
    """int64 [N]: the action that is taken."""
    rows: Any
    """uint8 [R, C]: the network's input, in canonical form."""
    masks: Any
    """uint8 [R, A]: which of its outputs are legal."""


class Meetings(NamedTuple):
    """The opponents in the games of a rollout, and the results of its hands; arrays of a place."""

    has_opponent: Any
    """bool [N]: whether an opponent plays in a game."""
    learning: Any
    """bool [N, seats]: the seats that learn."""
    opponent: Any
    """int64 [N]: the number of the opponent in the running hand."""
    begun: Any
    """int64 [N]: the opponent with which the rollout began."""
    following: Any
    """int64 [N]: the opponent in the next hand."""
    counts: Any
    """bool [N]: whether the running hand counts."""
    met: Any
    """float64 [2, 2, N]: against the opponent of the beginning and against the next one, hands that counted, and the
    sums of the learner's mean rewards in them."""
    choices: Any
    """int64 [N]: choices of the learner."""
    hands: Any
    """int64 [N]: hands that ended."""
    decisions: Any
    """int64 [N]: decisions of these hands."""
    reward: Any
    """float64 [N]: sum of the rewards of the first seat that learns in them."""


@njit
def show_game(
    seen: Array, mask: Array, form: int, form_arrays: FormArrays, row: Array, legal: Array, first: int, step: int
) -> None:
    """Write a network's input for one game: every ``step``-th column and action from ``first`` on. ``seen``, uint8 [D],
    and ``mask``, uint8 [A], become ``row`` and ``legal``, in the form of this number.
    """
    columns, constants, actions = form_arrays.columns[form], form_arrays.constants, form_arrays.actions[form]
    for column in range(first, len(row), step):
        row[column] = seen[columns[column]] if constants[column] < 0 else constants[column]
    for action in range(first, len(legal), step):
        legal[action] = mask[actions[action]]


@njit
def decide_game(index: int, row: int, seen: Arrays, learning: Array, chains: Chains, decided: Decided) -> int:
    """Find out who decides in a game, and return it. A forced action is taken; a learner's choice, which is stored in
    ``row``, is appended to its chain.
    """
    _, mask, seat = seen
    legal, action = 0, 0
    for each in range(mask.shape[1]):
        legal += mask[index, each]
    decider = FORCED
    if legal > 1:
        decider = OPPONENT
        if learning[index, seat[index]]:
            decider = LEARNER
            decided.row[index] = row
            link_choice(row, index, seat[index], chains)
    else:
        while mask[index, action] == 0:
            action += 1
    decided.action[index] = action
    decided.decider[index] = decider
    return decider


@njit
def link_choice(row: int, game: int, seat: int, chains: Chains) -> None:
    """Append the choice in a row to the chain of a seat of a game."""
    before = chains.last[game, seat]
    if before >= 0:
        chains.next_index[before] = row
    chains.next_index[row] = OPEN
    chains.reward[row] = 0.0
    chains.last[game, seat] = row


@njit
def decide_games(
    first: Array,
    seen: Arrays,
    tables: Tables,
    form_arrays: FormArrays,
    learning: Array,
    chains: Chains,
    decided: Decided,
    start: int,
    stop: int,
) -> None:
    """Take the forced decisions, and store the input of the learner's choices in the rows from ``first`` on; ``first``
    becomes the row after them. ``learning``, bool [N, seats], are the seats that learn. As rows follow each other, all
    games are one part of work, from ``start`` 0 to ``stop`` 1.
    """
    obs, mask, seat = seen
    for _ in range(start, stop):
        row = first[0]
        for game in range(len(seat)):
            if decide_game(game, row, seen, learning, chains, decided) == LEARNER:
                form = 0
                if form_arrays.symmetric:
                    form = form_of(obs[game], form_arrays.events, 0, form_arrays.groups, tables)
                    decided.form[game] = form
                show_game(obs[game], mask[game], form, form_arrays, decided.rows[row], decided.masks[row], 0, 1)
                row += 1
        first[0] = row


@njit
def decide_lane(
    block: int,
    lane: int,
    shared: Array,
    first: Array,
    seen: Arrays,
    tables: Tables,
    form_arrays: FormArrays,
    learning: Array,
    chains: Chains,
    decided: Decided,
) -> None:
    """Find out who decides in a lane's game, and find its form; see :func:`decide_games`."""
    obs, _, seat = seen
    index = block + lane
    if index < len(seat):
        row = first[0] + index
        chains.next_index[row] = OPEN
        chains.reward[row] = 0.0
        if form_arrays.symmetric:
            decided.form[index] = form_of(obs[index], form_arrays.events, 0, form_arrays.groups, tables)
        decide_game(index, row, seen, learning, chains, decided)


@njit
def show_decided(
    block: int,
    lane: int,
    shared: Array,
    first: Array,
    seen: Arrays,
    tables: Tables,
    form_arrays: FormArrays,
    learning: Array,
    chains: Chains,
    decided: Decided,
) -> None:
    """Write the network's input for a block's games: the lane's share of every game's columns and actions."""
    obs, mask, seat = seen
    for game in range(min(LANES, len(seat) - block)):
        index = block + game
        row, form = first[0] + index, decided.form[index]
        show_game(obs[index], mask[index], form, form_arrays, decided.rows[row], decided.masks[row], lane, LANES)


@njit
def take_outputs(decided: Decided, real: Array, outputs: Array, start: int, stop: int) -> None:
    """Take the actions that the learner has chosen. ``outputs``, int64 [R], are the network's, by row; ``real``, int64
    [F, A], has the catalogue id of each, by form.
    """
    for game in range(start, stop):
        if decided.decider[game] == LEARNER:
            decided.action[game] = real[decided.form[game], outputs[decided.row[game]]]


@njit
def finish_games(
    reward: Array,
    done: Array,
    results: Array,
    truncated: float,
    chains: Chains,
    decided: Decided,
    meetings: Meetings,
    start: int,
    stop: int,
) -> None:
    """Count choices and the hands that ended, close their chains, and let the next opponents begin.

    ``reward``, float32 [N, seats], ``done``, bool [N], and ``results``, int32 [N, 4 + 2 seats], are those of a step,
    see :func:`uno_env.core.loops.batch.step_games`. A hand without a winner was truncated: each seat's reward is
    ``truncated`` in its chain.
    """
    for game in range(start, stop):
        meetings.choices[game] += decided.decider[game] == LEARNER
        if done[game]:
            credit_hand(game, reward, results[game, 1], truncated, chains)
            count_hand(game, reward, results[game, 3], meetings)


@njit
def credit_hand(game: int, rewards: Array, winner: int, truncated: float, chains: Chains) -> None:
    """Close all chains of a game's hand with the rewards of their seats, whichever seat made the last move. A seat
    without choices has no chain.
    """
    last, next_index, reward = chains
    for seat in range(last.shape[1]):
        row = last[game, seat]
        if row >= 0:
            reward[row] = truncated if winner < 0 else rewards[game, seat]
            next_index[row] = ENDED
            last[game, seat] = OPEN


@njit
def count_hand(game: int, reward: Array, decisions: int, meetings: Meetings) -> None:
    """Count a game's hand that ended; the next one is against the opponent that follows."""
    learners, total = 0, np.float32(0.0)
    for seat in range(reward.shape[1]):
        if meetings.learning[game, seat]:
            if learners == 0:
                meetings.reward[game] += reward[game, seat]
            learners += 1
            total += reward[game, seat]
    meetings.hands[game] += 1
    meetings.decisions[game] += decisions
    if meetings.has_opponent[game]:
        if meetings.counts[game]:
            against = int(meetings.opponent[game] != meetings.begun[game])
            meetings.met[against, 0, game] += 1
            meetings.met[against, 1, game] += total / learners
        meetings.opponent[game] = meetings.following[game]
        meetings.counts[game] = True


@njit
def estimate_strands(
    strands: int,
    value: Array,
    reward: Array,
    next_index: Array,
    gae_lambda: float,
    choice_cost: float,
    advantage: Array,
    start: int,
    stop: int,
) -> None:
    """Generalised advantage estimates along the chains, with γ = 1. Every ``strands``-th row is one strand, which no
    chain leaves: all rows of one game, or simply all rows.

    Each choice costs ``choice_cost``; the reward counts only at the end of a chain. An open choice gets 0, and passes
    its value on to the one before.
    """
    for strand in range(start, stop):
        for row in range(len(value) - strands + strand, -1, -strands):  # backwards in time
            after = next_index[row]
            if after == ENDED:
                advantage[row] = reward[row] - value[row] - choice_cost
            elif after == OPEN:
                advantage[row] = 0.0
            else:
                advantage[row] = value[after] - value[row] - choice_cost + gae_lambda * advantage[after]


def arrays_on(place: Place, arrays: Any) -> Any:
    """A NamedTuple of arrays of NumPy as one of arrays of a place; other values stay as they are."""
    return type(arrays)(*(place.from_numpy(each) if isinstance(each, np.ndarray) else each for each in arrays))


DECIDE = Each(decide_games)
DECIDE_LANES = Blocks(decide_lane, show_decided)
ESTIMATE = Each(estimate_strands)
FINISH = Each(finish_games)
TAKE = Each(take_outputs)
