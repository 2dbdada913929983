"""Random play for tests that look at many states: :func:`positions`."""

import random
from collections.abc import Iterator

from uno_env import Game
from uno_env.actions import DRAW


def choose(game: Game, chance: random.Random) -> int:
    """A random legal action; one in five times any, else not drawing where something else can be done."""
    legal = game.legal_actions()
    others = [action for action in legal if action != DRAW]
    return chance.choice(legal if not others or chance.random() < 0.2 else others)


def positions(game: Game, seed: int) -> Iterator[Game]:
    """The game itself before each decision of random play, and when the hand is over."""
    chance = random.Random(seed)
    while not game.over:
        yield game
        game.step(choose(game, chance))
    yield game


def played(game: Game, seed: int, decisions: int) -> Game:
    """The game after a number of random decisions, or at its end if that comes first."""
    for number, _ in enumerate(positions(game, seed)):
        if number == decisions:
            break
    return game
