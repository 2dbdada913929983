"""The faces of the people of the levels: :func:`face_svg`."""

from uno_env.render.drawing import Disc, Drawing, Item, Polygon, Stroke, arc
from uno_env.render.svg import svg
from uno_table.table.levels import FACES

_SKINS = ("#f2c9a1", "#c98f62", "#8a5a3c")
_SHIRTS = ("#6d97d8", "#3f8f6b", "#a8317c", "#5c4033")
_DARK = "#2a211b"
_SMILES = ((30, 150), (15, 165), (60, 120))
"""Degrees between which the mouth is drawn."""


def face_svg(person: str) -> str:
    """The face of somebody in :data:`FACES` as an SVG document.

    The number of dots on the shirt is the level, so that no colour says it alone.
    """
    level, place = FACES[person]
    row, column = divmod(place, len(_SKINS))
    skin, hair, smile = _SKINS[column], (column + row) % 3, _SMILES[(column + 2 * row) % 3]
    ears = [Disc(x, 48, 6, skin) for x in (25.0, 75.0)]
    eyes: list[Item] = [Disc(x, 46, 3.2, _DARK) for x in (40.0, 60.0)]
    if level == 2:  # glasses
        eyes += [Disc(x, 46, 8, None, _DARK, 2) for x in (40.0, 60.0)]
    if level == 3:  # brows of somebody who has seen it all
        eyes += [Stroke(((x - 6, 37), (x + 6, 37 - lift)), _DARK, 2.5) for x, lift in ((40.0, 3), (60.0, -3))]
    shirt = Polygon(arc(50, 104, 40, 28, 180, 360), _SHIRTS[level])
    dots = [Disc(50 + 10 * (dot - level / 2), 93, 3, "#ffffff") for dot in range(level + 1)]
    mouth = Stroke(arc(50, 56, 11, 9, *smile, 12), _DARK, 2.5)
    items = (shirt, *dots, *ears, Disc(50, 46, 26, skin), *_hair(hair, skin), *eyes, mouth)
    return svg(Drawing(100, 100, items, title=person))


def _hair(style: int, skin: str) -> list[Item]:
    if style == 0:  # short
        return [Polygon(arc(50, 40, 27, 23, 190, 350), _DARK)]
    if style == 1:  # long, with a parting
        sides: list[Item] = [Stroke(((x, 34), (x + turn, 66)), _DARK, 9) for x, turn in ((26.0, -3), (74.0, 3))]
        return [*sides, Polygon(arc(50, 38, 28, 22, 180, 360), _DARK), Stroke(((50, 16), (50, 30)), skin, 2)]
    return [Disc(34.0 + 8 * curl, 25.0 - 4 * (curl % 2), 7, _DARK) for curl in range(5)]  # curls
