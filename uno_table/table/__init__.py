"""A table where people play against agents and each other, without clocks, threads or sockets of its own."""

from uno_table.table.sentences import RefusedError
from uno_table.table.table import Table
from uno_table.table.table_config import Setup, load_agents

__all__ = ["RefusedError", "Setup", "Table", "load_agents"]
