"""One function for every way to show a game: :func:`frame`."""

import base64
from html import escape
from typing import TYPE_CHECKING, Any, TypeAlias

from uno_env.common.output import replace_unprintable
from uno_env.core.arrays import Bytes
from uno_env.render.picture import picture
from uno_env.render.raster import rgb_array
from uno_env.render.svg import svg
from uno_env.render.text import ansi, uses_colour
from uno_env.render.view import view_of

if TYPE_CHECKING:
    from uno_env.game import Game

MODES = ("ansi", "human", "rgb_array", "svg")
"""Values of ``render_mode``."""

PIXELS = 800
"""Width of an ``rgb_array``."""

Frame: TypeAlias = str | Bytes | None


def frame(game: "Game", seat: int | None, mode: str) -> Frame:
    """A game as it is now, in one of :data:`MODES`.

    Args:
        game: the game.
        seat: who looks: only what that seat may know is shown (GUIDE.md 12); None: a spectator, who sees every hand.
        mode: ``ansi``: text (:func:`uno_env.render.ansi`). ``svg``: a picture as an SVG document. ``rgb_array``: the
            same picture as pixels, uint8 [H, W, 3], whose size depends on the players and on who looks alone.
            ``human``: the text is printed, in colour on a terminal that shows colours.

    Returns:
        The text, document or pixels; None for ``human``.

    Raises:
        ValueError: there is no such seat or mode.
        ModuleNotFoundError: ``rgb_array`` without Pillow.
    """
    match checked_mode(mode):
        case "ansi":
            return ansi(game, seat)
        case "svg":
            return svg(picture(view_of(game, seat)))
        case "rgb_array":
            return rgb_array(picture(view_of(game, seat)), PIXELS)
        case _:
            replace_unprintable()
            print(ansi(game, seat, uses_colour()), end="\n\n")
            return None


def html_image(game: "Game") -> str:
    """A game with all hands open as an HTML image, at most as wide as there is room; ``alt`` is its description."""
    drawing = picture(view_of(game))
    data = base64.b64encode(svg(drawing).encode()).decode()
    words = escape(f"{drawing.title}. {drawing.description}")
    return f'<img src="data:image/svg+xml;base64,{data}" alt="{words}" style="max-width: 100%">'


def checked_mode(mode: Any) -> str | None:
    """Return the mode, which may be None. Raises ValueError if there is no such mode."""
    if mode is not None and mode not in MODES:
        raise ValueError(f"render_mode={mode!r} is not allowed: choose None, {', '.join(map(repr, MODES))}")
    return mode
