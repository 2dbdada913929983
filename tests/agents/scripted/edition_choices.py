"""Choices of every scripted strategy by random rules of No Mercy and Flip.

``python -m tests.agents.scripted.edition_choices EDITION MERCY`` writes a checksum for each strategy. With
``NUMBA_DISABLE_JIT=1`` the same source runs as plain Python.
"""

import json
import random
import sys
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.scripted.agent import new_scratch
from agents.scripted.dispatch import STRATEGY_NUMBERS, decide
from agents.scripted.strategy import Scratch
from tests.helpers.playing import lively_action
from tests.helpers.random_rules import random_flip_rules, random_no_mercy_rules
from tests.uno_env.core.lockstep import checksum
from uno_env import Game, Rules
from uno_env.core.jit.njit import njit
from uno_env.core.record import records_of
from uno_env.editions import edition_for
from uno_env.editions.edition import Edition

Rows = npt.NDArray[np.uint8]

RULES = {"no_mercy": random_no_mercy_rules, "flip": random_flip_rules}
TABLES = [("no_mercy", 25), ("no_mercy", 10), ("flip", 0), ("flip", 25)]
"""Editions with a number of cards of which who holds it is out; 0: nobody is."""


@cache
def positions(edition: str, mercy: int, scoring: str = "winner_takes") -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Observations uint8 [N, D] and masks uint8 [N, A] of lively hands by random rules of an edition."""
    chance, rows, masks = random.Random(3), [], []
    for seed in range(8):
        rules = RULES[edition](chance, illegal_action="raise", mercy=mercy, scoring=scoring, hand_size=7)
        game = Game(rules, seed=seed)
        while not game.over and len(game.history) < 60:
            rows.append(game.observe(game.to_move, "uint8"))
            masks.append(game.action_mask())
            game.step(lively_action(game, chance))
    return np.array(rows), np.array(masks, np.uint8)


@cache
def decide_rows(edition: Edition) -> Callable[[int, Rows, Rows, Scratch, npt.NDArray[np.int64]], None]:
    """What the strategy of a number does with each row: one function for all of them, which compiles in a third of the
    time that one for each takes.
    """
    rules = np.zeros(1, records_of(edition).rules)

    @njit
    def decide_rows(strategy: int, rows: Rows, masks: Rows, scratch: Scratch, actions: npt.NDArray[np.int64]) -> None:
        for index in range(rows.shape[0]):
            actions[index] = decide(strategy, rules[0], rows[index], masks[index], scratch)

    return decide_rows


def table_name(edition: str, mercy: int) -> str:
    """What a table is called where choices are kept."""
    return f"{edition}, mercy {mercy}"


@cache
def choices_at(edition: str, mercy: int) -> dict[str, npt.NDArray[np.int64]]:
    """The action that each strategy chooses in each of :func:`positions`."""
    rows, masks = positions(edition, mercy)
    played, made = edition_for(Rules.preset(edition, mercy=mercy)), {}
    for name, number in STRATEGY_NUMBERS.items():
        scratch = new_scratch(name, np.array([1], np.uint64), edition=played)
        made[name] = np.full(len(rows), -1)
        decide_rows(played)(number, rows, masks, scratch, made[name])
    return made


if __name__ == "__main__":
    made = choices_at(sys.argv[1], int(sys.argv[2]))
    print(json.dumps({name: checksum(chosen) for name, chosen in made.items()}))
