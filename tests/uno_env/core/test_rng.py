"""Chance: SplitMix64 and what is drawn from it."""

from collections import Counter

import numpy as np
import numpy.typing as npt
import pytest

from tests.helpers.chance import looks_uniform
from uno_env.core.record import GAME
from uno_env.core.record_type import Record
from uno_env.core.rng import below, bounded, next_bits, next_bits_at, random_set_bit, stream
from uno_env.core.rules.deck import shuffle_pile


def _game(seed: int) -> Record:
    game = np.zeros(1, GAME)
    game["rng"] = seed
    return game[0]


def test_splitmix64_reference_values() -> None:
    """The first outputs of the generator for seed 1234567, as other implementations give them."""
    game = _game(1234567)
    assert [int(next_bits(game)) for _ in range(5)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


def test_a_generator_outside_a_game_gives_the_same_bits() -> None:
    states, game = np.array([7, 1234567], np.uint64), _game(1234567)
    assert [int(next_bits_at(states, 1)) for _ in range(9)] == [int(next_bits(game)) for _ in range(9)]
    assert states[0] == 7


@pytest.mark.parametrize("bound", [1, 2, 3, 10, 52, 108])
def test_below_is_uniform(bound: int) -> None:
    game = _game(bound)
    drawn = np.bincount([below(game, bound) for _ in range(300 * bound)], minlength=bound)
    assert len(drawn) == bound
    assert bound == 1 or looks_uniform(drawn)


@pytest.mark.parametrize(("bits", "value"), [(0, 0), (2**64 - 1, 9), (2**63, 5), (2**32 - 1, 0)])
def test_bounded_by_hand(bits: int, value: int) -> None:
    """The upper 32 bits as a fraction of 1, times 10."""
    assert bounded(np.uint64(bits), 10) == value


@pytest.mark.parametrize("bits", [0b1, 0b1000000000, 0b11, 0b1010101, 0b1111111111, 0b1000000001])
def test_random_set_bit_is_uniform_over_the_set_bits(bits: int) -> None:
    game = _game(bits)
    places = [place for place in range(10) if bits >> place & 1]
    drawn = Counter(int(random_set_bit(game, bits)) for _ in range(300 * len(places)))
    assert set(drawn) == set(places)
    assert len(places) == 1 or looks_uniform([drawn[place] for place in places])


def _shuffled(seed: int, cards: int) -> list[int]:
    game = _game(seed)
    game.pile[:cards], game.pile_next, game.pile_end = np.arange(cards), 0, cards
    shuffle_pile(game)
    return [int(kind) for kind in game.pile[:cards]]


def test_shuffle_gives_every_order_of_four_cards_as_often() -> None:
    orders = Counter(tuple(_shuffled(seed, 4)) for seed in range(6_000))
    assert len(orders) == 24
    assert looks_uniform(list(orders.values()))


def test_shuffle_touches_only_the_draw_pile() -> None:
    game = _game(3)
    game.pile[:] = np.arange(len(game.pile)) % 58
    before = game.pile.copy()
    game.pile_next, game.pile_end = 20, 40
    shuffle_pile(game)
    assert (game.pile[:20] == before[:20]).all()
    assert (game.pile[40:] == before[40:]).all()
    assert (game.pile[20:40] != before[20:40]).any()
    assert sorted(game.pile[20:40]) == sorted(before[20:40])


def _bits(start: np.uint64, number: int) -> npt.NDArray[np.uint8]:
    game = _game(int(start))
    words = np.array([next_bits(game) for _ in range(number)], np.uint64)
    return np.unpackbits(words.view(np.uint8))


@pytest.mark.parametrize(
    ("one", "other"),
    [((0, 0), (0, 1)), ((0, 0), (1, 0)), ((5, 7), (7, 5)), ((0, 1), (1, 0)), ((2**64 - 1, 0), (0, 0))],
)
def test_streams_of_other_seeds_and_games_are_independent(one: tuple[int, int], other: tuple[int, int]) -> None:
    """Half of all bits agree, give or take four standard deviations."""
    starts = [stream(np.uint64(seed), np.uint64(index)) for seed, index in (one, other)]
    agreeing = (_bits(starts[0], 500) == _bits(starts[1], 500)).sum()
    assert abs(agreeing - 16_000) < 4 * 32_000**0.5 / 2


def test_streams_begin_at_different_places() -> None:
    starts = {int(stream(np.uint64(seed), np.uint64(index))) for seed in range(100) for index in range(100)}
    assert len(starts) == 10_000
