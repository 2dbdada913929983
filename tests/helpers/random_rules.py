"""Rules by chance, over all switches: :func:`random_rules`."""

import random
from typing import Any

from uno_env import Rules
from uno_env.core.record import FLAGS, SWITCHES

SMALL_DECK = (
    "r0 r1 r1 r6 r7 r7 rs r+2 r+2 y1 y1 y3 yr yr y+2 g0 g2 g2 g6 g6 gs g+2 b3 b3 b7 b7 br w w w w+4 w+4 w+4 w+4 "
    "wsh wcu wcu wd1 wd2"
)
"""Cards of all sorts, few enough for the draw pile to run out and for twins to be held."""


def random_rules(chance: random.Random, **changes: Any) -> Rules:
    """Any rules that can be played, with values by chance for all fields that ``changes`` leaves open.

    One time in ten it is RLCard's game, unless something is to be changed.
    """
    if not changes and chance.random() < 0.1:
        return Rules.preset("rlcard", illegal_action=chance.choice(["raise", "terminate"]))
    values: dict[str, Any] = {name: chance.choice(SWITCHES[name]) for name in SWITCHES if name != "dialect"}
    values |= {name: chance.random() < 0.5 for name in FLAGS}
    players = changes.get("players", chance.randint(2, 10))
    small = chance.random() < 0.3
    values |= {
        "players": players,
        "deck": SMALL_DECK if small else chance.choice(["classic", "edition_2018", "h2o"]),
        "hand_size": chance.randint(1, 3) if small else chance.choice([1, 2, 3, 7]),
        "dealer_seat": chance.randrange(players),
        "uno_penalty": chance.choice([0, 2, 4]),
        "special_wild_points": chance.choice([40, 50]),
        "target": chance.choice([20, 100, 500]),
        "reflexes": chance.choice([(), (1, *(chance.randrange(9) for _ in range(players - 1)))]),
        "max_decisions": chance.choice([30, 200, 10_000]),
    }
    return Rules(**{**values, **changes})
