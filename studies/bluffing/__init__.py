"""Bluffing with a Wild Draw Four, and challenging: exactly on tiny decks, as it is learned, and what deviating
costs."""

from studies.bluffing.asking import QUESTION

__all__ = ["QUESTION"]
