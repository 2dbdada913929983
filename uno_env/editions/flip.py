"""Flip (GUIDE.md 14). Switch: ``backs``.

Flip is an edition whose cards have two sides. There are 112 cards. Their light sides are:

| cards | of each |
| --- | --- |
| red, yellow, green, blue: 1 to 9, Draw One, Reverse, Skip, Flip (14.1) | 2 of each colour |
| Wild, Wild Draw Two | 4 |

Their dark sides are:

| cards | of each |
| --- | --- |
| pink, teal, orange, purple: 1 to 9, Draw Five, Reverse, Skip Everyone (13.2), Flip (14.1) | 2 of each colour |
| Wild, Wild Draw Colour (14.2) | 4 |

A player chooses a card, not only a face. So there are 112 kinds here, with one card of each. The text of a card names
both faces: ``r1/ose``.

All players begin on the light side. Only the faces of the side in force count: for matching, effects, calls and points.

- Draw One, Draw Five: the next player draws so many and misses the turn.
- Wild Draw Two: as the Wild Draw Four (5.1), with two cards.

Points (9.1): numbers count their value, Draw One 10, Draw Five, Reverse, Skip and Flip 20, Skip Everyone 30, Wild 40,
Wild Draw Two 50, Wild Draw Colour 60.

The preset ``flip`` plays it (``edition``, see 13). What is not said here is as in the preset ``classic``. Draw One and
Draw Five are meant where this guide says Draw Two (5.4, 10.1, 10.5). Skip Everyone turns no penalty away.

``backs`` says what can be seen of the other side:

- ``seen``: all players see the other faces of the cards that others hold, and of the next card of the draw pile.
- ``hidden``: they see only that of the next card.

Players know the whole cards of the discard pile. A card of the draw pile that was next before a Flip (14.1) is the last
one now, and the face that was seen then counts now. So the whole card is known once it is the next one.

Decided here:

- Which faces share a card is not published. The list is fixed, and was drawn once. No two cards are alike, and no card
  has a wild on both faces.
- ``double_play`` (4.3) is not played with cards that have two sides.

A kind of card is a number here as well: in the order of the light faces, by colour, the wilds last.

Actions: `r1/ose` and the like (play the card, whose face in force is coloured), `w/pf:r` and the like (its wild face,
with a colour), then those that all editions have, with the colours of both sides.
Observation: `side`, `top_card`, `drawn_card`, `lowest_card`, `next_back`, `last_face`, `backs`.
"""

from uno_env.editions.edition import NO_COLOUR, Edition, Face

_LIGHT, _DARK = ("red", "yellow", "green", "blue"), ("pink", "teal", "orange", "purple")
_LIGHT_LETTERS, _DARK_LETTERS = "rygb", "ptou"
_NUMBERS = range(1, 10)
_EACH, _WILDS_EACH = 2, 4
_LIGHT_ACTIONS = (
    ("+1", "Draw One", "draw", 1, 10),
    ("r", "Reverse", "reverse", 0, 20),
    ("s", "Skip", "skip", 0, 20),
    ("f", "Flip", "flip", 0, 20),
)
_DARK_ACTIONS = (
    ("+5", "Draw Five", "draw", 5, 20),
    ("r", "Reverse", "reverse", 0, 20),
    ("se", "Skip Everyone", "skip_everyone", 0, 30),
    ("f", "Flip", "flip", 0, 20),
)
"""Text, name, effect, cards demanded, and points."""
_LIGHT_WILDS = (("w", "Wild", "none", 0, 40), ("w+2", "Wild Draw Two", "draw", 2, 50))
_DARK_WILDS = (("dw", "dark Wild", "none", 0, 40), ("dwc", "Wild Draw Colour", "draw_colour", 1, 60))
"""The same; a Wild Draw Colour demands one card or more."""

_BACKS = """
ose use p8 p9 o2 o9 p4 u+5 p7 tf o4 ur u7 u9 t9 u1 pf dwc t4 dw p5 u2 t1 u3 p6 o+5
tse dwc t9 ose t2 uf t8 u6 o1 or tr o8 pse dw t5 o+5 o5 u+5 p3 dw tf dwc t7 u1 o3 o6
p4 u8 p9 u5 t1 o5 t7 t+5 p+5 t4 o9 u4 or use t3 ur p6 u2 t5 dwc p5 u3 tse tr of u5
t3 u7 pr t+5 p3 t6 o6 u6 p7 p8 o3 uf p1 p2 pse t8 p+5 u9 p1 t6 p2 dw o4 o7 pr o2
pf t2 o1 u4 o7 o8 of u8
"""
"""The dark face of each card, in the order of the light ones."""


def _faces(
    colours: tuple[str, ...],
    letters: str,
    actions: tuple[tuple[str, str, str, int, int], ...],
    wilds: tuple[tuple[str, str, str, int, int], ...],
) -> list[Face]:
    """The faces of a side, each once."""
    faces = []
    for colour, (name, letter) in enumerate(zip(colours, letters, strict=True)):
        faces += [
            Face(f"{letter}{number}", f"{name} {number}", colour, str(number), number=number, points=number)
            for number in _NUMBERS
        ]
        faces += [
            Face(letter + text, f"{name} {word}", colour, word, effect, demands, points=points)
            for text, word, effect, demands, points in actions
        ]
    faces += [
        Face(text, name, NO_COLOUR, name.removeprefix("dark "), effect, demands, points=points)
        for text, name, effect, demands, points in wilds
    ]
    return faces


_LIGHT_FACES = [
    face
    for face in _faces(_LIGHT, _LIGHT_LETTERS, _LIGHT_ACTIONS, _LIGHT_WILDS)
    for _ in range(_WILDS_EACH if face.colour == NO_COLOUR else _EACH)
]
_DARK_FACES = {face.text: face for face in _faces(_DARK, _DARK_LETTERS, _DARK_ACTIONS, _DARK_WILDS)}

FLIP = Edition(
    name="flip",
    colours=_LIGHT,
    letters=_LIGHT_LETTERS,
    kinds=tuple(_LIGHT_FACES),
    decks={"flip": (1,) * len(_LIGHT_FACES)},
    most_cards=128,
    challenged="the wild draw card",
    other_side=tuple(_DARK_FACES[text] for text in _BACKS.split()),
    other_colours=_DARK,
    other_letters=_DARK_LETTERS,
)
