"""The catalogue of actions: one list of 132 for every rule set and number of players.

======== ========= ===============================================================================
ids      text      meaning
======== ========= ===============================================================================
0-51     r5        play the coloured card of that kind
52-75    w+4:g     play the wild of that kind and declare the colour
76-111   r5x2      play two cards of that number and colour together
112      draw      draw instead of playing
113      pass      keep the drawn card; let a chance go by (catch, call, jump in)
114      challenge challenge the Wild Draw Four
115      accept    take the penalty
116      call      call UNO
117      catch     catch the player who has not called
118      jump_in   lay the card identical to the top card: out of turn, or together with one's own
119-127  swap3     swap hands with the 3rd player to the left
128-131  colour:b  declare the first colour
======== ========= ===============================================================================

This module is vocabulary: it imports only :mod:`uno_env.cards`.
"""

from numbers import Integral
from typing import Any

from uno_env.cards import (
    CARD_NAMES,
    CARD_TEXTS,
    COLOUR_LETTERS,
    COLOURS,
    FIRST_WILD,
    NUM_COLOURS,
    NUM_KINDS,
    NUM_WILDS,
    RANKS_PER_COLOUR,
)

CATALOGUE_VERSION = 1
"""Raised whenever an id changes its meaning; saved policies carry it."""

PAIR_NUMBERS = 9
MAX_SWAP = 9

PLAY = 0
PLAY_WILD = PLAY + FIRST_WILD
PLAY_PAIR = PLAY_WILD + NUM_WILDS * NUM_COLOURS
DRAW = PLAY_PAIR + NUM_COLOURS * PAIR_NUMBERS
PASS, CHALLENGE, ACCEPT, CALL, CATCH, JUMP_IN = range(DRAW + 1, DRAW + 7)
SWAP = JUMP_IN + 1
DECLARE = SWAP + MAX_SWAP
NUM_ACTIONS = DECLARE + NUM_COLOURS


def wild_action(kind: int, colour: int) -> int:
    """Id of playing the wild ``kind`` and declaring ``colour`` (0 to 3)."""
    return PLAY_WILD + (kind - FIRST_WILD) * NUM_COLOURS + colour


def _pair_kinds() -> list[int]:
    return [colour * RANKS_PER_COLOUR + rank for colour in range(NUM_COLOURS) for rank in range(1, PAIR_NUMBERS + 1)]


_SPOKEN = ("draw", "pass", "challenge", "accept", "call", "catch", "jump_in")

ACTION_TEXTS: tuple[str, ...] = (
    *CARD_TEXTS[:FIRST_WILD],
    *(f"{CARD_TEXTS[kind]}:{letter}" for kind in range(FIRST_WILD, NUM_KINDS) for letter in COLOUR_LETTERS),
    *(f"{CARD_TEXTS[kind]}x2" for kind in _pair_kinds()),
    *_SPOKEN,
    *(f"swap{left}" for left in range(1, MAX_SWAP + 1)),
    *(f"colour:{letter}" for letter in COLOUR_LETTERS),
)
"""Short text of each action, by id."""

ACTION_NAMES: tuple[str, ...] = (
    *(f"play {name}" for name in CARD_NAMES[:FIRST_WILD]),
    *(f"play {CARD_NAMES[kind]}, declare {colour}" for kind in range(FIRST_WILD, NUM_KINDS) for colour in COLOURS),
    *(f"play two {CARD_NAMES[kind]}" for kind in _pair_kinds()),
    "draw",
    "pass",
    "challenge the Wild Draw Four",
    "accept the penalty",
    "call UNO",
    "catch the missing UNO call",
    "jump in",
    *(f"swap hands with player {left} to the left" for left in range(1, MAX_SWAP + 1)),
    *(f"declare {colour}" for colour in COLOURS),
)
"""Sentence for each action, by id."""

_ID_OF_TEXT = {text: action for action, text in enumerate(ACTION_TEXTS)}


def name(action: int) -> str:
    """Short text of an action: ``name(17) == "y4"``, ``name(112) == "draw"``. Raises ValueError if there is none."""
    number = _whole_number(action)
    if number is None or not 0 <= number < NUM_ACTIONS:
        raise ValueError(f"{action!r} is no action: ids go from 0 to {NUM_ACTIONS - 1}")
    return ACTION_TEXTS[number]


def parse(text: str) -> int:
    """Id of an action's short text, the inverse of :func:`name`. Raises ValueError if the text names no action."""
    action = _ID_OF_TEXT.get(str(text).strip().lower())
    if action is None:
        raise ValueError(f"{text!r} is no action: write a card (r5, b+2), a wild with its colour (w:r, w+4:g), "
                         f"a pair (r5x2), {', '.join(_SPOKEN)}, swap1 to swap{MAX_SWAP}, or colour:r")  # fmt: skip
    return action


def checked(action: Any) -> int:
    """The id of an action that is given by its id, as :func:`checked_id` takes it, or by its text. Raises ValueError if
    it is no action.
    """
    if type(action) is int and 0 <= action < NUM_ACTIONS:
        return action
    if isinstance(action, str):
        return parse(action)
    number = _whole_number(action)
    if number is None:
        raise ValueError(f"{action!r} is no action: give a whole number from 0 to {NUM_ACTIONS - 1}, or a text")
    name(number)
    return number


def checked_id(action: Any) -> int:
    """The id of an action as an int. Raises ValueError if it is no action.

    An id is an int, or a whole number of NumPy, PyTorch or JAX whose shape is (). Arrays and tensors of other shapes
    are no actions, and neither are True and False.
    """
    number = _whole_number(action)
    if number is None or not 0 <= number < NUM_ACTIONS:
        raise ValueError(f"{action!r} is no action: give a whole number from 0 to {NUM_ACTIONS - 1}")
    return number


def _whole_number(value: Any) -> int | None:
    """A single whole number as an int; None: it is something else."""
    if type(value) is int:
        return value
    number: Any = value.item() if getattr(value, "shape", None) == () else value
    if isinstance(number, bool) or not isinstance(number, Integral):
        return None
    return int(number)
