"""Drawings as pixels: :func:`rgb_array`, drawn by Pillow with the font that comes with it."""

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from uno_env.core.arrays import Bytes
from uno_env.render.card_art import HEIGHT, WIDTH, card_drawing
from uno_env.render.drawing import Box, Disc, Drawing, Item, Label, Point, Polygon, Stamp, Stroke

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageFont import FreeTypeFont

SHARPNESS = 2
"""Everything is drawn this many times as large and then made smaller, so that edges are smooth."""

_ANCHORS = {"start": "l", "middle": "m", "end": "r"}
_CAP_HEIGHT = 0.70
_BOLD = 0.024
"""Width that a stroke adds to bold letters, in sizes."""


def rgb_array(drawing: Drawing, width: int) -> Bytes:
    """A drawing as pixels, uint8 [H, W, 3]; width and height are made even, as video formats want them.

    Raises ModuleNotFoundError if Pillow is not installed.
    """
    try:
        from PIL import Image
    except ModuleNotFoundError:
        raise ModuleNotFoundError("pictures of pixels need Pillow: pip install 'uno-env[render]'", name="PIL") from None

    scale = width / drawing.width
    size = _even(width), _even(scale * drawing.height)
    canvas = Image.new("RGB", (SHARPNESS * size[0], SHARPNESS * size[1]), "#ffffff")
    _draw(canvas, drawing, SHARPNESS * scale)
    return np.asarray(canvas.reduce(SHARPNESS))


def _even(pixels: float) -> int:
    return 2 * round(pixels / 2)


def _draw(canvas: "Image", drawing: Drawing, scale: float) -> None:
    from PIL import ImageDraw

    pen = ImageDraw.Draw(canvas)
    for item in drawing.items:
        if isinstance(item, Stamp):
            _stamp(canvas, item, scale)
        else:
            _put(pen, item, scale)


def _put(pen: Any, item: Item, scale: float) -> None:
    match item:
        case Box():
            far = (item.x + item.width, item.y + item.height)
            corners = [_scaled((item.x, item.y), scale), _scaled(far, scale)]
            width = _width(item.line_width, scale) if item.line else 0
            pen.rounded_rectangle(corners, item.radius * scale, item.fill, item.line, width)
        case Disc():
            reach = item.radius + (item.line_width / 2 if item.line else 0)
            corners = [_scaled((item.x + side * reach, item.y + side * reach), scale) for side in (-1, 1)]
            pen.ellipse(corners, item.fill, item.line, _width(item.line_width, scale) if item.line else 0)
        case Polygon():
            pen.polygon([_scaled(point, scale) for point in item.points], item.fill)
        case Stroke():
            _stroke(pen, item, scale)
        case Label():
            font = _font(max(round(item.size * scale), 1))
            place = item.x * scale, (item.y + _CAP_HEIGHT / 2 * item.size) * scale
            bold = max(round(_BOLD * item.size * scale), 1) if item.bold else 0
            anchor = _ANCHORS[item.anchor] + "s"
            pen.text(place, item.text, item.fill, font, anchor, stroke_width=bold, stroke_fill=item.fill)


def _stroke(pen: Any, item: Stroke, scale: float) -> None:
    points = [_scaled(point, scale) for point in item.points]
    width = _width(item.width, scale)
    pen.line(points, item.line, width, joint="curve")
    reach = width / 2 - 0.5
    for x, y in (points[0], points[-1]):
        pen.ellipse([(x - reach, y - reach), (x + reach, y + reach)], item.line)


def _stamp(canvas: "Image", item: Stamp, scale: float) -> None:
    from PIL import Image

    card = _card(item.card, max(round(item.width * scale), 1))
    if item.angle:
        card = card.rotate(-item.angle, Image.Resampling.BICUBIC, expand=True)
    x, y = (round(centre * scale - extent / 2) for centre, extent in ((item.x, card.width), (item.y, card.height)))
    canvas.paste(card, (x, y), card)


@lru_cache(maxsize=512)
def _card(card: str, width: int) -> "Image":
    """A card with transparent corners, ``width`` pixels across."""
    from PIL import Image

    height = round(width * HEIGHT / WIDTH)
    large = Image.new("RGBA", (4 * width, 4 * height), (255, 255, 255, 0))
    _draw(large, card_drawing(card), 4 * width / WIDTH)
    return large.resize((width, height), Image.Resampling.LANCZOS)


@lru_cache(maxsize=64)
def _font(size: int) -> "FreeTypeFont":
    from PIL import ImageFont

    font = ImageFont.load_default(size)
    assert isinstance(font, ImageFont.FreeTypeFont), "Pillow without FreeType"
    return font


def _scaled(point: Point, scale: float) -> Point:
    return point[0] * scale, point[1] * scale


def _width(units: float, scale: float) -> int:
    return max(round(units * scale), 1)
