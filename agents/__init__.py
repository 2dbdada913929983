"""Who plays: scripted strategies and saved policies, all seen as :class:`Agent`; :func:`load` finds them by name.

Part of uno-env.
"""

from agents.agent import Agent
from agents.loading import load, names

__all__ = ["Agent", "load", "names"]
