"""Rules drawn at random, of which there are more than anyone can list: :func:`random_rules`."""

import random
from functools import lru_cache
from typing import Any

from uno_env.core.record import FLAGS, MAX_SEATS, SWITCHES
from uno_env.rules import PRESETS, Rules

DECKS = ("classic", "edition_2018", "h2o")
PRESET_SHARE = 0.4
"""Part of the draws that are presets, with any number of players that they allow."""
PLAYERS = (2, 2, 2, 3, 3, 4, 4, 4, *range(5, MAX_SEATS + 1))
"""Numbers of players, one of which is drawn; few are met more often."""
DECISIONS_A_SEAT = 100
"""Decisions for each player after which a hand is truncated, so that hands that nobody ends teach something."""


@lru_cache(maxsize=4096)
def random_rules(
    seed: int, number: int, preset_share: float = PRESET_SHARE, players: tuple[int, ...] = PLAYERS
) -> Rules:
    """The rules of one number in the endless list of a seed: presets, and all switches at random with official decks.

    What a single hand does not depend on (points, targets, mistakes) is as in ``classic``; hands are truncated after
    :data:`DECISIONS_A_SEAT` decisions for each player. The number of players is one of ``players``; presets that are
    for two are drawn whatever these are.
    """
    rng = random.Random(f"{seed} {number}")
    while True:
        try:
            rules = _preset(rng, players) if rng.random() < preset_share else Rules(**_values(rng, players))
            return rules.replace(max_decisions=DECISIONS_A_SEAT * rules.players)
        except ValueError:
            continue  # a deck too small for its table


def random_switches(rng: random.Random) -> dict[str, Any]:
    """A value for every switch of the rules that has a list of them."""
    return {switch: rng.choice(allowed) for switch, allowed in (SWITCHES | FLAGS).items()}


def _preset(rng: random.Random, players: tuple[int, ...]) -> Rules:
    rules = Rules.preset(rng.choice(list(PRESETS)))
    return rules if rules.dialect == "rlcard" else rules.replace(players=rng.choice(players))


def _values(rng: random.Random, players: tuple[int, ...]) -> dict[str, Any]:
    """The fields that a single hand depends on."""
    return random_switches(rng) | {
        "dialect": "official",
        "illegal_action": "raise",
        "scoring": "winner_takes",
        "players": rng.choice(players),
        "deck": rng.choice(DECKS),
        "hand_size": rng.choice((5, 7, 7, 7, 10)),
        "uno_penalty": rng.choice((2, 2, 2, 4)),
    }
