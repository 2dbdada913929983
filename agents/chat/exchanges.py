"""Every exchange with a model as a line of a file: :class:`Exchanges`."""

import hashlib
import json
import os
import threading
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agents.chat.client import Reply
from uno_env.common.files import parse_json, read_text

_OPEN: dict[Path, "Exchanges"] = {}


class Exchanges:
    """The exchanges of a file, which only the user can read; :meth:`of` gives the one object of a file.

    Each is written as it happens. A request that the file answers is not sent again: its answers are taken in the order
    in which they came, one for each time that the request is made in this process.
    """

    def __init__(self, file: Path) -> None:
        self.file, self._lock = file, threading.Lock()
        self._saved: dict[str, list[Reply]] = {}
        self._taken: Counter[str] = Counter()
        self._begun = False

    @classmethod
    def of(cls, file: Path) -> "Exchanges":
        """The exchanges of a file; nothing is read or written yet."""
        return _OPEN.setdefault(file.absolute(), cls(file.absolute()))

    def take(self, request: Mapping[str, Any]) -> Reply | None:
        """The saved answer to a request, if one was not taken yet. Raises OSError if the file cannot be read."""
        key = _key_of(request)
        with self._lock:
            self._begin()
            number = self._taken[key]
            self._taken[key] += 1
            saved = self._saved.get(key, [])
            return saved[number] if number < len(saved) else None

    def add(self, request: Mapping[str, Any], reply: Reply, read: str) -> None:
        """Write an exchange; ``read`` is the move, or what was wrong. Raises OSError if it cannot be written."""
        values = {"key": _key_of(request), "request": request, "reply": reply._asdict(), "read": read}
        line = (json.dumps(values, ensure_ascii=True) + "\n").encode()
        with self._lock:
            descriptor = os.open(self.file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            with open(descriptor, "ab", buffering=0) as file:
                file.write(line)

    def _begin(self) -> None:
        if self._begun:
            return
        self.file.parent.mkdir(0o700, parents=True, exist_ok=True)
        if self.file.exists():
            text = read_text(self.file)
            for line in text.splitlines():
                try:
                    values = parse_json(line)
                    self._saved.setdefault(str(values["key"]), []).append(_checked(values["reply"]))
                except (ValueError, LookupError, TypeError):
                    continue  # a line that was cut off
            if text and not text.endswith("\n"):
                with open(self.file, "ab") as file:
                    file.write(b"\n")
        self._begun = True


def _checked(values: Any) -> Reply:
    reply: Any = Reply(values["text"], values["tokens_in"], values["tokens_out"])
    if not isinstance(reply.text, str) or not all(type(each) is int and 0 <= each <= 10**9 for each in reply[1:]):
        raise ValueError
    return reply


def _key_of(request: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(request, sort_keys=True).encode()).hexdigest()
