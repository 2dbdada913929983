"""The folder in which tables survive the end of the server: :class:`TableFolder`."""

import contextlib
import json
import os
import re
import threading
from pathlib import Path
from typing import Any

from uno_env.common.files import read_json, reason_of, replace_file
from uno_env.common.lock import lock_folder
from uno_env.common.validation import convert
from uno_table.table.saved_table import CheckedTable, SavedTable, read_table

MOST_SAVED = 100
"""Tables; beyond, those that were played at the longest ago are deleted."""
LONGEST_FILE = 1_000_000
"""Bytes."""
_FILE = re.compile(r"([A-Za-z0-9_-]{12})\.json")


class TableFolder:
    """A file for each table, with all cards and the secrets of its seats. One server uses the folder at a time.

    A folder that has to be made can be read by the user alone. Raises ValueError if it cannot be written, or another
    server uses it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._writing = threading.Lock()
        try:
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._lock = lock_folder(path, "tables in")
        except (OSError, ValueError) as error:
            raise ValueError(
                f"tables cannot be saved in {str(path)!r} ({reason_of(error)}); see --tables and --forget"
            ) from None

    def close(self) -> None:
        """Let another server use the folder."""
        self._lock.release()

    def ids(self) -> list[str]:
        """Ids of the tables, the last played first. There are none if somebody has deleted the folder."""
        with contextlib.suppress(OSError):
            files = [match[1] for each in os.listdir(self.path) if (match := _FILE.fullmatch(each))]
            return sorted(files, key=self._modified, reverse=True)
        return []

    def read(self, table_id: str) -> CheckedTable:
        """A table of :meth:`ids`. Raises ValueError if the file is damaged or somebody else's work, and OSError if it
        cannot be read.
        """
        return read_table(read_json(self._file(table_id), LONGEST_FILE))

    def write(self, table_id: str, values: dict[str, Any]) -> None:
        """Replace the saved state of a table, atomically. Raises ValueError if the new state could not be read again
        (the old one stays), and OSError if nothing can be written there.
        """
        convert(values, SavedTable)
        with self._writing:
            replace_file(self._file(table_id), json.dumps(values).encode(), private=True)
            for old in self.ids()[MOST_SAVED:]:
                self._file(old).unlink(missing_ok=True)

    def _file(self, table_id: str) -> Path:
        return self.path / f"{table_id}.json"

    def _modified(self, table_id: str) -> float:
        with contextlib.suppress(OSError):
            return self._file(table_id).stat().st_mtime
        return 0.0
