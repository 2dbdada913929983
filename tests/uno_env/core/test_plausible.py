"""Whole hands by chance: cards, points and figures that can be checked by hand.

``pytest tests/uno_env/core/test_plausible.py -s -m slow`` prints the table of figures.
"""

import random
from collections import Counter
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt
import pytest

from tests.helpers.playing import lively_action
from tests.helpers.table import Table
from uno_env import PRESETS, BatchedGames, Game, Rules
from uno_env import actions as catalogue
from uno_env.cards import cards_text

PRESET_NAMES = [preset for preset in PRESETS if preset not in ("mini", "rlcard", "no_mercy", "flip")]
"""Those that can be played by two to ten."""
PLAYERS = range(2, 11)
LONG = ("h2o", "guide_001")
"""Where Downpours fill all hands, or one keeps drawing and is caught for four cards."""
_POINTS = {str(number): number for number in range(10)} | {"w": 50, "w+4": 50, "wd1": 50, "wd2": 50}


def _recount(game: Game, seat: int) -> int:
    """Points of the cards that a seat holds, counted from their texts."""
    special = 50 if game.rules == Rules.preset("edition_2022", players=game.players) else 40
    values = _POINTS | {"wsh": special, "wcu": special}
    texts = cards_text(game.hand(seat)).split()
    return sum(values.get(text, values.get(text[1:], 20)) for text in texts)


@pytest.mark.parametrize("preset", PRESET_NAMES)
@pytest.mark.parametrize("players", PLAYERS)
def test_the_winners_points_are_those_of_the_final_hands(preset: str, players: int) -> None:
    chance = random.Random(players)
    for seed in range(8):
        game = Game(preset, seed=seed, players=players)
        while not game.over:
            game.step(lively_action(game, chance))
        table = Table.of(game)
        assert game.end == "went_out"
        assert table.sizes.count(0) == 1
        cards = Counter(f"{table.pile} {table.discards} {' '.join(map(table.hand, range(players)))}".split())
        assert cards.total() == sum(game.rules.deck_counts)
        assert (cards["w"], cards["r0"], cards["b+2"]) == (4, 1, 2)
        left = [_recount(game, seat) for seat in range(players)]
        if game.rules.scoring == "winner_takes":
            left = [sum(left) if seat == game.winner else 0 for seat in range(players)]
        assert game.points == ([0] * players if game.rules.scoring == "hand" else left)
        assert sum(game.rewards()) == pytest.approx(0.0, abs=1e-6)


def _actions(mask: npt.NDArray[np.uint8], chance: np.random.Generator) -> npt.NDArray[np.int64]:
    """Actions by chance; drawing and passing only where nothing else may be done."""
    weight = (chance.random(mask.shape, np.float32) + 0.001) * mask
    weight[:, [catalogue.DRAW, catalogue.PASS]] *= 1e-6
    return weight.argmax(axis=1)


def _hands(preset: str, players: int, each: int) -> dict[str, npt.NDArray[np.float64]]:
    """Length, points, whether it was truncated and whether the starter won: the first ``each`` hands of 200 games."""
    batch, chance = BatchedGames(200, preset, seed=players, players=players), np.random.default_rng(players)
    _, mask, seat = batch.reset()
    starter, finished, rows = seat.copy(), np.zeros(200, int), []
    while finished.min() < each:
        _, mask, seat, _, done = batch.step(_actions(mask, chance))
        for index in np.flatnonzero(done):
            if finished[index] < each:
                won = batch.winner[index]
                rows.append((batch.length[index], batch.points[index].sum(), won < 0, won == starter[index]))
            finished[index] += 1
            starter[index] = seat[index]
    return dict(zip(("length", "points", "truncated", "starter"), np.array(rows, float).T, strict=True))


def _figures(each: int, tables: Iterable[int] = PLAYERS) -> None:
    lines = [f"{'':>16} {'mean':>7} {'median':>7} {'longest':>7} {'truncated':>9} {'points':>7} {'starter wins':>12}"]
    for preset in PRESET_NAMES:
        for players in tables:
            hands = _hands(preset, players, each)
            length = hands["length"]
            points, truncated, starter = (hands[name].mean() for name in ("points", "truncated", "starter"))
            lines.append(f"{preset:>12} {players:3} {length.mean():7.1f} {np.median(length):7.1f} {length.max():7.0f} "
                         f"{truncated:9.2%} {points:7.1f} {starter:12.1%}")  # fmt: skip
            assert length.min() >= (4 if Rules.preset(preset).double_play else 7), "a whole hand is played"
            assert 20 < np.median(length) < (400 if preset in LONG else 100) * players
            assert truncated < 0.01
            assert 0.4 / players < starter < 2.2 / players
            assert (15 * players < points < 200 * players) == (Rules.preset(preset).scoring != "hand")
    print("\n".join(lines))


@pytest.mark.thorough
def test_figures_of_random_hands() -> None:
    _figures(1, tables=(2, 4, 10))


@pytest.mark.slow
def test_figures_of_many_random_hands() -> None:
    _figures(10)
