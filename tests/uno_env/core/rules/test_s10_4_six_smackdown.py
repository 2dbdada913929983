"""GUIDE.md 10.4: everyone slaps a 6. Switches: ``six_smackdown``, ``reflexes``."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tests.helpers.chance import looks_uniform
from tests.helpers.table import Table


def _table(*hands: str | None, **changes: Any) -> Table:
    return Table(*hands, **{"six_smackdown": True, "uno_call": "automatic", **changes})


def _slapped(number: int, players: int = 4, **changes: Any) -> Iterator[Table]:
    """The same table again and again, seat 0 laying a 6 with other luck each time."""
    start = _table("r6 r1 r2", *[None] * (players - 1), **changes)
    for seed in range(number):
        game = start.game.clone()
        game._array[0].rng = np.uint64(seed * 0x9E37_79B9)
        yield Table.of(game).go("0 r6")


def _last(table: Table) -> int:
    """Who has drawn two."""
    grown = [size - (2 if seat == 0 else 3) for seat, size in enumerate(table.sizes)]
    assert sorted(grown) == [0] * (len(grown) - 1) + [2]
    return grown.index(2)


@pytest.mark.parametrize("card", ["r6", "b6"])
def test_10_4_on_a_six_the_last_to_slap_draws_two(card: str) -> None:
    table = _table(f"{card} r1 r2", None, None, first="r9" if card == "r6" else "b9").go(f"0 {card}")
    _last(table)
    assert (table.to_move, table.phase) == (1, "play")


@pytest.mark.parametrize(("card", "six_smackdown"), [("r6", False), ("r5", True), ("r9", True)])
def test_10_4_off_or_another_number_nobody_draws(card: str, six_smackdown: bool) -> None:
    assert _table(f"{card} r1 r2", None, None, six_smackdown=six_smackdown).go(f"0 {card}").sizes == [2, 3, 3]


def test_10_4_a_first_six_is_not_slapped() -> None:
    assert _table("r1 r2", None, None, first="r6").sizes == [2, 2, 2]


@pytest.mark.parametrize("players", [2, 5, 10])
def test_10_4_the_last_is_drawn_uniformly_from_all_players(players: int) -> None:
    counts = np.bincount([_last(table) for table in _slapped(150 * players, players)], minlength=players)
    assert looks_uniform(counts)


def test_10_4_or_by_reflexes_a_weight_per_seat() -> None:
    weights = np.array([1, 0, 5, 2])
    last = [_last(table) for table in _slapped(1_600, reflexes=(1, 0, 5, 2))]
    counts, expected = np.bincount(last, minlength=4), 1_600 * weights / 8
    assert counts[1] == 0
    chi_square = ((counts - expected)[[0, 2, 3]] ** 2 / expected[[0, 2, 3]]).sum()
    assert chi_square < 16.3, "one in 3,000 for two degrees of freedom"


def test_10_4_the_weights_are_in_the_observation_of_each_seat() -> None:
    table = _table("r1", "b1", "g1", reflexes=(1, 0, 5))
    assert [table.sees(seat, "reflexes")[:4].tolist() for seat in range(3)] == [
        [1, 0, 5, 0],
        [0, 5, 1, 0],
        [5, 1, 0, 0],
    ]


def test_10_4_not_if_it_was_the_last_card() -> None:
    table = _table("r6", "b1", "g1").go("0 r6")
    assert (table.game.winner, table.sizes) == (0, [0, 1, 1])


def test_10_4_a_six_drawn_and_played_is_slapped_too() -> None:
    table = _table("b1 b2", None, pile="r6", reflexes=(0, 1)).go("0 draw, 0 r6")
    assert table.sizes == [2, 4]


def test_10_4_who_played_the_six_slaps_too_and_a_call_lapses_with_the_cards() -> None:
    table = _table("r6 r1", None, None, uno_call="declared", reflexes=(1, 0, 0)).go("0 call, 0 r6")
    assert (table.sizes, table.called, table.to_move) == ([3, 2, 2], set(), 1)


def test_10_4_with_nothing_left_to_draw_nobody_draws() -> None:
    table = _table("r6 r1", "b1 b2", only=True, first="r9").go("0 r6")
    assert sum(table.sizes) == 4, "the one discard below the 6 is drawn"


def test_10_4_who_is_out_of_the_match_does_not_slap() -> None:
    table = _table("r6 r1 r2", "b1 b2 b3", "y1 y2 y3", scoring="elimination", reflexes=(0, 0, 9))
    record = table.game._array[0]
    record.hands_played, record.out = 1, 0b100
    record.discards += record.seats["hand"][2]
    record.seats["hand"][2] = record.seats["hand_size"][2] = 0
    table.check()
    assert sum(table.go("0 r6").sizes[:2]) == 7, "one of the others, whose weights are all 0"
