"""The players: scripted strategies, searches and saved policies. :func:`load` finds an :class:`Agent` by its name."""

from agents.agent import Agent
from agents.loading import load, names

__all__ = ["Agent", "load", "names"]
