"""Whole hands by chance: cards, points and figures that can be checked by hand.

``pytest tests/core/test_plausible.py -s`` prints the table of figures.
"""

import random
from collections import Counter

import numpy as np
import numpy.typing as npt
import pytest

from tests.playing import lively_action
from tests.table import Table
from uno_env import BatchedGames, Game
from uno_env import actions as catalogue
from uno_env.cards import DECKS

PRESETS = ("duel", "classic")
PLAYERS = range(2, 11)


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("players", PLAYERS)
def test_the_winners_points_are_those_of_the_final_hands(preset: str, players: int) -> None:
    chance = random.Random(players)
    for seed in range(15):
        game = Game(preset, seed=seed, players=players)
        while not game.over:
            game.step(lively_action(game, chance))
        table = Table.of(game)
        assert game.end == "went_out"
        assert table.sizes.count(0) == 1
        cards = Counter(f"{table.pile} {table.discards} {' '.join(map(table.hand, range(players)))}".split())
        assert (cards.total(), cards["w"], cards["r0"], cards["b+2"]) == (sum(DECKS["classic"]), 4, 1, 2)
        points = sum(map(table.points_in, range(players))) if preset == "classic" else 0
        assert game.points == [points if seat == game.winner else 0 for seat in range(players)]
        assert sum(game.rewards()) == pytest.approx(0.0, abs=1e-6)


def _actions(mask: npt.NDArray[np.uint8], chance: np.random.Generator) -> npt.NDArray[np.int64]:
    """Actions by chance; drawing and passing only where nothing else may be done."""
    weight = chance.random(mask.shape, np.float32) * mask
    weight[:, [catalogue.DRAW, catalogue.PASS]] *= 1e-6
    return weight.argmax(axis=1)


def _hands(preset: str, players: int, number: int) -> dict[str, npt.NDArray[np.float64]]:
    """Length, points, whether it was truncated and whether the starter won, of a number of hands."""
    batch, chance = BatchedGames(200, preset, seed=players, players=players), np.random.default_rng(players)
    _, mask, seat = batch.reset()
    starter, rows = seat.copy(), []
    while len(rows) < number:
        _, mask, seat, _, done = batch.step(_actions(mask, chance))
        for index in np.flatnonzero(done):
            won = batch.winner[index]
            rows.append((batch.length[index], batch.points[index].sum(), won < 0, won == starter[index]))
            starter[index] = seat[index]
    return dict(zip(("length", "points", "truncated", "starter"), np.array(rows, float).T, strict=True))


def test_figures_of_random_hands() -> None:
    lines = [f"{'':>12} {'mean':>7} {'median':>7} {'longest':>7} {'truncated':>9} {'points':>7} {'starter wins':>12}"]
    for preset in PRESETS:
        for players in PLAYERS:
            hands = _hands(preset, players, 2_000)
            length = hands["length"]
            points, truncated, starter = (hands[name].mean() for name in ("points", "truncated", "starter"))
            lines.append(f"{preset:>8} {players:3} {length.mean():7.1f} {np.median(length):7.1f} {length.max():7.0f} "
                         f"{truncated:9.2%} {points:7.1f} {starter:12.1%}")  # fmt: skip
            assert length.min() >= 7, "at least seven cards are played"
            assert 20 < np.median(length) < 60 * players
            assert truncated < 0.01
            assert 0.5 / players < starter < 2 / players
            assert (15 * players < points < 120 * players) == (preset == "classic")
    print("\n".join(lines))
