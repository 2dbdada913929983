"""Drawings as SVG: :func:`svg`."""

from collections.abc import Iterable
from xml.sax.saxutils import escape, quoteattr

from uno_env.common.spelling import did_you_mean
from uno_env.render.card_art import HEIGHT, WIDTH, card_drawing, card_texts
from uno_env.render.drawing import Box, Disc, Drawing, Item, Label, Point, Polygon, Stamp, Stroke

FONT = "system-ui, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif"
CAP_HEIGHT = 0.72
"""Height of capital letters and digits, in sizes of their font."""


def svg(drawing: Drawing, width: float | None = None) -> str:
    """A drawing as a whole SVG document, without a final line break, shown at its own width or another, in pixels."""
    across = drawing.width if width is None else width
    down = across * drawing.height / drawing.width
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_number(across)}" height="{_number(down)}" '
        f'viewBox="0 0 {_number(drawing.width)} {_number(drawing.height)}" role="img" font-family="{FONT}">'
    ]
    lines += [f"<title>{escape(drawing.title)}</title>"] if drawing.title else []
    lines += [f"<desc>{escape(drawing.description)}</desc>"] if drawing.description else []
    cards = sorted({item.card for item in drawing.items if isinstance(item, Stamp)})
    lines += ["<defs>", *map(symbol, cards), "</defs>"] if cards else []
    lines += map(_element, drawing.items)
    return "\n".join([*lines, "</svg>"])


def card_svg(card: str, width: float = WIDTH) -> str:
    """A card as a whole SVG document, by its text as it lies (``r5``, ``r1/ose``), ``back`` or ``blank``. Its own width
    is 100 pixels. Raises ValueError if there is no such card.
    """
    texts = card_texts()
    if card not in texts:
        raise ValueError(f"{card!r} is no card{did_you_mean(card, texts)}: write for example r5, r1/ose or back")
    return svg(card_drawing(card), width)


def symbol(card: str, has_title: bool = True) -> str:
    """A card as a ``<symbol>`` with the id of :func:`symbol_id`, for ``<use>`` within one document. Its title, which is
    in English, can be left out.
    """
    drawing = card_drawing(card)
    inside = (f"<title>{escape(drawing.title)}</title>" if has_title else "") + elements(drawing)
    return f'<symbol id="{symbol_id(card)}" viewBox="0 0 {_number(WIDTH)} {_number(HEIGHT)}">{inside}</symbol>'


def elements(drawing: Drawing) -> str:
    """A drawing's items alone, for an SVG document that is made elsewhere."""
    return "".join(map(_element, drawing.items))


def symbol_id(card: str) -> str:
    """Id of a card's symbol: ``card-r5``, ``card-w_4``."""
    return f"card-{card.replace('+', '_')}"


def _element(item: Item) -> str:
    match item:
        case Box():
            corner = f' rx="{_number(item.radius)}"' if item.radius else ""
            place = f'x="{_number(item.x)}" y="{_number(item.y)}"'
            size = f'width="{_number(item.width)}" height="{_number(item.height)}"'
            return f"<rect {place} {size}{corner}{_paint(item.fill, item.line, item.line_width)}/>"
        case Disc():
            place = f'cx="{_number(item.x)}" cy="{_number(item.y)}" r="{_number(item.radius)}"'
            return f"<circle {place}{_paint(item.fill, item.line, item.line_width)}/>"
        case Polygon():
            return f'<polygon points="{_points(item.points)}" fill="{item.fill}"/>'
        case Stroke():
            ends = f'stroke="{item.line}" stroke-width="{_number(item.width)}" stroke-linecap="round"'
            return f'<polyline points="{_points(item.points)}" fill="none" {ends} stroke-linejoin="round"/>'
        case Label():
            return _text(item)
        case Stamp():
            return _use(item)


def _text(item: Label) -> str:
    baseline = item.y + CAP_HEIGHT / 2 * item.size
    weight = ' font-weight="700"' if item.bold else ""
    anchor = "" if item.anchor == "start" else f' text-anchor="{item.anchor}"'
    place = f'x="{_number(item.x)}" y="{_number(baseline)}" font-size="{_number(item.size)}"'
    return f'<text {place}{weight}{anchor} fill="{item.fill}">{escape(item.text)}</text>'


def _use(item: Stamp) -> str:
    height = item.width * HEIGHT / WIDTH
    turn = f' transform="rotate({_number(item.angle)} {_number(item.x)} {_number(item.y)})"' if item.angle else ""
    place = f'x="{_number(item.x - item.width / 2)}" y="{_number(item.y - height / 2)}"'
    size = f'width="{_number(item.width)}" height="{_number(height)}"'
    return f"<use href={quoteattr('#' + symbol_id(item.card))} {place} {size}{turn}/>"


def _paint(fill: str | None, line: str | None, width: float) -> str:
    stroke = f' stroke="{line}" stroke-width="{_number(width)}"' if line else ""
    return f' fill="{fill or "none"}"{stroke}'


def _points(points: Iterable[Point]) -> str:
    return " ".join(f"{_number(x)},{_number(y)}" for x, y in points)


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
