"""Showing a game to people.

:func:`frame` shows it in any of :data:`MODES`: as text (:func:`ansi`), as a picture (:func:`picture` of a
:class:`View`, the facts that a seat may know, drawn by :func:`svg` or :func:`rgb_array`), or in a window.
"""

from uno_env.render.frames import MODES, PIXELS, frame
from uno_env.render.picture import picture
from uno_env.render.raster import rgb_array
from uno_env.render.svg import card_svg, svg
from uno_env.render.text import WIDTH, ansi
from uno_env.render.view import View, view_of

__all__ = ["MODES", "PIXELS", "WIDTH", "View", "ansi", "card_svg", "frame", "picture", "rgb_array", "svg", "view_of"]
