"""Games whose every state is reduced to checksums, to be compared between compiled and uncompiled code.

``python -m tests.uno_env.core.lockstep FILE`` writes them; with ``NUMBA_DISABLE_JIT=1`` the same source runs as plain
Python.
"""

import random
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tests.helpers.playing import lively_action
from tests.helpers.random_rules import random_rules
from uno_env import BatchedGames, Game, Rules
from uno_env.cards import DECKS, WILD_DRAW_FOUR
from uno_env.core.record import GAME, SEAT

SMALL_DECK = "r1 r1 r2 rs r+2 y1 y1 y3 yr y+2 g2 g2 g3 gs b3 b3 b1 br w w w+4 w+4 w+4 w+4"
MANY_DRAW_FOURS = (*DECKS["classic"][:WILD_DRAW_FOUR], 20, 0, 0, 0, 0)
SMALL: dict[str, Any] = {"deck": SMALL_DECK, "hand_size": 3, "dealer": "random"}

CASES: list[dict[str, Any]] = [
    {"preset": "duel"},
    {"preset": "duel", "players": 10},
    {"preset": "classic", "players": 2},
    {"preset": "classic", "players": 3, "deck": MANY_DRAW_FOURS},
    {"preset": "classic"},
    {"preset": "classic", "players": 10, "uno_penalty": 4, "hand_size": 3},
    {"preset": "classic", "players": 2, **SMALL, "two_player_reverse": "reverse"},
    {"preset": "classic", "players": 3, **SMALL, "draw": "until_playable", "call_before": True},
    {"preset": "classic", "players": 4, **SMALL, "wild_draw_four": "free", "after_draw": "must_play"},
    {
        "preset": "classic",
        "players": 5,
        "first_card": "effects_no_wild",
        "first_reverse": "right_of_dealer",
        "action_match": "colour",
        "draw": "until_playable",
        "after_draw": "must_play",
        "wild_draw_four": "colour_or_symbol",
        "late_call": False,
        "go_out_on": "not_action",
        "voluntary_draw": False,
        "hand_size": 4,
    },
    {"preset": "classic", "players": 3, **SMALL, "first_card": "effects_all", "go_out_on": "number"},
    {
        "preset": "duel",
        "players": 2,
        "deck": "r0 r0 r5 r5 r5 r5 b5 b5 b5 b0 b0 g5 g5 g5 y1 y1 y1 y1",
        "hand_size": 5,
        "double_play": "two_or_more",
        "jump_in": True,
        "seven_zero": True,
    },
    {"preset": "duel", "players": 6, "max_decisions": 40, "dealer": "fixed", "dealer_seat": 3},
    {"preset": "classic", "players": 7, "illegal_action": "terminate", "hand_size": 2},
    {"preset": "duel", "hand_size": 3, "deck": "r1 r2 r3 g4 b5 b6 b7 y8", "max_decisions": 50},
]
DECISIONS = 1_000
"""Decisions of each case."""
RANDOM_CASES, RANDOM_DECISIONS = 60, 120
"""Rules by chance, every other one in matches, and the decisions of each."""

FIELDS = tuple(name for name in GAME.names or () if name != "seats")
SEAT_PARTS = SEAT.names or ()
COLUMNS = (*FIELDS, *SEAT_PARTS, "mask", "observation", "rewards")
"""What is checked of every state."""


def rules_of(case: dict[str, Any]) -> Rules:
    """Rules of a case."""
    return Rules.preset(case["preset"], **{name: case[name] for name in case if name != "preset"})


def checksum(array: npt.ArrayLike) -> int:
    """Checksum of numbers, whatever the width of the integers."""
    numbers = np.asarray(array)
    if numbers.dtype.kind in "iu":
        numbers = numbers.astype(np.uint64)
    return zlib.crc32(numbers.tobytes())


def follow(rules: Rules, number: int, decisions: int, match: bool = False) -> Iterator[list[int]]:
    """Checksums of each state of games under some rules, in the order of :data:`COLUMNS`."""
    chance = random.Random(number)
    game = Game(rules, seed=number, match=match)
    for decision in range(decisions):
        if game.over:
            game.deal(seed=1_000 * number + decision)
        elif rules.illegal_action != "raise" and chance.random() < 0.01:
            game.step("swap9")
        else:
            game.step(lively_action(game, chance))
        yield [
            *(checksum(game.record[name]) for name in FIELDS),
            *(checksum(game.record.seats[name]) for name in SEAT_PARTS),
            checksum(game.action_mask()),
            checksum([game.observe(seat) for seat in _observers(decision, game.players)]),
            checksum(np.array(game.rewards(), np.float32)),
        ]


def _observers(decision: int, players: int) -> range:
    """One seat after the other at every third decision, and now and then all; uncompiled, encoding takes long."""
    if decision % 20 == 0:
        return range(players)
    seat = decision // 3 % players
    return range(seat, seat + (decision % 3 == 0))


def follow_batch(obs_dtype: str) -> Iterator[list[int]]:
    """Checksums of what a batch of four games returns, and of its results."""
    batch = BatchedGames(4, rules_of(CASES[7]), seed=11, obs_dtype=obs_dtype)
    yield from _steps(batch, 100)


def follow_matches(reward: str) -> Iterator[list[int]]:
    """Checksums of what a batch of four matches returns, and of its results."""
    rules = Rules(players=3, hand_size=2, scoring="elimination", target=40, voluntary_draw=False, jump_in=True)
    yield from _steps(BatchedGames(4, rules, seed=11, match=True, reward=reward), 150)


def _steps(batch: BatchedGames, number: int) -> Iterator[list[int]]:
    yield [*map(checksum, batch.reset()), 0, 0, 0]
    for _ in range(number):
        step = batch.step(batch.sample_actions())
        ended = batch.hand_done == 1
        results = (batch.winner, batch.length, batch.end, batch.points, batch.scores)
        yield [*map(checksum, step), checksum(np.concatenate([each[ended].ravel() for each in results]))]


def all_checksums() -> dict[str, npt.NDArray[np.uint32]]:
    """Checksums of all cases, one row a decision."""
    cases = {f"case {number}": follow(rules_of(case), number, DECISIONS) for number, case in enumerate(CASES)}
    for number in range(RANDOM_CASES):
        rules = random_rules(random.Random(number))
        cases[f"case by chance {number}"] = follow(rules, number, RANDOM_DECISIONS, match=number % 2 == 0)
    batches = {f"batch of {obs_dtype}": follow_batch(obs_dtype) for obs_dtype in ("float32", "uint8")}
    matches = {f"matches for {reward}": follow_matches(reward) for reward in ("outcome", "points")}
    return {name: np.array(list(rows), np.uint32) for name, rows in {**cases, **batches, **matches}.items()}


if __name__ == "__main__":
    np.savez(Path(sys.argv[1]), **all_checksums())
