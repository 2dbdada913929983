"""Whole hands between compiled strategies, without leaving compiled code: for searches that play millions of them."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from agents.scripted.agent import new_scratch
from agents.scripted.dispatch import STRATEGY_NUMBERS, decide
from agents.scripted.strategy import Random, Scratch
from uno_env.actions import catalogue
from uno_env.core.arrays import Array, Bytes, Floats, Ints
from uno_env.core.jit.njit import njit
from uno_env.core.legal import legal_actions
from uno_env.core.observe.encode import encode
from uno_env.core.observe.layout import columns_of, starts_of
from uno_env.core.record import MAX_SEATS, OVER, WENT_OUT, edition_of, records_of
from uno_env.core.rules.deal import deal_hand
from uno_env.core.rules.reward import write_rewards
from uno_env.core.step import step
from uno_env.editions import edition_for
from uno_env.editions.classic import CLASSIC
from uno_env.editions.edition import Edition
from uno_env.observation import rules_columns
from uno_env.rules import Rules

LONGEST_PLAYOUT = 600
"""``max_decisions`` of the games of a search; hands between scripted strategies take some 40."""


class SearchScratch(NamedTuple):
    """The arrays that a search and its playouts work in. Threads must not share them."""

    rules: Array
    """[1], a record of rules, as the ones below of an edition's types (:func:`uno_env.core.record.records_of`)."""
    seen: Array
    """[1], the game as far as the observation tells it."""
    dealt: Array
    """[1], the same with the hidden cards dealt."""
    game: Array
    """[1], the game that a playout plays."""
    row: Bytes
    """uint8 [D], the observation of the player to move; the columns of known cards are 0 between uses."""
    mask: Bytes
    """uint8 [A], the legal actions of the player to move."""
    reward: npt.NDArray[np.float32]
    """float32 [MAX_SEATS], rewards by seat."""
    seating: Ints
    """int64 [MAX_SEATS], which of the two strategies, 0 or 1, plays each seat."""
    strategies: Ints
    """int64 [2], the numbers of the two strategies (:data:`agents.scripted.dispatch.STRATEGY_NUMBERS`)."""
    playing: tuple[Scratch, Scratch]
    """The memory of the two strategies."""
    uniform: bool = False
    """True if determinizations deal all possible hands equally often, however unlikely the play makes them."""


def new_search_scratch(
    mine: str,
    others: str,
    seeds: Sequence[int] = (0, 0),
    weights: Sequence[Floats | None] = (None, None),
    edition: Edition = CLASSIC,
) -> SearchScratch:
    """Return the memory for playouts between two scripted strategies, ``mine`` at seat 0 and ``others``, under rules
    of an edition that :func:`set_rules` sets. The ``seeds`` are the first states of their generators, and ``weights``
    are those of :func:`agents.scripted.agent.new_scratch`.
    """
    names, types = (mine, others), records_of(edition)
    first, second = (
        new_scratch(name, np.array([seed], np.uint64), own, edition)
        for name, seed, own in zip(names, seeds, weights, strict=True)
    )
    return SearchScratch(
        rules=np.zeros(1, types.rules),
        seen=np.zeros(1, types.game),
        dealt=np.zeros(1, types.game),
        game=np.zeros(1, types.game),
        row=np.zeros(starts_of(edition).end, np.uint8),
        mask=np.zeros(catalogue(edition).first.number, np.uint8),
        reward=np.zeros(MAX_SEATS, np.float32),
        seating=np.minimum(np.arange(MAX_SEATS), 1),
        strategies=np.array([STRATEGY_NUMBERS[name] for name in names]),
        playing=(first, second),
    )


def set_rules(scratch: SearchScratch, rules: Rules) -> None:
    """Set the rules of the playouts to come, whose ``max_decisions`` truncates them. Rewards are those of hands
    (:mod:`uno_env.core.rules.reward`). Raises ValueError if the scratch is of another edition.
    """
    edition, own = edition_for(rules), edition_of(scratch.rules)
    if edition is not own:
        raise ValueError(f"the rules are of the edition {edition.name}, and the scratch is of {own.name}")
    scratch.rules[:] = rules.array_for(False)
    scratch.row[starts_of(edition).seats :] = rules_columns(rules)


@njit
def play_out(scratch: SearchScratch) -> None:
    """Play the game ``scratch.game[0]`` on to its end, and write each seat's reward to ``scratch.reward``.

    A compiled function for programs that try actions in copies of a game. Set the scratch up once, in Python; then
    call it from Python or from compiled code of your own, once for each game::

        scratch = new_search_scratch("tuned", "tuned")   # the strategies at seat 0 and at the other seats
        set_rules(scratch, rules)

        scratch.game[:] = whole(batch.games)[index]      # uno_env.core.packed_games.whole: whole records
        play_out(scratch)
        rewards = scratch.reward[: rules.players]        # float32, by seat

    All players see what their seats see, and forced actions are taken at once. The course of the game depends on the
    generators in the game's record and in ``scratch.playing`` alone; both move on. To repeat a playout, set them again.

    Args:
        scratch: its ``game`` holds a game under the scratch's rules, which may be over; its ``row`` has the columns of
            these rules, and 0 in those of known cards. Nothing of this is checked.
    """
    play_hand(scratch)
    write_rewards(scratch.game[0], scratch.rules[0], scratch.reward)


@njit
def play_hands(scratch: SearchScratch, starts: Random, seating: Any, winners: Ints) -> None:
    """Deal and play one hand for each entry of ``starts``.

    Args:
        scratch: has the rules (:func:`set_rules`); its game and seating are overwritten.
        starts: uint64 [hands], seed of each hand.
        seating: integers [hands, players]: which of the two strategies, 0 or 1, plays each seat.
        winners: int64 [hands], written: the seat that went out, −1 if nobody did.
    """
    game, rules = scratch.game[0], scratch.rules[0]
    for hand in range(starts.shape[0]):
        game.rng = starts[hand]
        deal_hand(game, rules)
        for seat in range(seating.shape[1]):
            scratch.seating[seat] = seating[hand, seat]
        play_hand(scratch)
        winners[hand] = game.winner if game.end == WENT_OUT else -1


@njit
def play_hand(scratch: SearchScratch) -> None:
    """Play the scratch's game to its end. The row's columns of known cards are 0 before and after."""
    game, rules, row, mask = scratch.game[0], scratch.rules[0], scratch.row, scratch.mask
    at, shows_known = columns_of(rules), False
    while game.phase != OVER:
        legal_actions(game, rules, mask)
        action = only_marked(mask)
        if action < 0:
            if shows_known:
                row[at.known : at.seats] = 0
            shows_known = encode(game, rules, game.to_move, row)
            player = scratch.seating[game.to_move]
            action = decide(scratch.strategies[player], rules, row, mask, scratch.playing[player])
        step(game, rules, action)
    if shows_known:
        row[at.known : at.seats] = 0


@njit
def only_marked(mask: Bytes) -> int:
    """The marked action if there is one only, else −1."""
    words = mask[: mask.shape[0] // 4 * 4].view(np.uint32)
    found = words.shape[0]
    for index in range(words.shape[0]):
        if words[index] != 0:
            if found < words.shape[0]:
                return -1
            found = index
    action = -1
    for candidate in range(4 * words.shape[0], mask.shape[0]):
        if mask[candidate] != 0:
            if action >= 0 or found < words.shape[0]:
                return -1
            action = candidate
    for candidate in range(4 * found, min(4 * found + 4, 4 * words.shape[0])):
        if mask[candidate] != 0:
            if action >= 0:
                return -1
            action = candidate
    return action
