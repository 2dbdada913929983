"""The pieces of advice, each a habit: :data:`ADVICE`."""

from collections.abc import Callable

import numpy as np

from studies.habits import (
    ANY,
    COLOUR,
    HITS_NEXT,
    IS_ACTION,
    IS_WILD,
    IS_ZERO,
    POINTS,
    Array,
    Habit,
    colour_counts,
    draw_if,
    held,
    never_draw,
    next_held,
    prefer,
)
from uno_env.observation import LAYOUT

HELD = 2
"""Other cards of its colour that make a colour worth holding with a 0."""
FEW = 2
"""Cards of a hand that is about to end the game."""


def _coloured(score: Array) -> Array:
    """Scores of coloured cards; a habit about them has no say about wilds."""
    return np.where(IS_WILD, ANY, score)


def _on_colour(rows: Array) -> Array:
    active = rows[:, LAYOUT["colour"].columns].argmax(axis=1)
    return active[:, None] == COLOUR


def _zero_holds(rows: Array) -> Array:
    """1 for a 0 of whose colour the hand has HELD other cards or more, -1 for any other 0."""
    counts = colour_counts(rows[:, LAYOUT["hand"].columns])[:, COLOUR]
    return np.where(IS_ZERO, np.where(counts > HELD, 1, -1), 0)


def _hits(rows: Array, at: Callable[[Array], Array], sign: int) -> Array:
    """``sign`` for cards that hit the next player, where that one's cards are as asked for; else nothing to say."""
    return np.where(at(next_held(rows))[:, None], sign * HITS_NEXT.astype(np.int64), ANY)


ADVICE: dict[str, tuple[str, Habit]] = {
    "highest points first": ("of the cards that fit, one of the most points", prefer(lambda rows: POINTS)),
    "highest points first, wilds apart": ("the same among coloured cards", prefer(lambda rows: _coloured(POINTS))),
    "lowest points first": ("the opposite, wilds apart", prefer(lambda rows: _coloured(-POINTS))),
    "zeros kept": ("a 0 only if no other coloured card fits", prefer(lambda rows: _coloured(-IS_ZERO.astype(int)))),
    "zeros first": ("a 0 as soon as it fits", prefer(lambda rows: _coloured(IS_ZERO.astype(int)))),
    "zeros hold a colour": (
        f"a 0 at once with {HELD} or more cards of its colour to follow, else kept",
        prefer(lambda rows: _coloured(_zero_holds(rows))),
    ),
    "wilds kept": ("a wild only if nothing else fits", prefer(lambda rows: -IS_WILD.astype(int))),
    "wilds spent": ("a wild as soon as it fits", prefer(lambda rows: IS_WILD.astype(int))),
    "action cards early": (
        "Skip, Reverse and Draw Two before numbers",
        prefer(lambda rows: _coloured(IS_ACTION.astype(int))),
    ),
    "action cards late": ("numbers before them", prefer(lambda rows: _coloured(-IS_ACTION.astype(int)))),
    "follow the colour": (
        "a card of the active colour before one of its symbol only",
        prefer(lambda rows: _coloured(_on_colour(rows).astype(int))),
    ),
    "follow the symbol": ("the opposite", prefer(lambda rows: _coloured(-_on_colour(rows).astype(int)))),
    "draw to keep a wild": (
        f"draw where only wilds fit, with more than {FEW} cards in the hand",
        draw_if(lambda rows, cards: (held(rows) > FEW) & ~(cards & ~IS_WILD).any(axis=1)),
    ),
    "draw now and then": (
        "draw about one time in four though a card fits: whenever the draw pile's cards can be divided by four",
        draw_if(lambda rows, cards: rows[:, LAYOUT["draw_pile"].start] % 4 == 0),
    ),
    "never draw by choice": ("lay a card wherever one fits", never_draw),
    "attack at one card": (
        "a card that hits the next player, who has one card",
        prefer(lambda rows: _hits(rows, lambda cards: cards == 1, 1)),
    ),
    "spare at one card": (
        "no such card then, if another fits",
        prefer(lambda rows: _hits(rows, lambda cards: cards == 1, -1)),
    ),
    "save attacks": (
        f"no such card, if another fits, while the next player has more than {FEW}",
        prefer(lambda rows: _hits(rows, lambda cards: cards > FEW, -1)),
    ),
}
"""Each piece of advice: its text, and the habit."""
