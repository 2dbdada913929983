"""The canonical form of what a seat sees: the four colours are alike, and so are the two directions of play.

A policy that reads observations in canonical form plays all 24 ways of naming the colours, and both directions, as one.
:class:`CanonicalForm` gives an observation, a mask and past events in that form, and says which action each canonical
one stands for. It is a symmetric network's opposite of data augmentation: nothing has to be learnt 48 times.

* **Direction.** If play runs counter-clockwise, relative seats are counted to the right instead of the left: the next
  to act by turn order is always relative seat 1, and the column ``clockwise`` says 1.
* **Colours.** The active colour comes first, then colours by the number of cards in the own hand, the highest first;
  equal ones by the number of discards, and if these are equal too, by everything else that the observation, the events
  and the mask tell of a colour. Colours that still tie are told apart by nothing.
* **Decks whose colours differ** (GUIDE.md 2): only colours of which the deck has the same cards change places with each
  other. With the official decks all four do.

Not alike are two things of little weight: cards that a Wild Shuffle Hands deals out, and who deals the next hand of a
match, go round clockwise whatever the direction of play.
"""

from uno_env.symmetry.canonical import CanonicalForm
from uno_env.symmetry.tables import SYMMETRY_VERSION

__all__ = ["SYMMETRY_VERSION", "CanonicalForm"]
