"""The canonical form of what a seat sees. It removes the names of the colours and the direction of play.

A game of UNO stays the same if the four colours swap their names, which can be done in 24 ways, or if play runs the
other way round. In canonical form, all 48 versions of a position look the same, so a policy learns them once.
:class:`CanonicalForm` converts observations, masks and past events to this form, and canonical actions back to real
ones.

* **Direction.** If play runs counter-clockwise, relative seats are counted to the right instead of to the left. So the
  next seat in turn order is always relative seat 1, and the column ``clockwise`` is always 1.
* **Colours.** The active colour comes first. The others are sorted by the number of cards in the observer's hand, the
  highest first. Ties are broken by the number of discards, then by everything else that the observation, the events and
  the mask say about a colour. If two colours still tie, nothing distinguishes them, and their order does not matter.
* **Decks whose colours differ** (GUIDE.md 2). Colours change places only if the deck has the same cards of both. In the
  official decks this holds for all four.
* **Cards with two sides** (GUIDE.md 14). Colours keep their places. With other colours on one side, a card would get
  two faces that no card of the edition has together. So the canonical form removes the direction alone.

Two rules of little weight do not follow the direction of play, so the symmetry is not exact there. A Wild Shuffle Hands
always deals clockwise, and the next dealer of a match is always the next seat clockwise.
"""

from uno_env.symmetry.canonical import CanonicalForm
from uno_env.symmetry.tables import SYMMETRY_VERSION

__all__ = ["SYMMETRY_VERSION", "CanonicalForm"]
