"""Showing a game to people: :func:`ansi`, the table as text; :class:`View`, the facts it is made of."""

from uno_env.render.text import WIDTH, ansi
from uno_env.render.view import View, view_of

__all__ = ["WIDTH", "View", "ansi", "view_of"]
