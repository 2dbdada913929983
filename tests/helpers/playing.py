"""Random play for tests that look at many states: :func:`positions`, :func:`played`; and play without chance."""

import random
from collections.abc import Iterator
from typing import Any

from uno_env import Game, actions

_RARE = {"draw": 0.05, "pass": 0.3}
"""Weight of actions that make games long or dull where something else may be done."""


class Lowest:
    """An agent without chance: the legal action with the lowest id."""

    name = "lowest"

    def act_batch(self, observations: Any, masks: Any) -> Any:
        return masks.argmax(axis=1)


def lively_action(game: Game, chance: random.Random) -> int:
    """A legal action; drawing and passing are rare where something else may be done."""
    legal = game.legal_actions()
    texts = actions.texts(game.rules)
    return chance.choices(legal, [_RARE.get(texts[action], 1.0) for action in legal])[0]


def positions(game: Game, seed: int) -> Iterator[Game]:
    """The game itself before each decision of lively play, and when the hand is over."""
    chance = random.Random(seed)
    while not game.over:
        yield game
        game.step(lively_action(game, chance))
    yield game


def played(game: Game, seed: int, decisions: int) -> Game:
    """The game after a number of lively decisions, or at its end if that comes first."""
    for number, _ in enumerate(positions(game, seed)):
        if number == decisions:
            break
    return game
