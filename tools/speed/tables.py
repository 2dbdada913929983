"""``python -m tools.speed.tables``: what it costs a game to read the cards of its edition from tables in the rules.

Two forms of one loop run in turns: the mask of the cards that match and the points of a hand, with constants of one
deck, and with tables and sizes that come from the types of the records. The second form is compiled for the 58 kinds of
the classic deck and for 112 kinds.
"""

import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from uno_env.core.arrays import Array
from uno_env.core.jit.njit import njit

GAMES, TURNS, REPEATS = 4096, 200, 21
KINDS, COLOURED, RANKS = 58, 52, 13
_COLOURED = np.arange(COLOURED)
FOLLOWS = np.array(
    [(top // RANKS == _COLOURED // RANKS) | (top % RANKS == _COLOURED % RANKS) for top in range(COLOURED)], np.uint8
)
POINTS = np.append(_COLOURED % RANKS, [50] * (KINDS - COLOURED)).astype(np.int8)


def records(kinds: int, coloured: int, ranks: int) -> tuple[Array, Array]:
    """Games with random hands, [GAMES], and the rules [1] of a deck."""
    game = np.dtype((np.record, [("top", np.int8), ("hand", np.int8, (kinds,))]))
    tables = [(name, np.int8, (kinds,)) for name in ("colour", "symbol", "points")]
    rules = np.dtype((np.record, [*tables, ("coloured", np.int8, (coloured,))]))
    rng = np.random.default_rng(0)
    games, deck = np.zeros(GAMES, game), np.zeros(1, rules)
    games["top"], games["hand"] = rng.integers(0, coloured, GAMES), rng.integers(0, 6, (GAMES, kinds)) == 0
    kind = np.arange(kinds)
    deck["colour"] = np.where(kind < coloured, kind // ranks, -1)
    deck["symbol"] = np.where(kind < coloured, kind % ranks, kind - coloured + ranks)
    deck["points"] = np.where(kind < coloured, kind % ranks, 50)
    return games, deck


@njit
def by_constants(games: Any, rules: Any, mask: Any, turns: int) -> int:
    """The loop with constants of the classic deck, as the core has them."""
    total = 0
    for _ in range(turns):
        for index in range(len(games)):
            game = games[index]
            follows = FOLLOWS[game.top]
            for kind in range(COLOURED):
                mask[kind] = (game.hand[kind] > 0) & follows[kind]
            for kind in range(KINDS):
                total += game.hand[kind] * POINTS[kind]
            total += mask[game.top]
    return total


@njit
def by_tables(games: Any, rules: Any, mask: Any, turns: int) -> int:
    """The same loop for any deck."""
    total, deck = 0, rules[0]
    for _ in range(turns):
        for index in range(len(games)):
            game = games[index]
            colour, symbol = deck.colour[game.top], deck.symbol[game.top]
            for kind in range(len(deck.coloured)):
                mask[kind] = (game.hand[kind] > 0) & ((deck.colour[kind] == colour) | (deck.symbol[kind] == symbol))
            for kind in range(len(game.hand)):
                total += game.hand[kind] * deck.points[kind]
            total += mask[game.top]
    return total


def nanoseconds(loop: Callable[..., int], arguments: tuple[Any, ...]) -> float:
    """Time of a turn of one game."""
    begun = time.perf_counter()
    loop(*arguments, TURNS)
    return (time.perf_counter() - begun) / TURNS / GAMES * 1e9


def main() -> None:
    """Measure, and print a line for each form."""
    classic = (*records(KINDS, COLOURED, RANKS), np.zeros(KINDS, np.uint8))
    larger = (*records(112, 104, 13), np.zeros(112, np.uint8))
    assert by_constants(*classic, 1) == by_tables(*classic, 1)
    by_tables(*larger, 1)
    times = [
        (nanoseconds(by_constants, classic), nanoseconds(by_tables, classic), nanoseconds(by_tables, larger))
        for _ in range(REPEATS)
    ]
    names = ("constants, 58 kinds", "tables, 58 kinds", "tables, 112 kinds")
    for name, each in zip(names, zip(*times, strict=True), strict=True):
        print(f"{name}: {statistics.median(each):.1f} ns a game")
    print(f"tables / constants: {statistics.median(tables / constants for constants, tables, _ in times):.3f}")


if __name__ == "__main__":
    main()
