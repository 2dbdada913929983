"""The parts of a picture: a :class:`Drawing` is a list of a few plain shapes. Any backend can draw them.

Coordinates are units from the top left corner, y downwards; a unit is a pixel of a picture shown at its own size.
Colours are ``#rrggbb``. Texts are ASCII: the raster font that comes with Pillow knows little else.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

Point: TypeAlias = tuple[float, float]


@dataclass(frozen=True)
class Box:
    """A rectangle, with round corners if ``radius`` is given."""

    x: float
    y: float
    width: float
    height: float
    fill: str | None
    radius: float = 0.0
    line: str | None = None
    line_width: float = 1.0


@dataclass(frozen=True)
class Disc:
    """A circle."""

    x: float
    y: float
    radius: float
    fill: str | None
    line: str | None = None
    line_width: float = 1.0


@dataclass(frozen=True)
class Polygon:
    """A closed figure."""

    points: tuple[Point, ...]
    fill: str


@dataclass(frozen=True)
class Stroke:
    """A line through points, with round ends and joints."""

    points: tuple[Point, ...]
    line: str
    width: float


@dataclass(frozen=True)
class Label:
    """A line of text; ``y`` is the middle of its capital letters."""

    x: float
    y: float
    text: str
    size: float
    fill: str
    anchor: Literal["start", "middle", "end"] = "middle"
    bold: bool = False


@dataclass(frozen=True)
class Stamp:
    """A card by its name (``r5``, ``w+4``, ``back``), centred at ``x``, ``y``, turned clockwise by ``angle``°."""

    card: str
    x: float
    y: float
    width: float
    angle: float = 0.0


Item: TypeAlias = Box | Disc | Polygon | Stroke | Label | Stamp


@dataclass(frozen=True)
class Drawing:
    """Items in the order in which they are drawn, and what they show, in words, for those who do not see it."""

    width: float
    height: float
    items: tuple[Item, ...]
    title: str = ""
    description: str = ""


CHARACTER = 0.56
"""Mean width of a character of usual text, in sizes: a little more than that of usual sans-serif fonts."""


def shortened(text: str, size: float, width: float) -> str:
    """The text, or as much of it as fits into a width, with three dots."""
    most = max(int(width / (CHARACTER * size)), 4)
    return text if len(text) <= most else text[: most - 3].rstrip() + "..."


def arc(x: float, y: float, rx: float, ry: float, begin: float, end: float, points: int = 24) -> tuple[Point, ...]:
    """Points of an ellipse's arc from ``begin`` to ``end`` degrees, clockwise on the screen from the right."""
    angles = [math.radians(begin + (end - begin) * place / (points - 1)) for place in range(points)]
    return tuple((x + rx * math.cos(angle), y + ry * math.sin(angle)) for angle in angles)


def arrow(points: Sequence[Point], line: str, width: float) -> list[Item]:
    """A line with a head at its end."""
    (x, y), (back_x, back_y) = points[-1], points[-2]
    angle = math.atan2(y - back_y, x - back_x)
    reach = 2.4 * width

    def corner(turn: float) -> Point:
        return (x + reach * math.cos(angle + turn), y + reach * math.sin(angle + turn))

    head = (corner(0.0), corner(2.2), corner(-2.2))
    return [Stroke(tuple(points), line, width), Polygon(head, line)]
