"""Random rules over all switches, for tests: small decks, short hands and odd penalties too: :func:`random_rules`, and
those of other editions. :data:`RANDOM_RULES` has all of them.
"""

import random
from typing import Any

from train.common.random_rules import random_switches
from uno_env import Rules
from uno_env.editions import EDITIONS

SMALL_DECKS = (
    "r1 r2 r3 b1 b2 b3 w g1",
    "r0 r7 r7 b0 b7 r1 b1 g1 g1 r2 b2 w",
    "r6 r6 b6 b6 g6 r1 b1 r+2 r+2 b+2 b+2 w+4 w+4",
    "r2 r2 b2 b2 g2 y2 rr rr br br gr yr r1 r1 b1 g1 y1",
    "r1 b1 g1 r1 b1 g1 rs bs gr br yr w w+4 wsh wcu wd1 wd2",
    "r0 r6 r6 r7 r7 r1 r1 g1 g1 g6 b7 b0 y+2 y+2 r+2 w+4 w+4 w gs yr wsh wcu wd1 r2 r3 g4 b5 g5 g2 b2 b2",
    "r0 r0 r0 r5 r5 r5 r5 b5 b5 b5 b0 b0 g6 g6 g6 g5 y7 y7 y7 y7 w w+4 rs bs",
    "r5 r5 r5 b5 b5 r9 r9 r9 w w w w+4 w+4 w+4 wcu wcu wcu wsh wsh rs rs rr rr r+2 r+2 r+2 r+2 b0 y0 y7 y7",
    "r0 r1 r1 r6 r7 r7 rs r+2 r+2 y1 y1 y3 yr yr y+2 g0 g2 g2 g6 g6 gs g+2 b3 b3 b7 b7 br w w w w+4 w+4 w+4 w+4 "
    "wsh wcu wcu wd1 wd2",
)
"""Decks small enough for the draw pile to run out and for several equal cards to be held."""
SMALL_NO_MERCY_DECKS = (
    "r0 r7 r7 b0 b7 r1 b1 g1 g1 r2 b2 g7 wcr wcr",
    "r+2 r+2 b+2 b+2 r+4 b+4 b+4 wr+4 wr+4 w+6 w+10 r1 b1 g1 y1 r2 b2 rs br rs br",
    "rda rda r1 r1 r2 r3 r5 bda bda b1 b2 b2 b5 gda g1 g2 g2 rse bse bse y1 yda",
    "r1 b1 g1 r1 b1 g1 rs bs gr br yr rr wr+4 w+6 wcr wcr gse rse b+4 bda rda y0",
    "r0 r0 r6 r6 r7 r7 r1 r1 g1 g1 g6 b7 b0 y+2 y+2 r+2 r+4 r+4 wr+4 w+6 w+10 wcr gs yr rda rda bda rse r2 b5 g5 b2 b2",
    "r5 r5 r5 b5 b5 r9 r9 r9 wcr wcr wcr wr+4 wr+4 w+10 w+10 w+6 rs rs rr rr r+2 r+2 r+4 r+4 rda rda rda b0 y0 y7 y7",
)
"""The same with the cards of No Mercy."""


def random_rules(rng: random.Random, **changes: Any) -> Rules:
    """Any rules that can be played: every switch, 2 to 10 players, official and small decks; but ``changes``.

    One time in ten it is RLCard's game, unless something is to be changed.
    """
    if not changes and rng.random() < 0.1:
        return Rules.preset("rlcard", illegal_action=rng.choice(["raise", "terminate"]))
    while True:
        try:
            return Rules.from_dict({**_random_values(rng, changes.get("players")), **changes})
        except ValueError:
            continue  # a deck too small for its table, or without a first card


def _random_values(rng: random.Random, players: int | None) -> dict[str, Any]:
    """A value for every field of the rules."""
    values = random_switches(rng)
    players = players or rng.choice((2, 2, 3, 4, 5, 6, 7, 8, 9, 10))
    return values | {
        "dialect": "official",
        "players": players,
        "dealer_seat": rng.randrange(players),
        "deck": rng.choice((*("classic", "edition_2018", "h2o") * 3, *SMALL_DECKS)),
        "hand_size": rng.choice((1, 2, 2, 3, 7)),
        "uno_penalty": rng.choice((0, 1, 2, 4)),
        "special_wild_points": rng.choice((40, 50)),
        "target": rng.choice((5, 20, 100, 500)),
        "max_decisions": rng.choice((40, 300, 10_000)),
        "reflexes": rng.choice(((), (), (1 + rng.randrange(8), *(rng.randrange(3) for _ in range(players - 1))))),
    }


def random_no_mercy_rules(rng: random.Random, **changes: Any) -> Rules:
    """Any rules of No Mercy that can be played: the preset, or near it, or every switch by chance; but ``changes``.

    With mercy, unless ``changes`` say otherwise: installation compiles No Mercy with it, and Flip without.
    """
    preset = Rules.preset("no_mercy").to_dict()
    while True:
        switched, share = random_switches(rng), rng.choice((0.0, 0.2, 1.0))
        values = preset | {name: value for name, value in switched.items() if rng.random() < share}
        try:
            return Rules.from_dict({**values, **_no_mercy_values(rng, share > 0, changes.get("players")), **changes})
        except ValueError:
            continue  # a deck too small for its table, or without a first card, or switches that do not go together


def random_flip_rules(rng: random.Random, **changes: Any) -> Rules:
    """Any rules of Flip that can be played: the preset, or near it, or every switch by chance; but ``changes``.

    Without mercy, unless it is among ``changes``: see :func:`random_no_mercy_rules`.
    """
    preset, texts = Rules.preset("flip").to_dict(), EDITIONS["flip"].texts
    while True:
        switched, share = random_switches(rng), rng.choice((0.0, 0.2, 1.0))
        values = preset | {name: value for name, value in switched.items() if rng.random() < share}
        small = dict.fromkeys(rng.sample(texts, rng.randrange(8, 60)), 1)
        others = _no_mercy_values(rng, share > 0, changes.get("players"))
        others |= {
            "deck": rng.choice(("flip", small)) if share > 0 else "flip",
            "double_play": False,
            "mercy": 0,
            "backs": rng.choice(("seen", "seen", "hidden")),
        }
        try:
            return Rules.from_dict({**values, **others, **changes})
        except ValueError:
            continue  # a deck too small for its table, or without a first card, or switches that do not go together


def _no_mercy_values(rng: random.Random, small: bool, players: int | None) -> dict[str, Any]:
    """A value for every other field of the rules; with ``small``, also small decks and hands, and mercy soon."""
    players = players or rng.choice((2, 2, 3, 4, 5, 6, 7, 8, 9, 10))
    hand_size = rng.choice((1, 2, 2, 3, 7)) if small else 7
    mercies = (25, hand_size + 1, hand_size + 2, hand_size + 4, hand_size + 9) if small else (25,)
    return {
        "dialect": "official",
        "players": players,
        "dealer_seat": rng.randrange(players),
        "deck": rng.choice(("no_mercy", *SMALL_NO_MERCY_DECKS)) if small else "no_mercy",
        "hand_size": hand_size,
        "stacking": rng.choice(("off", "same", "any", "both", "value", "value")),
        "mercy": rng.choice(mercies),
        "uno_penalty": rng.choice((0, 1, 2, 4)),
        "target": rng.choice((5, 20, 100, 500, 1_000)),
        "max_decisions": rng.choice((40, 300, 10_000)),
        "reflexes": rng.choice(((), (), (1 + rng.randrange(8), *(rng.randrange(3) for _ in range(players - 1))))),
    }


RANDOM_RULES = [random_rules, random_no_mercy_rules, random_flip_rules]
"""By edition, what draws its rules."""
