"""Engine and naive twin agree on every fact of every state, under any rules, in games of any kind."""

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.twin.lock_step import SMALL_DECKS, LockStep, play_on, random_rules
from uno_env import Rules
from uno_env.core.record import FLAGS, SWITCHES
from uno_env.rules import PRESETS

BLOCKS = 24
DECISIONS = 5_000
SLOW_BLOCKS = 40
SLOW_DECISIONS = 50_000


@st.composite
def rule_sets(draw: st.DrawFn) -> Rules:
    """Rules that can be played; they shrink towards two players and the first value of each switch."""
    values = {switch: draw(st.sampled_from(allowed)) for switch, allowed in SWITCHES.items()}
    values |= {flag: draw(st.booleans()) for flag in FLAGS}
    players = draw(st.integers(2, 10))
    values |= {
        "players": players,
        "dialect": "official",
        "deck": draw(st.sampled_from(("classic", "edition_2018", "h2o", *SMALL_DECKS))),
        "hand_size": draw(st.integers(1, 7)),
        "dealer_seat": draw(st.integers(0, players - 1)),
        "uno_penalty": draw(st.integers(0, 4)),
        "target": draw(st.sampled_from((500, 100, 20))),
        "reflexes": draw(st.sampled_from(((), tuple(range(1, players + 1)), (1, *[0] * (players - 1))))),
        "max_decisions": draw(st.sampled_from((300, 30))),
    }
    try:
        return Rules.from_dict(values)
    except ValueError:
        return Rules.from_dict({**values, "deck": "classic"})


@settings(max_examples=100, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
@given(
    rules=rule_sets(),
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


def test_match_of_too_many_hands() -> None:
    lock_step = LockStep(Rules(players=2, deck=SMALL_DECKS[0], hand_size=2, max_decisions=1), match=True)
    assert play_on(lock_step, random.Random(0), 1_001) == 1_000
    assert lock_step.game.end == "too_many_hands"


def play_block(block: int, decisions: int) -> None:
    """Games and matches under rules of all kinds, in which players hurry or dawdle."""
    chance = random.Random(block)
    while decisions > 0:
        lock_step = LockStep(random_rules(chance), chance.randrange(2**32), match=chance.random() < 0.5)
        decisions -= play_on(lock_step, chance, min(decisions, 1_000), lively=chance.choice((0.0, 0.7, 0.97)))
