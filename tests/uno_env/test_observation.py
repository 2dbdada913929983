"""Observations: the layout table, the rules in force, and the two forms.

That the encoder writes what the table says is compared with the naive twin, section by section, in
tests/twin/test_lock_step.py.
"""

import random
from typing import Any

import numpy as np
import pytest

from tests.helpers.marks import thorough
from tests.helpers.playing import positions
from tests.helpers.random_rules import random_rules
from uno_env import BatchedGames, Game, Rules
from uno_env.cards import parse_card
from uno_env.core.observe.layout import verify_columns
from uno_env.core.record import FLAGS, MAX_SEATS, SWITCHES
from uno_env.observation import (
    LAYOUT,
    OBSERVATION_SIZE,
    SCALES,
    highest_values,
    integer_form,
    rules_columns,
)


def naive_rules(rules: Rules) -> list[int]:
    """The columns of the rules in force: switches, numbers, and the switches that were added since."""
    last = ("renew", "draw_two_turn", "wild_is_match", "deflect")
    index = {name: values.index(getattr(rules, name)) for name, values in (SWITCHES | FLAGS).items()}
    numbers = [rules.players, rules.hand_size, rules.uno_penalty, rules.special_wild_points]
    first = [number for name, number in index.items() if name not in last]
    return [*first, *numbers, rules.target // 4, rules.target % 4, *(index[name] for name in last)]


def test_sections_lie_side_by_side() -> None:
    start = 0
    for name, section in LAYOUT.items():
        assert (section.name, section.start) == (name, start)
        assert section.columns == slice(start, start + section.width)
        assert section.width > 0
        assert section.meaning
        assert np.array_equal(SCALES[section.columns], np.full(section.width, section.scale, np.float32))
        start += section.width
    assert start == OBSERVATION_SIZE == len(SCALES)


def test_whoever_adds_a_switch_is_told_that_its_column_is_missing() -> None:
    with pytest.raises(RuntimeError, match=r"^no column shows trumps, teams: write it last in _RULES, .*layout\.py$"):
        verify_columns(["stacking", "trumps", "teams"], OBSERVATION_SIZE)
    with pytest.raises(
        RuntimeError,
        match=rf"has {OBSERVATION_SIZE} columns, not {OBSERVATION_SIZE + 1}: .* raise LAYOUT_VERSION, too$",
    ):
        verify_columns([], OBSERVATION_SIZE + 1)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"deck": "r1 r1 b2 b3 y9", "hand_size": 1},
        {"late_call": False},
        {"renew": "at_once"},
        {"deflect": True, "wild_is_match": True, "draw_two_turn": "kept_first"},
        {"target": 777, "special_wild_points": 50, "uno_penalty": 4},
    ],
)
def test_rules_in_force_are_shown(changes: dict[str, Any]) -> None:
    rules = Rules(players=2, **changes)
    row = rules_columns(rules)
    assert row.dtype == np.uint8
    assert row.tolist() == [1, 1, *[0] * 8, *rules.deck_counts, *naive_rules(rules)]
    assert not np.array_equal(row, rules_columns(rules.replace(players=3, deck="classic")))


def test_the_two_forms_hold_the_same() -> None:
    for game in positions(Game("classic", seed=5), 5):
        for seat in range(4):
            small, scaled = game.observe(seat, "uint8"), game.observe(seat)
            assert (small.dtype, scaled.dtype) == (np.uint8, np.float32)
            assert np.array_equal(scaled, small * SCALES)
            assert np.array_equal(integer_form(scaled), small)
            assert integer_form(small) is small


def test_every_value_survives_the_scaled_form() -> None:
    rows = np.repeat(np.arange(256, dtype=np.uint8)[:, None], OBSERVATION_SIZE, axis=1)
    assert np.array_equal(integer_form(rows * SCALES), rows)


@pytest.mark.parametrize("seed", range(12))
def test_every_float_input_lies_between_0_and_1(seed: int) -> None:
    chance = random.Random(seed)
    official = {"deck": chance.choice(["classic", "edition_2018", "h2o"])}
    rules = random_rules(chance, illegal_action="raise", **official)
    batch = BatchedGames(32, rules=rules, seed=seed, match=rules.scoring != "hand")
    batch.reset()
    for _ in range(300):
        observations = batch.step(batch.sample_actions())[0]
        assert observations.min() >= 0
        assert (observations <= highest_values(rules)).all()
    assert (highest_values(rules) == 1).all()


def test_the_bounds_of_a_deck_with_many_equal_cards_are_higher() -> None:
    rules = Rules(players=2, hand_size=2, deck="r1 " * 6 + "r2 b+2 w+4 w+4", dealer="random", reflexes=(1, 16))
    highest = highest_values(rules)
    assert highest[LAYOUT["hand"].start + parse_card("r1")] == 6 / 4
    assert highest[LAYOUT["reflexes"].columns].tolist() == [2.0] * MAX_SEATS
    for seed in range(20):
        for game in positions(Game(rules, seed=seed), seed):
            assert (game.observe(0) <= highest).all()


@pytest.mark.parametrize("preset", ["no_mercy", *thorough("classic", "flip")])
def test_the_bound_of_a_late_mercy_is_higher(preset: str) -> None:
    rules = Rules.preset(preset, players=4).replace(mercy=100)
    assert highest_values(rules).max() >= 100 / 32
    assert (Game(rules, seed=1).observe(0) <= highest_values(rules)).all()


def test_scales_are_powers_of_two_that_use_the_range() -> None:
    """The largest numbers that were met in 10⁵ random games of all presets and of 300 random rules."""
    largest = {"hand": 4, "discards": 4, "hand_sizes": 90, "draw_pile": 109, "penalty": 20, "drew_on": 104,
               "scores": 241, "reflexes": 8, "known": 4, "deck": 4}  # fmt: skip
    for section in LAYOUT.values():
        for scale in np.atleast_1d(section.scale):
            assert np.log2(scale) == np.round(np.log2(scale))
        if section.name in largest:
            assert 0.5 < largest[section.name] * section.scale <= 1


@pytest.mark.parametrize("shape", [(OBSERVATION_SIZE - 1,), (OBSERVATION_SIZE, 2), ()])
def test_what_is_no_observation(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=f"an observation has {OBSERVATION_SIZE} columns, not shape"):
        integer_form(np.zeros(shape, np.float32))
