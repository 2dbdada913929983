"""Cards and decks (GUIDE.md 2). Switch: ``deck``.

A *kind* is a small integer. The 52 coloured kinds are ``colour * 13 + rank``, with the ranks 0 to 9, Skip, Reverse and
Draw Two. 52 to 57 are the wilds: Wild, Wild Draw Four, Wild Shuffle Hands, Wild Customizable, Wild Downpour One and
Wild Downpour Two.

A deck is a number of cards of each kind:

- ``classic``, 108 cards: of each colour one 0 and two of every other kind; 4 Wilds and 4 Wild Draw Fours.
- ``edition_2018``, 112 cards: ``classic`` with 1 Wild Shuffle Hands and 3 Wild Customizables.
- ``h2o``, 112 cards: ``classic`` with 2 of each Wild Downpour.

Any other deck of at most 128 cards is allowed, down to a tiny one for exact solving.

Decided here: the number of Downpours.

Actions: none of its own.
Observation: `deck`.
"""
# Vocabulary: this module imports only editions, and everything else may import it.

from collections.abc import Sequence

from uno_env.editions.classic import CLASSIC
from uno_env.editions.edition import NO_COLOUR, Edition

COLOURS = CLASSIC.colours
COLOUR_LETTERS = CLASSIC.letters
NUM_COLOURS = len(COLOURS)
NUM_KINDS = len(CLASSIC.kinds)
FIRST_WILD = CLASSIC.coloured
RANKS_PER_COLOUR = CLASSIC.per_colour
WILD, WILD_DRAW_FOUR, WILD_SHUFFLE_HANDS, WILD_CUSTOMIZABLE, WILD_DOWNPOUR_ONE, WILD_DOWNPOUR_TWO = range(
    FIRST_WILD, NUM_KINDS
)
NUM_SYMBOLS = len(CLASSIC.symbols)
"""Symbols: ranks 0 to 12 of a colour, then the six wilds."""

MAX_CARDS = CLASSIC.most_cards
"""Largest deck, in cards, that a game record has room for."""

CARD_TEXTS = CLASSIC.texts
"""Short text of each kind: ``r5``, ``gs`` (Skip), ``yr`` (Reverse), ``b+2``, ``w``, ``w+4``, …"""
CARD_NAMES = tuple(face.name for face in CLASSIC.kinds)
"""Full name of each kind: ``red 5``, ``green Skip``, ``Wild Draw Four``, …"""
DECKS = CLASSIC.decks
"""Named decks: how many cards of each kind (GUIDE.md 2)."""


def card_text(kind: int) -> str:
    """Short text of a kind: ``card_text(5) == "r5"``. Raises IndexError if there is no such kind."""
    return CARD_TEXTS[kind]


def card_name(kind: int) -> str:
    """Full name of a kind: ``card_name(5) == "red 5"``. Raises IndexError if there is no such kind."""
    return CARD_NAMES[kind]


def parse_card(text: str, edition: Edition = CLASSIC) -> int:
    """Kind of a short text, the inverse of :func:`card_text`. Raises ValueError if the text names no card of the
    edition.
    """
    kind = edition.kind_of.get(text.strip().lower())
    if kind is None:
        if edition.sides > 1:
            raise ValueError(f"{text!r} is no card: write both of its faces, as in {edition.texts[0]}")
        symbols = [face.text.removeprefix(edition.letters[0]) for face in edition.kinds if face.colour == 0]
        raise ValueError(f"{text!r} is no card: write a colour letter of {edition.letters!r} and one of "
                         f"{' '.join(symbols)}, or one of {' '.join(edition.texts[edition.coloured:])}")  # fmt: skip
    return kind


def parse_cards(text: str, edition: Edition = CLASSIC) -> list[int]:
    """Kinds of a text of cards separated by white space, such as ``"r5 g+2 w"``. Raises ValueError if one of them is no
    card of the edition.
    """
    return [parse_card(word, edition) for word in text.split()]


def cards_text(kinds: Sequence[int], edition: Edition = CLASSIC) -> str:
    """Text of a sequence of kinds, the inverse of :func:`parse_cards`. Raises IndexError if one of them is none."""
    return " ".join(edition.texts[kind] for kind in kinds)


def count_cards(kinds: Sequence[int], edition: Edition = CLASSIC) -> tuple[int, ...]:
    """Count the cards of each kind of the edition in ``kinds``. Raises IndexError if one of them is none."""
    counts = [0] * len(edition.kinds)
    for kind in kinds:
        counts[kind] += 1
    return tuple(counts)


def is_wild(kind: int) -> bool:
    """Return whether the player of the kind declares a colour with it. Raises IndexError if there is no such kind."""
    return CLASSIC.kinds[kind].colour == NO_COLOUR


def word_of(kind: int) -> str:
    """Full name of a kind without its colour: ``5``, ``Skip``, ``Wild``. Raises IndexError if there is no such kind."""
    return CLASSIC.kinds[kind].name.removeprefix(f"{COLOURS[colour_of(kind)]} ")


def colour_of(kind: int) -> int:
    """Colour 0 to 3 of a coloured kind, −1 of a wild. Raises IndexError if there is no such kind."""
    return CLASSIC.kinds[kind].colour
