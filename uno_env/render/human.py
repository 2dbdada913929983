"""``render_mode="human"``: the picture in a window of pygame, or text in the terminal where that cannot be.

There is one window for the whole process. Closing it hides the game and stops nothing.
"""

import os
import sys
from typing import TYPE_CHECKING, Any

from uno_env.render.picture import picture
from uno_env.render.raster import rgb_array
from uno_env.render.text import ansi
from uno_env.render.view import view_of

if TYPE_CHECKING:
    from uno_env.game import Game

_WIDTH, _SHARE = 640, 0.85
"""Width of the window in pixels, and the share of the screen's height that it takes at most."""


class NoWindowError(RuntimeError):
    """There can be no window; the text says why."""


class Window:
    """A window that shows pictures. Raises NoWindowError if there is no pygame or no display."""

    def __init__(self) -> None:
        if not _has_display():
            raise NoWindowError("there is no display")
        os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
        try:
            import pygame
        except ModuleNotFoundError:
            raise NoWindowError("pygame is not installed: pip install 'uno-env[window]'") from None
        self._pygame: Any = pygame
        try:
            pygame.display.init()
            self._most = _SHARE * pygame.display.Info().current_h
        except pygame.error as error:
            raise NoWindowError(f"no window can be opened: {error}") from None
        self._size: tuple[int, int] | None = None
        self.closed = False

    def show(self, game: "Game", seat: int | None) -> None:
        """Show a game; nothing once a person has closed the window."""
        drawing = picture(view_of(game, seat))
        width = min(_WIDTH, round(self._most * drawing.width / drawing.height)) if self._most > 0 else _WIDTH
        pixels = rgb_array(drawing, width).swapaxes(0, 1)
        if self._size != pixels.shape[:2] and not self.closed:
            self._size = pixels.shape[:2]
            self._pygame.display.set_mode(self._size)
        self.closed = self.closed or any(event.type == self._pygame.QUIT for event in self._pygame.event.get())
        if self.closed:
            self.close()
            return
        self._pygame.display.set_caption(drawing.title)
        self._pygame.surfarray.blit_array(self._pygame.display.get_surface(), pixels)
        self._pygame.display.flip()

    def close(self) -> None:
        """Take the window away."""
        self.closed = True
        self._pygame.display.quit()


_window: Window | None = None
_warned = False


def show(game: "Game", seat: int | None) -> None:
    """Show a game in the window; where there can be none, say so once and print the table as text."""
    global _window, _warned
    try:
        _window = Window() if _window is None else _window
    except NoWindowError as reason:
        if not _warned:
            print(f"render_mode='human' shows text: {reason}.", file=sys.stderr)
        _warned = True
        print(ansi(game, seat, colour=_stdout_has_colour()), end="\n\n")
    else:
        _window.show(game, seat)


def close() -> None:
    """Close the window, if there is one; the next :func:`show` opens another."""
    global _window
    if _window is not None:
        _window.close()
    _window = None


def _has_display() -> bool:
    wanted = ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER")
    return sys.platform in ("win32", "darwin") or any(os.environ.get(name) for name in wanted)


def _stdout_has_colour() -> bool:
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")
