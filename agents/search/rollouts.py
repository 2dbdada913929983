"""Whole hands between compiled strategies, without leaving compiled code: for searches that play millions of them."""

from typing import Any

import numpy as np

from agents.scripted.dispatch import decide
from agents.scripted.strategy import Bytes, Ints, Random, Scratch
from uno_env.core.jit.njit import njit
from uno_env.core.legal import legal_actions
from uno_env.core.observe.encode import encode
from uno_env.core.observe.layout import KNOWN_START, RULES_START
from uno_env.core.record import OVER, WENT_OUT
from uno_env.core.rules.deal import deal_hand
from uno_env.core.step import step


@njit
def play_hands(
    games: Any,
    rules: Any,
    starts: Random,
    seating: Any,
    strategies: Ints,
    scratches: tuple[Scratch, Scratch],
    row: Bytes,
    mask: Bytes,
    winners: Ints,
) -> None:
    """Deal and play one hand for each entry of ``starts``, all in the game ``games[0]``.

    Args:
        games: one game record, [1].
        rules: the rules' record.
        starts: uint64 [hands], seed of each hand.
        seating: integers [hands, players]: which of the two players, 0 or 1, sits at each seat.
        strategies: int64 [2], their numbers in :data:`agents.scripted.dispatch.STRATEGY_NUMBERS`.
        scratches: a :class:`Scratch` for each of the two.
        row: for observations, uint8 [D], its columns of the rules filled in, those of known cards 0.
        mask: for masks, uint8 [A].
        winners: int64 [hands], written: the seat that went out, −1 if nobody did.
    """
    game = games[0]
    for hand in range(starts.shape[0]):
        game.rng = starts[hand]
        deal_hand(game, rules)
        play_hand(game, rules, seating[hand], strategies, scratches, row, mask)
        winners[hand] = game.winner if game.end == WENT_OUT else -1


@njit
def play_hand(
    game: Any, rules: Any, seating: Any, strategies: Ints, scratches: tuple[Scratch, Scratch], row: Bytes, mask: Bytes
) -> None:
    """Play a dealt hand to its end; see :func:`play_hands`. The row's columns of known cards are 0 before and after."""
    shows_known = False
    while game.phase != OVER:
        legal_actions(game, rules, mask)
        action = only_marked(mask)
        if action < 0:
            if shows_known:
                row[KNOWN_START:RULES_START] = 0
            shows_known = encode(game, rules, game.to_move, row)
            player = seating[game.to_move]
            action = decide(strategies[player], row, mask, scratches[player])
        step(game, rules, action)
    if shows_known:
        row[KNOWN_START:RULES_START] = 0


@njit
def only_marked(mask: Bytes) -> int:
    """The marked action if there is one only, else −1."""
    words = mask.view(np.uint32)
    found = -1
    for index in range(words.shape[0]):
        if words[index] != 0:
            if found >= 0:
                return -1
            found = index
    action = -1
    for candidate in range(4 * found, 4 * found + 4):
        if mask[candidate] != 0:
            if action >= 0:
                return -1
            action = candidate
    return action
