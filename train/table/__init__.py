"""A table where people play against agents and each other, whatever they look through: :class:`Table`.

Everything here is plain logic without clocks, threads or sockets of its own: who sits where, whose move it is and how
long it may take, what each seat is shown, taking moves back. The browser (:mod:`train.web`) and the terminal
(:mod:`train.tui`) are thin layers on it.
"""

from train.table.setup import SeatSetup, Setup, load_agents
from train.table.table import RefusedError, Table

__all__ = ["RefusedError", "SeatSetup", "Setup", "Table", "load_agents"]
