"""A table where people play against agents and each other, whatever they look through: :class:`Table`.

Everything here is plain logic without clocks, threads or sockets of its own: who sits where, whose move it is and how
long it may take, what each seat is shown, taking moves back. The browser (:mod:`agents.human.web`) and the terminal
(:mod:`agents.human.terminal_app`) are thin layers on it.
"""

from agents.human.table.table import RefusedError, Table
from agents.human.table.table_config import SeatSetup, Setup, load_agents

__all__ = ["RefusedError", "SeatSetup", "Setup", "Table", "load_agents"]
