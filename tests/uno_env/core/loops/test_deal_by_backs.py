"""Determinizations of cards with two sides agree with all that is seen of their backs, and are uniform otherwise."""

import itertools
import random
from collections import Counter
from typing import Any

import numpy as np
import pytest

from tests.helpers.playing import positions
from tests.helpers.random_rules import random_flip_rules
from tests.helpers.table import Table
from uno_env import Game, Rules
from uno_env.core.legal import legal_actions
from uno_env.core.loops.determinize import sample_determinization
from uno_env.core.loops.invariant_bits import fault_bits
from uno_env.core.observe.decode import decode
from uno_env.core.observe.encode import encode
from uno_env.core.record import records_of
from uno_env.editions import edition_for
from uno_env.editions.flip import FLIP
from uno_env.observation import layout, rules_columns, rules_of

SAMPLES = 3_000


def _dealt(row: Any, rules: Rules, seed: int) -> Any:
    """A determinization that an observation allows."""
    array = np.zeros(1, records_of(edition_for(rules)).game)
    array["rng"] = seed
    assert decode(row, rules.record, array[0])
    sample_determinization(array[0], rules.record)
    return array[0]


@pytest.mark.thorough
def test_a_world_looks_as_what_it_was_made_from_and_allows_the_same() -> None:
    chance, sides = random.Random(5), set()
    for hand in range(40):
        game = Game(random_flip_rules(chance), seed=hand, match=chance.random() < 0.5)
        for place, position in enumerate(positions(game, hand)):
            if place > 100 or position.over:
                break
            if chance.random() < 0.8:
                continue
            row = position.observe(position.to_move, "uint8")
            rules = rules_of(row)
            record, sections = _dealt(row, rules, place), layout(rules)
            again, mask = np.zeros_like(row), np.zeros_like(position.action_mask())
            encode(record, rules.record, 0, again)
            again[sections["seats"].start :] = rules_columns(rules)
            legal_actions(record, rules.record, mask)
            assert [name for name, section in sections.items() if (again != row)[section.columns].any()] == []
            assert (mask == position.action_mask()).all()
            assert fault_bits(record, rules.record, mask.view(np.uint8)) == 0
            sides.add((int(record.side[0]), rules.backs))
    assert sides == {(0, "seen"), (0, "hidden"), (1, "seen"), (1, "hidden")}


@pytest.mark.parametrize("backs", ["seen", "hidden"])
def test_all_ways_to_deal_that_agree_with_what_is_seen_come_equally_often(backs: str) -> None:
    """On the dark side the back of the next card and the front of the last one are seen. Cards share their backs (r1,
    r2, w+2), and two could be last (dark 8 of pink)."""
    pile = "r2/p8 b5/p8 r1/use w+2/of"
    table = Table(
        "rf/o+5 b5/p7", "r1/ose w+2/u8", first="r9/pf", pile=pile, only=True, backs=backs, preset="flip",
        uno_call="automatic",
    ).go("0 rf/o+5, 1 draw")  # fmt: skip
    if table.phase == "drawn":
        table.go("1 pass")
    row = table.game.observe(0, "uint8")
    expected = _ways(table.game, backs)
    found = Counter(_key(_dealt(row, table.game.rules, seed)) for seed in range(SAMPLES))
    assert set(found) == set(expected)
    for key, share in expected.items():
        spread = (SAMPLES * share * (1 - share)) ** 0.5
        assert abs(found[key] - SAMPLES * share) < 5 * spread, key


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
