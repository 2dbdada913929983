"""The form of an edition: :class:`Edition`, with a :class:`Face` for each kind of card."""
# Vocabulary: this module imports nothing of the project, and everything else may import it.

import hashlib
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import NamedTuple

NO_CARD = NO_COLOUR = NO_NUMBER = -1
"""No kind of card, the colour of a wild, the number of other cards than number cards."""
POINTS_OF_RULES = -1
"""Points of a card of which the field ``special_wild_points`` of the rules says how many it has."""


class Face(NamedTuple):
    """The face of a kind of card."""

    text: str
    """Short text: ``r5``."""
    name: str
    """Full name: ``red 5``."""
    colour: int
    """Index of its colour, or NO_COLOUR: a wild, with which a colour is declared."""
    symbol: str
    """Cards of the same symbol match each other."""
    effect: str = "none"
    """Name of the effect (``uno_env.core.record.EFFECTS``)."""
    demands: int = 0
    """Cards that the next player has to draw for it."""
    number: int = NO_NUMBER
    """The number of a number card, or NO_NUMBER."""
    points: int = POINTS_OF_RULES
    """Points in a hand."""
    declared: bool = True
    """True if the player of a wild declares a colour with it."""


@dataclass(frozen=True, eq=False)
class Edition:
    """The cards of an edition. The number of a kind is its place in ``kinds``."""

    name: str
    colours: tuple[str, ...]
    """Names of the colours; the texts of cards begin with the letter of theirs."""
    letters: str
    """A letter for each colour."""
    kinds: tuple[Face, ...]
    """The kinds of cards: first all coloured ones, then the wilds, last those without a declared colour."""
    decks: dict[str, tuple[int, ...]]
    """Named decks: how many cards of each kind."""
    most_cards: int
    """Cards of the largest deck that may be played with."""
    pairs: tuple[str, ...] = ()
    """Texts of the kinds of which two may be laid together, by an action for each."""
    challenged: str = ""
    """Name of the cards that may be challenged."""
    mercy: bool = False
    """True if observations tell the number of cards that puts a player out (GUIDE.md 13.3)."""
    moves_first: bool = False
    """True if direction and hands move as soon as a card lies, before the race for a missing call (GUIDE.md 13.1)."""
    other_side: tuple[Face, ...] = ()
    """The face on the other side of each kind; none if the cards have one side (GUIDE.md 14)."""
    other_colours: tuple[str, ...] = ()
    """Names of the colours of the other side, as many as of the first."""
    other_letters: str = ""

    @cached_property
    def sides(self) -> int:
        """The number of sides that cards have."""
        return 2 if self.other_side else 1

    @cached_property
    def faces(self) -> tuple[Face, ...]:
        """The faces of all kinds on the first side, then those on the other."""
        return (*self.kinds, *self.other_side)

    def faces_on(self, side: int) -> tuple[Face, ...]:
        """The faces of all kinds on a side, 0 or 1."""
        return self.other_side if side else self.kinds

    def colours_on(self, side: int) -> tuple[str, ...]:
        """Names of the colours of a side."""
        return self.other_colours if side else self.colours

    def letters_on(self, side: int) -> str:
        """The letters of the colours of a side."""
        return self.other_letters if side else self.letters

    @property
    def all_colours(self) -> tuple[str, ...]:
        """Names of the colours of all sides."""
        return self.colours + self.other_colours

    @cached_property
    def all_letters(self) -> str:
        """The letters of the colours of all sides."""
        return self.letters + self.other_letters

    def different_faces(self, side: int) -> tuple[Face, ...]:
        """The faces of a side without repeats: by colour, numbers first, the wilds last."""
        last = 1 + len(self.colours)
        return tuple(
            sorted(
                {face.text: face for face in self.faces_on(side)}.values(),
                key=lambda face: (
                    last if face.colour == NO_COLOUR else face.colour,
                    face.number == NO_NUMBER,
                    face.number,
                    face.text,
                ),
            )
        )

    @cached_property
    def designs(self) -> tuple[tuple[str, ...], ...]:
        """By side: the texts of its different faces, which is all that can be told of a card from there."""
        return tuple(tuple(face.text for face in self.different_faces(side)) for side in range(self.sides))

    @cached_property
    def coloured(self) -> int:
        """Kinds below it can be coloured: those that are; with two sides all, since each is so on one of them."""
        return len(self.kinds) if self.other_side else sum(face.colour != NO_COLOUR for face in self.kinds)

    @cached_property
    def first_wild(self) -> int:
        """Kinds from it on can be wilds; with two sides all."""
        return 0 if self.other_side else self.coloured

    @cached_property
    def with_mercy(self) -> "Edition":
        """The same edition, in whose observations there is a column for mercy."""
        return self if self.mercy else replace(self, mercy=True)

    @cached_property
    def per_colour(self) -> int:
        """The number of kinds of each colour, side by side, with the same symbols in the same order. Raises ValueError
        if that is not so.
        """
        if self.other_side:
            raise ValueError(f"the cards of {self.name} have two sides, so they do not go by colour")
        number = self.coloured // len(self.colours)
        symbols = [face.symbol for face in self.kinds[:number]] * len(self.colours)
        if [face.symbol for face in self.kinds[: self.coloured]] != symbols:
            raise ValueError(f"the colours of {self.name} do not have the same symbols in the same order")
        return number

    @cached_property
    def draw_kinds(self) -> tuple[int, ...]:
        """Kinds that make the next player draw a number of cards, with two sides on one of them at least."""
        sides = [self.faces_on(side) for side in range(self.sides)]
        return tuple(kind for kind in range(len(self.kinds)) if any(faces[kind].demands for faces in sides))

    @cached_property
    def penalties(self) -> tuple[int, ...]:
        """The numbers of cards that coloured cards can demand, ascending."""
        return tuple(sorted({face.demands for face in self.faces if face.colour != NO_COLOUR} - {0}))

    @cached_property
    def symbols(self) -> tuple[str, ...]:
        """The symbols, in the order in which the kinds (with two sides, their different faces) have them first."""
        if not self.other_side:
            return tuple(dict.fromkeys(face.symbol for face in self.kinds))
        return tuple(dict.fromkeys(face.symbol for side in range(2) for face in self.different_faces(side)))

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """Short text of each kind: its face, or both faces, ``r1/ose``."""
        if not self.other_side:
            return tuple(face.text for face in self.kinds)
        return tuple(f"{face.text}/{other.text}" for face, other in zip(self.kinds, self.other_side, strict=True))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Full name of each kind."""
        if not self.other_side:
            return tuple(face.name for face in self.kinds)
        return tuple(f"{face.name} / {other.name}" for face, other in zip(self.kinds, self.other_side, strict=True))

    def shown(self, kind: int, side: int = 0) -> str:
        """Text of a kind as it lies: with two sides, the face in force comes first."""
        if not self.other_side or not side:
            return self.texts[kind]
        return f"{self.other_side[kind].text}/{self.kinds[kind].text}"

    def name_shown(self, kind: int, side: int = 0) -> str:
        """Full name of a kind as it lies: with two sides, the face in force comes first."""
        if not self.other_side or not side:
            return self.names[kind]
        return f"{self.other_side[kind].name} / {self.kinds[kind].name}"

    @cached_property
    def kind_of(self) -> dict[str, int]:
        """The kind of each short text."""
        return {text: kind for kind, text in enumerate(self.texts)}

    @cached_property
    def digest(self) -> str:
        """A hash of all of it."""
        facts = "\n".join(repr(getattr(self, field.name)) for field in fields(self))
        return hashlib.sha256(facts.encode()).hexdigest()
