"""The game as a tree with chance spelt out, for exact solving and for OpenSpiel."""

from uno_env.extensive_form.position import ExtensiveForm, Position

__all__ = ["ExtensiveForm", "Position"]
