"""Determinizations of cards with two sides are uniform over all that agrees with what is seen of their backs."""

import itertools
from collections import Counter
from typing import Any

import numpy as np
import pytest

from tests.helpers.table import Table
from tests.uno_env.core.loops.test_determinize import dealt
from uno_env import Game
from uno_env.editions.flip import FLIP

SAMPLES = 3_000


@pytest.mark.thorough
@pytest.mark.parametrize("backs", ["seen", "hidden"])
@pytest.mark.parametrize(
    ("hand", "pile"),
    [("r1/ose w+2/u8", "r2/p8 b5/p8 r1/use w+2/of"), ("g7/use w+2/u8", "r1/use w+2/of")],
    ids=["many", "the next is the last"],
)
def test_all_ways_to_deal_that_agree_with_what_is_seen_come_equally_often(hand: str, pile: str, backs: str) -> None:
    """On the dark side the back of the next card and the front of the last one are seen. Cards share their backs (r1,
    r2, w+2), and two could be last (dark 8 of pink, or Skip Everyone of purple).
    """
    table = Table(
        "rf/o+5 b5/p7", hand, first="r9/pf", pile=pile, only=True, backs=backs, preset="flip", uno_call="automatic"
    ).go("0 rf/o+5, 1 draw")
    if table.phase == "drawn":
        table.go("1 pass")
    row = table.game.observe(0, "uint8")
    expected = _ways(table.game, backs)
    found = Counter(_key(dealt(row, table.game.rules, seed)[0]) for seed in range(SAMPLES))
    assert set(found) == set(expected)
    for key, share in expected.items():
        spread = (SAMPLES * share * (1 - share)) ** 0.5
        assert abs(found[key] - SAMPLES * share) <= 5 * spread, key


def _key(record: Any) -> tuple[Any, ...]:
    """The other player's hand, and the draw pile in order."""
    hand = tuple(np.flatnonzero(record.seats["hand"][1]).tolist())
    return hand, tuple(record.pile[record.pile_next : record.pile_end].tolist())


def _ways(game: Game, backs: str) -> dict[tuple[Any, ...], float]:
    """The share of each deal among all orders of the hidden cards that look the same to seat 0."""
    record, size = game.record, len(game.hand(1))
    pile = record.pile[record.pile_next : record.pile_end].tolist()
    hidden = game.hand(1) + pile
    light, dark = ([face.text for face in FLIP.faces_on(side)] for side in range(2))
    seen = Counter(light[kind] for kind in game.hand(1))
    ways: Counter[tuple[Any, ...]] = Counter()
    for order in itertools.permutations(hidden):
        hand, rest = order[:size], order[size:]
        if backs == "seen" and Counter(light[kind] for kind in hand) != seen:
            continue
        if light[rest[0]] == light[pile[0]] and dark[rest[-1]] == dark[pile[-1]]:
            ways[tuple(sorted(hand)), rest] += 1
    return {key: number / ways.total() for key, number in ways.items()}
