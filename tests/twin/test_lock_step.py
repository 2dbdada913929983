"""Engine and naive twin agree on every fact of every state, under any rules, in games of any kind."""

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.helpers.random_rules import SMALL_DECKS, random_rules
from tests.twin.lock_step import LockStep, play_on
from uno_env import Rules
from uno_env.rules import PRESETS

BLOCKS = 24
DECISIONS = 5_000
SLOW_BLOCKS = 40
SLOW_DECISIONS = 50_000


@settings(max_examples=100, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
@given(
    rules=st.randoms().map(lambda rng: random_rules(rng, dialect="official")),
    seed=st.integers(0, 10_000),
    match=st.booleans(),
    choices=st.lists(st.integers(0, 40), max_size=40),
    decisions=st.integers(0, 300),
)
def test_any_rules(rules: Rules, seed: int, match: bool, choices: list[int], decisions: int) -> None:
    """A difference shrinks to few switches, few choices and the fewest decisions that show it."""
    lock_step = LockStep(rules, seed, match)
    for choice in choices:
        if lock_step.game.over:
            return
        legal = lock_step.game.legal_names()
        lock_step.step(legal[choice % len(legal)])
    play_on(lock_step, random.Random(seed), decisions)


@pytest.mark.parametrize("block", range(BLOCKS))
def test_long_games(block: int) -> None:
    play_block(block, DECISIONS)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(BLOCKS, BLOCKS + SLOW_BLOCKS))
def test_many_long_games(block: int) -> None:
    play_block(block, SLOW_DECISIONS)


@pytest.mark.parametrize("preset", sorted({*PRESETS} - {"rlcard"}))  # whose twin is RLCard: tests/adapters
def test_presets(preset: str) -> None:
    chance = random.Random(preset)
    for seed in range(6):
        rules = Rules.preset(preset) if preset == "mini" else Rules.preset(preset, players=chance.randint(2, 10))
        play_on(LockStep(rules, seed, match=seed % 2 == 1), chance, 300)


def test_matches_down_to_two() -> None:
    """Short hands and a low target: again and again, players are out and others play on."""
    chance = random.Random(0)
    changes = {"scoring": "elimination", "target": 5, "hand_size": 2, "dealer": "random", "reflexes": ()}
    for seed in range(60):
        rules = random_rules(chance, dialect="official", players=chance.choice((3, 4, 6)), **changes)
        play_on(LockStep(rules, seed, match=True), chance, 300, lively=0.9)


def test_match_of_too_many_hands() -> None:
    lock_step = LockStep(Rules(players=2, deck=SMALL_DECKS[0], hand_size=2, max_decisions=1), match=True)
    assert play_on(lock_step, random.Random(0), 1_001) == 1_000
    assert lock_step.game.end == "too_many_hands"


def play_block(block: int, decisions: int) -> None:
    """Games and matches under rules of all kinds, in which players hurry or dawdle."""
    chance = random.Random(block)
    while decisions > 0:
        lock_step = LockStep(
            random_rules(chance, dialect="official"), chance.randrange(2**32), match=chance.random() < 0.5
        )
        decisions -= play_on(lock_step, chance, min(decisions, 1_000), lively=chance.choice((0.0, 0.7, 0.97)))
