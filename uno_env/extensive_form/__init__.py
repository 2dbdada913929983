"""The game as a tree with chance spelt out, for exact solving and for OpenSpiel.

``position`` walks the tree one move at a time, ``game_tree`` keeps a whole tree in arrays. ``explicit_chance``,
``outcomes``, ``tree_growth`` and ``tree_merging`` are the compiled loops behind both.
"""

from uno_env.extensive_form.position import ExtensiveForm, Position

__all__ = ["ExtensiveForm", "Position"]
