"""What players at a table have decided, and the others do not see yet: :class:`Answer`."""

from typing import NamedTuple

from uno_env import actions as catalogue

QUIET_ACTIONS = (catalogue.PASS, catalogue.ACCEPT, catalogue.DRAW)


class Answer(NamedTuple):
    """A decision of a seat."""

    action: int
    ticket: str
    """The seat's ticket when it decided; the answer is void once the seat has another one."""
    at: float
    """When it can be shown, if nobody else could be asked; in seconds of the table's clock."""
    has_failed: bool = False
    """Whether an agent failed, so that a quiet action stands for its own."""


def quiet_action(legal: list[int]) -> int:
    """Return the action for a player who does not decide in time: let it go, accept, draw, or else the first legal."""
    return next((action for action in QUIET_ACTIONS if action in legal), legal[0])
