"""The players: scripted strategies, searches and saved policies. :func:`load` finds an :class:`Agent` by its name.

Part of uno-env.
"""

from uno_command import verify_engine_not_hidden

verify_engine_not_hidden()

from agents.agent import Agent  # noqa: E402
from agents.loading import load, names  # noqa: E402

__all__ = ["Agent", "load", "names"]
