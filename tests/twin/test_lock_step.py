"""Engine and naive twin agree on every fact of every state, under any rules, in games of any kind."""

import random
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.helpers.random_rules import SMALL_DECKS, random_flip_rules, random_no_mercy_rules, random_rules
from tests.twin.lock_step import LockStep, play_on
from uno_env import Rules
from uno_env.rules import PRESETS


def official_rules(chance: random.Random) -> Rules:
    return random_rules(chance, dialect="official")


def classic_rules_with_mercy(chance: random.Random) -> Rules:
    hand_size = chance.choice((1, 2, 3, 7))
    mercy = hand_size + chance.choice((1, 2, 3, 5, 8))
    return random_rules(chance, dialect="official", hand_size=hand_size, mercy=mercy)


def no_mercy_rules_without_mercy(chance: random.Random) -> Rules:
    return random_no_mercy_rules(chance, mercy=0)


def flip_rules_with_mercy(chance: random.Random) -> Rules:
    hand_size = chance.choice((1, 2, 3, 7))
    return random_flip_rules(chance, hand_size=hand_size, mercy=hand_size + chance.choice((1, 2, 4, 9)))


GAMES: dict[str, Callable[[random.Random], Rules]] = {
    "classic": official_rules,
    "classic with mercy": classic_rules_with_mercy,
    "no mercy": random_no_mercy_rules,
    "no mercy without mercy": no_mercy_rules_without_mercy,
    "flip": random_flip_rules,
    "flip with mercy": flip_rules_with_mercy,
}
"""What draws the rules of games."""
BLOCKS = {
    "classic": 24, "classic with mercy": 4, "no mercy": 10, "no mercy without mercy": 2, "flip": 8, "flip with mercy": 4
}  # fmt: skip
"""How many blocks of games are played of each."""
COMPILED_FOR_ITSELF = ("classic with mercy", "flip with mercy")
"""Games of which the first is played after half a minute of compiling."""


@pytest.mark.parametrize(
    "game", [pytest.param(name, marks=[pytest.mark.slow] * (name in COMPILED_FOR_ITSELF)) for name in GAMES]
)
@settings(max_examples=100, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
@given(
    chance=st.randoms(),
    seed=st.integers(0, 10_000),
    match=st.booleans(),
    choices=st.lists(st.integers(0, 40), max_size=40),
    decisions=st.integers(0, 300),
)
def test_any_rules(
    game: str, chance: random.Random, seed: int, match: bool, choices: list[int], decisions: int
) -> None:
    """A difference shrinks to few switches, few choices and the fewest decisions that show it."""
    lock_step = LockStep(GAMES[game](chance), seed, match)
    for choice in choices:
        if lock_step.game.over:
            return
        legal = lock_step.game.legal_names()
        lock_step.step(legal[choice % len(legal)])
    play_on(lock_step, random.Random(seed), decisions)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "block", "decisions"),
    [
        *((game, block, 5_000) for game, blocks in BLOCKS.items() for block in range(blocks)),
        *((game, block, 50_000) for game in GAMES for block in range(24, 64)),
    ],
)
def test_long_games(game: str, block: int, decisions: int) -> None:
    play_block(GAMES[game], block, decisions)


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


def play_block(draw_rules: Callable[[random.Random], Rules], block: int, decisions: int) -> None:
    """Games and matches under rules of all kinds, in which players hurry or dawdle."""
    chance = random.Random(block)
    while decisions > 0:
        lock_step = LockStep(draw_rules(chance), chance.randrange(2**32), match=chance.random() < 0.5)
        decisions -= max(1, play_on(lock_step, chance, min(decisions, 1_000), lively=chance.choice((0.0, 0.7, 0.97))))
