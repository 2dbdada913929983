"""The cards, drawn in code: own art, after no publisher's.

Every colour is said three times: by itself, by its letter under the corner's symbol, and by the white figure in the
middle (red a triangle, yellow a disc, green a square, blue a diamond), so that colours never carry meaning alone. The
symbol and the letter are in the left part of a card, which stays in sight when cards overlap.

The dark side of cards with two sides is dark: a black edge, and black figures with white symbols. A flag at the foot
tells the other face, in its colour and by its text.
"""

import math
from functools import cache
from typing import NamedTuple

from uno_env.editions import EDITIONS
from uno_env.editions.edition import NO_COLOUR, Edition, Face
from uno_env.render.drawing import Box, Disc, Drawing, Item, Label, Polygon, Stroke, arc, arrow

WIDTH, HEIGHT = 100.0, 150.0
"""Size of a card's drawing, before it is scaled."""

BACK = "back"
"""Name of a card seen from behind; the others are the texts of the editions' cards, and"""
BLANK = "blank"
"""a card lying face up of which nothing can be seen."""

UNSEEN = "?"
"""Text of a face that is not seen, of a card whose other face is: ``?/p5``."""


class Paints(NamedTuple):
    """The paints of a side, by colour."""

    fills: tuple[str, ...]
    """Of the cards."""
    inks: tuple[str, ...]
    """Of the text on them."""
    symbol_inks: tuple[str, ...]
    """Of the symbol in the middle."""
    figure: str
    """Of the figure behind it."""


PAPER, NIGHT = "#ffffff", "#1b1b1f"
PAINTS = (
    Paints(
        ("#c9273c", "#f6c400", "#19824a", "#1f5fc0"),
        ("#ffffff", "#1b1b1f", "#ffffff", "#ffffff"),
        ("#a91b2f", "#1b1b1f", "#10683a", "#174c9c"),
        PAPER,
    ),
    Paints(
        ("#b8327f", "#0c7c80", "#e08a1e", "#6a3d9a"),
        ("#ffffff", "#ffffff", "#1b1b1f", "#ffffff"),
        ("#ffffff", "#ffffff", "#ffffff", "#ffffff"),
        NIGHT,
    ),
)
"""The paints of each side; the dark one is pink, teal, orange and purple."""
FILLS = PAINTS[0].fills
"""Of cards with one side."""

_BACK_FILL, _BACK_LINE = "#33415c", "#8fa3c7"
_CENTRE = (52.0, 97.0)


@cache
def card_drawing(card: str) -> Drawing:
    """The drawing of a card, by its text, or of :data:`BACK` or :data:`BLANK`. Raises KeyError if there is none.

    Cards that have the same text in several editions look alike.
    """
    if card == BACK:
        return _drawing("a card seen from behind", _back())
    if card == BLANK:
        return _drawing("a card in the discard pile", [Box(8, 8, 84, 134, "#dcd8cc", 9)])
    if "/" in card:
        return _two_sided(*card.split("/"))
    edition = next((each for each in EDITIONS.values() if card in each.kind_of), EDITIONS["classic"])
    face = edition.kinds[edition.kind_of[card]]
    return _drawing(face.name, _wild(face) if face.colour == NO_COLOUR else _coloured(face))


def texts_as_they_lie(edition: Edition) -> list[str]:
    """Texts of an edition's cards as they lie; if they have two sides, also of those of which only one side is seen."""
    if edition.sides == 1:
        return list(edition.texts)
    whole = [edition.shown(kind, side) for side in range(edition.sides) for kind in range(len(edition.kinds))]
    return whole + [f"{UNSEEN}/{face}" for side in edition.designs for face in side]


def card_texts() -> list[str]:
    """All that :func:`card_drawing` draws."""
    return [*(text for edition in EDITIONS.values() for text in texts_as_they_lie(edition)), BACK, BLANK]


def _two_sided(front: str, back: str) -> Drawing:
    """A card with two faces: the one that lies up, and the other one as a small flag at its foot."""
    faces = {face.text: (face, side) for side in range(2) for face in EDITIONS["flip"].faces_on(side)}
    other, side = faces[back]
    if front == UNSEEN:
        return _drawing(f"a card with {other.name} on its other side", [*_back(), *_flag(other, side, 14, 50, 1.6)])
    flag = _flag(other, side, 4, 107, 1.0)
    face, side = faces[front]
    items = _wild(face, side) if face.colour == NO_COLOUR else _coloured(face, side)
    return _drawing(f"{face.name} / {other.name}", [*items, *flag], NIGHT if side else PAPER)


def _flag(face: Face, side: int, x: float, y: float, scale: float) -> list[Item]:
    """The other face: its text in its colour. It lies in the left part, which stays in sight when cards overlap."""
    is_wild, paints = face.colour == NO_COLOUR, PAINTS[side]
    size = 20 if len(face.text) < 3 else 15
    fill, ink = (NIGHT, PAPER) if is_wild else (paints.fills[face.colour], paints.inks[face.colour])
    return [
        Box(x, y, 45 * scale, 30 * scale, fill, 7 * scale, PAPER, 2.5 * scale),
        Label(x + 22.5 * scale, y + 15 * scale, face.text.upper(), size * scale, ink, bold=True),
    ]


def figure(colour: int, x: float, y: float, radius: float, fill: str) -> Item:
    """The figure of a colour."""
    if colour == 0:
        return Polygon(
            ((x, y - 1.1 * radius), (x + 1.1 * radius, y + 0.8 * radius), (x - 1.1 * radius, y + 0.8 * radius)), fill
        )
    if colour == 1:
        return Disc(x, y, 0.95 * radius, fill)
    if colour == 2:
        half = 0.84 * radius
        return Box(x - half, y - half, 2 * half, 2 * half, fill, 0.12 * radius)
    return Polygon(
        ((x, y - 1.15 * radius), (x + 1.05 * radius, y), (x, y + 1.15 * radius), (x - 1.05 * radius, y)), fill
    )


def _drawing(title: str, items: list[Item], edge: str = PAPER) -> Drawing:
    line = "#26262b" if edge == PAPER else "#a39bb8"  # which parts cards that lie upon each other
    outline = Box(1.5, 1.5, WIDTH - 3, HEIGHT - 3, edge, 13, line, 3)
    return Drawing(WIDTH, HEIGHT, (outline, *items), title)


def _coloured(face: Face, side: int = 0) -> list[Item]:
    (x, y), colour, is_draw = _CENTRE, face.colour, face.demands > 0
    paints = PAINTS[side]
    ink, symbol_ink = paints.inks[colour], paints.symbol_inks[colour]
    field = Box(8, 8, 84, 134, paints.fills[colour], 9)
    lower = 7 if colour == 0 else 0
    size = 34 if colour == 0 else 46
    below = y + lower + 0.5 * size
    foot = (
        [Stroke(((x - 0.26 * size, below), (x + 0.26 * size, below)), symbol_ink, 0.08 * size)]
        if face.number in (6, 9)
        else []
    )
    return [
        field,
        figure(colour, x, y, 36, paints.figure),
        *_symbol(face, x, y + lower, size, symbol_ink),
        *foot,
        *_symbol(face, 27 + 3 * is_draw, 28, 28 if is_draw else 35, ink),
        Label(27, 56, face.text[0].upper(), 21, ink, bold=True),
    ]


def _symbol(face: Face, x: float, y: float, size: float, ink: str) -> list[Item]:
    """A number, or the sign of an action card."""
    if face.effect == "skip":
        return _no_entry(x, y, 0.36 * size, ink)
    if face.effect == "skip_everyone":
        return _no_entry_for_all(x, y, 0.23 * size, ink)
    if face.effect == "discard_all":
        return _pile_down(x, y, 0.36 * size, ink)
    if face.effect == "reverse":
        return _turn_round(x, y, 0.42 * size, ink)
    if face.effect == "flip":
        return _turned_card(x, y, 0.4 * size, ink)
    if face.demands:
        return [Label(x, y, f"+{face.demands}", 0.86 * size, ink, bold=True)]
    return [Label(x, y, str(face.number), size, ink, bold=True)]


def _no_entry(x: float, y: float, radius: float, ink: str) -> list[Item]:
    slant = 0.68 * radius
    width = 0.32 * radius
    return [Disc(x, y, radius, None, ink, width), Stroke(((x - slant, y + slant), (x + slant, y - slant)), ink, width)]


def _no_entry_for_all(x: float, y: float, radius: float, ink: str) -> list[Item]:
    """Two rings, one upon the other, and a stroke through both."""
    width, reach = 0.34 * radius, 0.62 * radius
    rings = [Disc(x + side * reach, y - side * reach, radius, None, ink, width) for side in (-1, 1)]
    return [*rings, Stroke(((x - 1.5 * radius, y + 1.5 * radius), (x + 1.5 * radius, y - 1.5 * radius)), ink, width)]


def _pile_down(x: float, y: float, radius: float, ink: str) -> list[Item]:
    """Cards that go down onto a line."""
    items: list[Item] = [
        Stroke(((x - 0.95 * radius, y + radius), (x + 0.95 * radius, y + radius)), ink, 0.24 * radius),
    ]
    for place in (-1, 0, 1):
        left, top = x + 0.62 * place * radius - 0.22 * radius, y - radius
        items.append(Box(left, top, 0.44 * radius, 0.66 * radius, ink, 0.1 * radius))
    return items + arrow(((x, y - 0.2 * radius), (x, y + 0.3 * radius)), ink, 0.2 * radius)


def _turned_card(x: float, y: float, radius: float, ink: str) -> list[Item]:
    """A card, half of it dark."""
    left, top, width = x - 0.62 * radius, y - 0.95 * radius, 0.16 * radius
    whole = Box(left, top, 1.24 * radius, 1.9 * radius, None, 0.2 * radius, ink, width)
    corners = ((left, top), (left + 1.24 * radius, top + 1.9 * radius), (left, top + 1.9 * radius))
    return [whole, Polygon(corners, ink)]


def _turn_round(x: float, y: float, radius: float, ink: str) -> list[Item]:
    """Two arrows past each other."""
    items: list[Item] = []
    for side in (1, -1):
        begin = (x - side * 0.8 * radius, y - side * 0.42 * radius)
        end = (x + side * 0.35 * radius, y - side * 0.42 * radius)
        items += arrow((begin, end), ink, 0.26 * radius)
    return items


_CORNERS = {
    "w": "W", "w+4": "+4", "wsh": "Sh", "wcu": "Cu", "wd1": "D1", "wd2": "D2",
    "wr+4": "R+4", "w+6": "+6", "w+10": "+10", "wcr": "Ro", "w+2": "+2", "dw": "W", "dwc": "+?",
}  # fmt: skip
"""The sign in a wild's corner, by its text."""


def _wild(face: Face, side: int = 0) -> list[Item]:
    corner = _CORNERS[face.text]
    plain = face.effect == "none" and len(corner) == 1
    items: list[Item] = [Box(8, 8, 84, 134, NIGHT, 9), *_wheel(50, 99, 36, PAINTS[side])]
    items += [Label(30, 28, corner, 33 if plain else 24 if len(corner) == 2 else 19, PAPER, bold=True)]
    if not plain:
        items += [Disc(50, 99, 19, PAPER), *_wild_sign(face, 50, 99), Label(25, 54, "W", 19, PAPER, bold=True)]
    return items


def _wheel(x: float, y: float, radius: float, paints: Paints = PAINTS[0]) -> list[Item]:
    """Four quarters, one of each colour with its figure."""
    items: list[Item] = [Disc(x, y, radius + 3, PAPER)]
    for colour in range(len(FILLS)):
        begin = 180 + 90 * colour
        items.append(Polygon(((x, y), *arc(x, y, radius, radius, begin, begin + 90)), paints.fills[colour]))
    for colour in range(len(FILLS)):
        middle = math.radians(225 + 90 * colour)
        at = (x + 0.68 * radius * math.cos(middle), y + 0.68 * radius * math.sin(middle))
        items.append(figure(colour, *at, 0.17 * radius, paints.inks[colour]))
    for dx, dy in ((1, 0), (0, 1)):
        ends = ((x - dx * radius, y - dy * radius), (x + dx * radius, y + dy * radius))
        items.append(Stroke(ends, PAPER, 3))
    return items


def _wild_sign(face: Face, x: float, y: float) -> list[Item]:
    """The sign of a wild that does more, on the hub of its wheel."""
    match face.effect:
        case "draw":
            return [Label(x, y, f"+{face.demands}", 27 if face.demands < 10 else 21, NIGHT, bold=True)]
        case "reverse_draw":
            arrows = [*arrow(((x - 10, y - 11), (x + 6, y - 11)), NIGHT, 2.4)]
            arrows += arrow(((x + 10, y + 11), (x - 6, y + 11)), NIGHT, 2.4)
            return [Label(x, y, f"+{face.demands}", 19, NIGHT, bold=True), *arrows]
        case "roulette":
            ring = arc(x, y, 11, 11, -60, 200)
            return [*arrow(ring, NIGHT, 3), Label(x, y, "?", 17, NIGHT, bold=True)]
        case "draw_colour":
            return [Label(x, y, "+?", 24, NIGHT, bold=True)]
        case "shuffle_hands":
            crossing = [
                tuple((x + dx, y + side * dy) for dx, dy in ((-12, 7), (-7, 7), (3, -7), (7, -7))) for side in (1, -1)
            ]
            return [item for points in crossing for item in arrow(points, NIGHT, 3)]
        case "customizable":
            return [Label(x, y, "?", 30, NIGHT, bold=True)]
    places = (0,) if face.effect == "downpour_one" else (-7, 7)
    return [item for place in places for item in _drop(x + place, y + 3, 6.0)]


def _drop(x: float, y: float, radius: float) -> list[Item]:
    return [
        Disc(x, y, radius, NIGHT),
        Polygon(
            ((x, y - 2.4 * radius), (x + 0.88 * radius, y - 0.45 * radius), (x - 0.88 * radius, y - 0.45 * radius)),
            NIGHT,
        ),
    ]


def _back() -> list[Item]:
    items: list[Item] = [Box(8, 8, 84, 134, _BACK_FILL, 9), Box(15, 15, 70, 120, None, 6, _BACK_LINE, 2.5)]
    for place, (x, y) in enumerate(((50, 41), (71, 75), (50, 109), (29, 75))):
        items.append(figure(place, x, y, 13, _BACK_LINE))
    return items
