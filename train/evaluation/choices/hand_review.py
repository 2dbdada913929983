"""Luck and costs of a hand: :func:`measure_hand`, for the review at the table.

The luck is that of the deal, and of every card drawn later (:mod:`train.evaluation.luck`). The cost of a choice is its
regret (:mod:`train.evaluation.choices.action_values`), from what the player could know.
"""

import numpy as np
import numpy.typing as npt

from train.evaluation.choices.action_values import values_in_game
from train.evaluation.luck.draws import describe, new_room, num_columns
from train.evaluation.luck.meter import LuckMeter
from train.evaluation.luck.values import ValueNetwork, worthwhile_values
from uno_env.core.packed_games import rows_of
from uno_env.game import Game
from uno_env.render.page import Advice
from uno_env.replay import Note

POLICY = "tuned"
"""Plays all hands on from an action, and is taken to have played the others' so far."""
BUDGET = 8_000
"""Playouts for each decision."""


def measure_hand(game: Game, seat: int, hand: int) -> Advice:
    """The costs of a seat's choices in a hand, counted from 0 in a match, and its luck where there is a value function
    for the rules. The game, played until that hand is over, is not changed.
    """
    notes, past, total, told = list[Note | None](), game.start(), 0.0, 0.0
    values = worthwhile_values(game.rules)
    meter = None if values is None else LuckMeter(values, game.rules, 1)
    for number, action in enumerate(game.history):
        note = None
        if past.hands_played == hand:
            if values is not None and (not number or past.record.decisions == 0):
                total = _value_of(past, seat, values) - 1 / game.players
            if past.to_move == seat and len(past.legal_actions()) > 1:
                note = _costs(past, number, None if values is None else total - told)
                told = total
            if meter is not None:
                before = meter.luck[0, seat]
                meter.add(rows_of(past._array.copy()), np.zeros(1, np.int64), np.array([action]))
                total += float(meter.luck[0, seat] - before)
        notes.append(note)
        past.step(action)
    return Advice(f"{POLICY}, by playouts", notes, None if values is None else total)


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
