"""Luck and costs of a hand, measured choice by choice: :func:`measure_choices`.

The luck is that of the deal, and of every card drawn later (:mod:`train.evaluation.luck`). The cost of a choice is its
regret (:mod:`train.evaluation.choices.action_values`), from what the player could know.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from train.evaluation.choices.action_values import values_in_game
from train.evaluation.luck.draws import describe, new_room, num_columns
from train.evaluation.luck.meter import LuckMeter
from train.evaluation.luck.values import ValueNetwork, worthwhile_values
from uno_env.core.packed_games import rows_of
from uno_env.game import Game
from uno_env.render.page import Advice
from uno_env.replay import Note, decisions_of

POLICY = "tuned"
"""Plays all hands on from an action, and is taken to have played the others' so far."""
ADVISER = f"{POLICY}, by playouts"
BUDGET = 8_000
"""Playouts for each decision."""


class ReviewStep(NamedTuple):
    """The progress of a review."""

    advice: Advice
    """A note for each action of the game; None where nothing was measured, or not yet."""
    done: int
    """Choices with a note."""
    choices: int
    """Choices that get one."""


def measure_choices(game: Game, seat: int, hand: int) -> Iterator[ReviewStep]:
    """The costs of a seat's choices in a hand, counted from 0 in a match, and its luck where there is a value function
    for the rules. There is a step after each choice, and the last step has the luck of the whole hand.

    The game, played until that hand is over, is not changed.
    """
    choices = set(choices_in_hand(game, seat, hand))
    notes: list[Note | None] = [None] * len(game.history)
    total, told, done = 0.0, 0.0, 0
    values = worthwhile_values(game.rules)
    meter = None if values is None else LuckMeter(values, game.rules, 1)
    for number, (past, action) in enumerate(decisions_of(game)):
        if past.hands_played == hand:
            if values is not None and (not number or past.record.decisions == 0):
                total = _value_of(past, seat, values) - 1 / game.players
            if number in choices:
                notes[number] = _costs(past, number, None if values is None else total - told)
                told, done = total, done + 1
                yield ReviewStep(Advice(ADVISER, tuple(notes)), done, len(choices))
            if meter is not None:
                before = meter.luck[0, seat]
                meter.add(rows_of(past._array.copy()), np.zeros(1, np.int64), np.array([action]))
                total += float(meter.luck[0, seat] - before)
    yield ReviewStep(Advice(ADVISER, notes, None if values is None else total), done, len(choices))


def choices_in_hand(game: Game, seat: int, hand: int) -> list[int]:
    """The indices, among the actions of a game, at which a seat had a choice in a hand, counted from 0."""
    return [
        number
        for number, (past, _) in enumerate(decisions_of(game))
        if past.hands_played == hand and past.to_move == seat and len(past.legal_actions()) > 1
    ]


def _value_of(game: Game, seat: int, values: ValueNetwork) -> float:
    row, seats = np.zeros(num_columns(game.players), np.uint8), np.zeros(game.players, np.int8)
    describe(game._array[0], game.rules.record, new_room().order, row, seats)
    likely: npt.NDArray[np.float32] = values(row[None])[0]
    return float(likely[seats == seat][0])


def _costs(game: Game, seed: int, luck: float | None) -> Note:
    found = values_in_game(game, POLICY, others=POLICY, budget=BUDGET, seed=seed, apart=np.inf)
    costs = zip(found.regrets.tolist(), found.regret_errors.tolist(), strict=True)
    reward = (found.values.max() * game.players - 1) / (game.players - 1)
    return Note({}, float(reward), dict(zip(found.actions.tolist(), costs, strict=True)), luck)
