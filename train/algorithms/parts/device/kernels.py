"""Kernels of self-play on a GPU (:mod:`uno_env.core.jit.places`): choices, their chains, rewards and advantages.

Common arguments:

- ``first``, int64 [1]: the buffer's row of game 0 in this step; game i has row ``first + i`` (:mod:`.rollout`).
- ``seen``: observations uint8 [N, D], masks uint8 [N, A] and seats int8 [N] of the players to move.
- ``chains``: ``last``, ``next_index`` and ``reward``, as in :mod:`train.networks.kernels`.
"""

from functools import cache
from typing import Any, NamedTuple

from agents.scripted.dispatch import STRATEGIES
from agents.scripted.strategy import Scratch
from train.algorithms.parts.rollout_buffer import estimate_along_chains
from train.networks.kernels import OPEN, credit_hand, link_choice
from uno_env.core.arrays import Array
from uno_env.core.jit.njit import njit
from uno_env.core.jit.places import LANES, Blocks, Each
from uno_env.symmetry.canonical import FormArrays
from uno_env.symmetry.kernels import find_forms
from uno_env.symmetry.tables import Tables

Arrays = tuple[Array, ...]

FORCED, LEARNER, OPPONENT = 0, 1, 2
"""Who decides: nobody, since one action is legal; the learner; or its opponent."""


class Decided(NamedTuple):
    """What is found out in a step before the network is asked; tensors."""

    game: Any
    """int64 [N]: 0, 1, 2 …"""
    decider: Any
    """uint8 [N]: :data:`FORCED`, :data:`LEARNER` or :data:`OPPONENT`."""
    forced: Any
    """int64 [N]: the first legal action."""
    form: Any
    """int64 [N]: the form of each observation; 0 without symmetry."""
    rows: Any
    """uint8 [R, C]: the network's input, in canonical form."""
    masks: Any
    """uint8 [R, A]: which of its outputs are legal."""


@njit
def write_forms(obs: Array, games: Array, tables: Tables, form_arrays: FormArrays, forms: Array) -> None:
    """Write the form of each of ``games``, int64 [M], to ``forms``, int64 [M]: 0 without symmetry. ``form_arrays`` is
    :class:`uno_env.symmetry.canonical.FormArrays`.
    """
    if form_arrays.symmetric:
        find_forms(obs, form_arrays.events, 0, games, form_arrays.groups, tables, forms)
    else:
        for index in range(len(forms)):
            forms[index] = 0


@njit
def show_game(
    seen: Array, mask: Array, form: int, form_arrays: FormArrays, row: Array, legal: Array, first: int, step: int
) -> None:
    """Write a network's input for one game: every ``step``-th column and action from ``first`` on. ``seen``, uint8 [D],
    and ``mask``, uint8 [A], become ``row`` and ``legal``, in the form of this number.
    """
    for column in range(first, len(row), step):
        constant = form_arrays.constants[column]
        value = seen[form_arrays.columns[form, column]]
        row[column] = value if constant < 0 else constant
    for action in range(first, len(legal), step):
        legal[action] = mask[form_arrays.actions[form, action]]


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
    chains: Arrays,
    decided: Decided,
) -> None:
    """Find out who decides in a lane's game, find its form, and append a learner's choice to its chain.

    ``learning``, uint8 [N, seats], are the seats that learn. For ``form_arrays`` see :func:`write_forms`.
    """
    obs, mask, seat = seen
    index = block + lane
    if index < len(seat):
        row, (last, next_index, reward) = first[0] + index, chains
        number, found = 0, 0
        for back in range(mask.shape[1]):
            action = mask.shape[1] - 1 - back
            if mask[index, action]:
                number += 1
                found = action
        decided.forced[index] = found
        write_forms(obs, decided.game[index : index + 1], tables, form_arrays, decided.form[index : index + 1])
        next_index[row] = OPEN
        reward[row] = 0.0
        decided.decider[index] = FORCED
        if number > 1:
            decided.decider[index] = OPPONENT
            if learning[index, seat[index]]:
                decided.decider[index] = LEARNER
                link_choice(row, index, seat[index], last, next_index, reward)


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
    chains: Arrays,
    decided: Decided,
) -> None:
    """Write the network's input for a block's games: the lane's share of every game's columns and actions."""
    obs, mask, seat = seen
    for game in range(min(LANES, len(seat) - block)):
        index = block + game
        row, form = first[0] + index, decided.form[index]
        show_game(obs[index], mask[index], form, form_arrays, decided.rows[row], decided.masks[row], lane, LANES)


@njit
def credit_games(
    rewards: Array, done: Array, winner: Array, truncated: float, chains: Arrays, start: int, stop: int
) -> None:
    """Close the chains of the hands that ended, see :func:`train.networks.kernels.credit_rewards`."""
    last, next_index, reward = chains
    for game in range(start, stop):
        if done[game]:
            credit_hand(game, rewards, winner, truncated, last, next_index, reward)


@njit
def estimate_games(
    games: int,
    value: Array,
    reward: Array,
    next_index: Array,
    gae_lambda: float,
    choice_cost: float,
    advantage: Array,
    start: int,
    stop: int,
) -> None:
    """Estimate the advantages of all rows of each of ``games`` games, backwards in time, see
    :func:`train.algorithms.parts.rollout_buffer.estimate_along_chains`.
    """
    for game in range(start, stop):
        last = len(value) - games + game
        estimate_along_chains(last, games, value, reward, next_index, gae_lambda, choice_cost, advantage)


@njit
def show_policy(
    playing: Array,
    obs: Array,
    mask: Array,
    tables: Tables,
    form_arrays: FormArrays,
    shown: Arrays,
    start: int,
    stop: int,
) -> None:
    """Show the games ``playing``, int64 [K], to a saved policy: ``shown`` is their forms int64 [K], the rows that it
    reads uint8 [K, C], and which of its outputs are legal uint8 [K, A].
    """
    forms, rows, legal = shown
    write_forms(obs, playing[start:stop], tables, form_arrays, forms[start:stop])
    for entry in range(start, stop):
        game = playing[entry]
        show_game(obs[game], mask[game], forms[entry], form_arrays, rows[entry], legal[entry], 0, 1)


@cache
def scripted_kernel(strategy: str) -> Each:
    """The kernel that decides for a scripted agent, one of :data:`agents.scripted.dispatch.STRATEGIES`.

    Its arguments: ``waiting``, which is the agent's number as an opponent, the games with opponents int64 [K], the
    opponent of each game int64 [N], and who decides there uint8 [N]; observations uint8 [N, D] and masks uint8 [N, A];
    a :class:`agents.scripted.strategy.Scratch` with an entry for each of the K games; and ``actions``, int64 [N].
    """
    decide = STRATEGIES[strategy].decide

    @njit
    def decide_scripted(
        waiting: Any, obs: Array, mask: Array, scratch: Scratch, actions: Array, start: int, stop: int
    ) -> None:
        number, playing, opponent, decider = waiting
        random, legal, scores, weights = scratch
        for entry in range(start, stop):
            game = playing[entry]
            if decider[game] == OPPONENT and opponent[game] == number:
                own = Scratch(random[entry : entry + 1], legal[entry], scores[entry], weights)
                actions[game] = decide(obs[game], mask[game], own)

    return Each(decide_scripted)


CREDIT = Each(credit_games)
DECIDE = Blocks(decide_lane, show_decided)
ESTIMATE = Each(estimate_games)
SHOW_POLICY = Each(show_policy)
