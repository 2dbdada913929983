"""A table where people play against agents and each other, without clocks, threads or sockets of its own."""

from agents.human.table.sentences import RefusedError
from agents.human.table.table import Table
from agents.human.table.table_config import Setup, load_agents

__all__ = ["RefusedError", "Setup", "Table", "load_agents"]
