"""How long a decision may take, and what is done when the time is over."""

from collections.abc import Sequence

from uno_env import actions as catalogue

REACTIONS = ("catch", "jump_in")
"""Phases that are races at a table of cards."""

_QUIET = (catalogue.PASS, catalogue.ACCEPT, catalogue.DRAW)


def seconds_for(phase: str, reaction_seconds: float, turn_seconds: float) -> float:
    """Time for a decision in a phase; 0 for no limit."""
    return reaction_seconds if phase in REACTIONS else turn_seconds


def quiet_action(legal: Sequence[int]) -> int:
    """What is done for who does not decide in time: let it go, accept, draw, or else the first of the legal actions."""
    return next((action for action in _QUIET if action in legal), legal[0])
