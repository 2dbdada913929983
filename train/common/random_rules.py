"""Rules drawn at random, of which there are more than anyone can list: :func:`random_rules`.

Policies are trained on these. What they are reported on is drawn by other code, ``tools/benchmark/balanced_rules.py``.
"""

import random
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from uno_env.cards import DECKS
from uno_env.core.record import FLAGS, MAX_SEATS, SWITCHES
from uno_env.idle_rules import ALWAYS_IDLE
from uno_env.rules import PRESETS, Rules

PRESET_SHARE = 0.4
"""Part of the draws that are presets, with any number of players and any hand size that they allow."""
PLAYERS = (2, 2, 2, 3, 3, 4, 4, 4, *range(5, MAX_SEATS + 1))
"""Numbers of players, one of which is drawn; few are met more often."""
HAND_SIZES = (*(7,) * 8, *range(1, 13))
PENALTIES = (2, 2, 2, 4, 4, *range(9))
"""Hand sizes and penalties for a missing call, one of which is drawn; the usual ones are met more often."""
_OF_FIRST_EDITION = [name for name, changes in PRESETS.items() if "edition" not in changes]
"""Presets that are drawn. A policy plays one edition, since observations of others have other columns."""
DECISIONS_A_SEAT = 100
"""Decisions for each player after which a hand is truncated, so that hands that nobody ends teach something."""


@lru_cache(maxsize=4096)
def random_rules(
    seed: int,
    number: int,
    preset_share: float = PRESET_SHARE,
    players: tuple[int, ...] = PLAYERS,
) -> Rules:
    """The rules of one number in the endless list of a seed: presets, and every field at random with official decks.

    What a single hand does not depend on is drawn in presets, too, so that no field goes with another. Hands are
    truncated after :data:`DECISIONS_A_SEAT` decisions for each player. The number of players is one of ``players``;
    presets that are for two are drawn whatever these are.
    """
    rng = random.Random(f"{seed} {number}")
    while True:
        try:
            rules = _rules(rng, preset_share, players)
            return rules.replace(max_decisions=DECISIONS_A_SEAT * rules.players)
        except ValueError:
            continue  # a deck too small for its table, or a field that RLCard's game does not know


def random_switches(rng: random.Random) -> dict[str, Any]:
    """A value for every switch of the rules that has a list of them."""
    return {switch: rng.choice(allowed) for switch, allowed in (SWITCHES | FLAGS).items()}


def _rules(rng: random.Random, preset_share: float, players: tuple[int, ...]) -> Rules:
    if rng.random() < preset_share:
        return _preset(rng, players)
    return Rules(**_values(rng, players))


def _preset(rng: random.Random, players: tuple[int, ...]) -> Rules:
    """A preset, with other players and another hand size unless it is RLCard's game, and any idle fields."""
    rules = Rules.preset(rng.choice(_OF_FIRST_EDITION))
    drawn = _values(rng, players)
    idle = {name: drawn[name] for name in ALWAYS_IDLE if rules.dialect != "rlcard" or name != "first_card"}
    if rules.dialect == "rlcard":
        return rules.replace(**idle)
    seats, dealer = drawn["players"], rng.randrange(drawn["players"])
    hand_size = rules.hand_size if rng.random() < 0.7 else rng.choice(HAND_SIZES)
    return rules.replace(**idle, players=seats, dealer_seat=dealer, hand_size=hand_size)


def _values(rng: random.Random, players: Sequence[int]) -> dict[str, Any]:
    """A value for every field."""
    seats = rng.choice(players)
    return random_switches(rng) | {
        "dialect": "official",
        "players": seats,
        "dealer_seat": rng.randrange(seats),
        "deck": rng.choice(list(DECKS)),
        "hand_size": rng.choice(HAND_SIZES),
        "uno_penalty": rng.choice(PENALTIES),
        "special_wild_points": rng.randrange(101),
        "target": rng.randrange(1, 1_001),
        "reflexes": tuple(rng.randrange(1, 9) for _ in range(seats)) if rng.random() < 0.25 else (),
    }
