"""Requests to a server that speaks the OpenAI chat protocol: :class:`ChatClient`.

Only the address that the user typed is called: redirects and proxies are not followed. The key is read from an
environment variable, and is taken out of everything that is shown or saved; control characters are not shown. A request
has one deadline for everything, and an answer has a largest size, so that a server can neither hang a run nor fill the
memory.
"""

import contextlib
import http.client
import json
import os
import re
import socket
import threading
import time
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from uno_env.common.files import parse_json
from uno_env.common.plain_text import printable
from uno_env.common.validation import short_repr
from uno_env.player import PlayerError

MOST_BYTES = 2**20
"""Size of the largest answer that is read."""
_LONGEST_WAIT = 60.0
_AGAIN = (408, 409, 425, 429)
_COMPRESSED = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd", b"\x78\x9c": "deflate"}
"""First bytes of compressed data, and what it is called."""


class Reply(NamedTuple):
    """The text that a model wrote, and the tokens that it took."""

    text: str
    tokens_in: int
    tokens_out: int


class _FailedError(Exception):
    """A request failed; ``wait`` says after how many seconds it may be sent again, None: never."""

    def __init__(self, why: str, wait: float | None = 0.0) -> None:
        super().__init__(why)
        self.wait = wait


class ChatClient:
    """One address, ``http://host:port/path`` or ``https://…``, to which ``/chat/completions`` is added.

    ``key_name`` is the environment variable that holds the key, if one is sent; ``timeout`` is in seconds, ``retries``
    for a request that failed. Raises ValueError if the address is not one.
    """

    def __init__(self, address: str, key_name: str, timeout: float, retries: int) -> None:
        try:
            parts = urlsplit(address)
            self._host, self._port, self._secure = parts.hostname, parts.port, parts.scheme == "https"
        except ValueError:
            self._host = None
        if not self._host or parts.scheme not in ("http", "https") or parts.username or parts.query or parts.fragment:
            raise ValueError(f"{short_repr(address)} is no address: write http://HOST:PORT/v1 or https://HOST/v1")
        self.address, self._path = address, f"{parts.path.rstrip('/')}/chat/completions"
        self._key = os.environ.get(key_name, "").strip()
        if not self._key.isascii() or not self._key.isprintable():
            raise ValueError(f"the key in the environment variable {key_name!r} is not allowed: only ASCII is sent")
        self._timeout, self._retries, self._late = timeout, retries, f"no answer in {timeout:g} seconds"

    def ask(self, request: dict[str, Any]) -> Reply:
        """Send a request, again after a busy server or a broken line. Raises PlayerError if there is no answer."""
        for attempt in range(self._retries + 1):
            try:
                return self._read(self._send(request))
            except _FailedError as error:
                if error.wait is None or attempt == self._retries:
                    sentence = self.without_key(f"{self.address} gave no answer: {error}")
                    raise PlayerError(printable(sentence)) from None
                time.sleep(min(max(error.wait, 0.5 * 2**attempt), _LONGEST_WAIT))
        raise AssertionError

    def without_key(self, text: str) -> str:
        """A text without the key, in capital or small letters."""
        return re.sub(re.escape(self._key), "(key)", text, flags=re.IGNORECASE) if self._key else text

    def _send(self, request: dict[str, Any]) -> bytes:
        """The body of the answer. Raises _FailedError if there is none."""
        kind = http.client.HTTPSConnection if self._secure else http.client.HTTPConnection
        line, late = kind(self._host or "", self._port, timeout=self._timeout), threading.Event()
        headers = {"Content-Type": "application/json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"

        def cut(connected: socket.socket) -> None:
            late.set()
            with contextlib.suppress(OSError):
                connected.shutdown(socket.SHUT_RDWR)

        try:
            line.connect()
            timer = threading.Timer(self._timeout, cut, (line.sock,))
            timer.daemon = True
            timer.start()
            try:
                line.request("POST", self._path, json.dumps(request).encode(), headers)
                with contextlib.closing(line.getresponse()) as answer:
                    body = answer.read(MOST_BYTES + 1)
                    packed = _compression(answer.headers.get("Content-Encoding"), body)
            finally:
                timer.cancel()
        except (OSError, http.client.HTTPException, ValueError) as error:
            is_late = late.is_set() or isinstance(error, TimeoutError)
            raise _FailedError(self._late if is_late else str(error) or type(error).__name__) from None
        finally:
            line.close()
        if late.is_set():
            raise _FailedError(self._late)
        if len(body) > MOST_BYTES:
            raise _FailedError(f"the answer has more than {MOST_BYTES:,} bytes", None)
        if answer.status != 200:
            wait = _seconds(answer.headers.get("Retry-After"))
            may_repeat = answer.status in _AGAIN or answer.status >= 500
            shown = packed or self._shown(body)
            raise _FailedError(f"status {answer.status}, {shown}", wait if may_repeat else None)
        if packed:
            raise _FailedError(f"{packed}, which was not asked for: only plain answers are read", None)
        return body

    def _shown(self, body: bytes) -> str:
        """The beginning of a body; what JSON can write in two ways is written in one, so that the key is found."""
        text = body.decode("utf-8", "replace")
        with contextlib.suppress(ValueError):
            text = json.dumps(parse_json(body), ensure_ascii=False)
        return short_repr(self.without_key(text), 200)

    def _read(self, body: bytes) -> Reply:
        """The reply in a body. Raises _FailedError if it is none."""
        try:
            values = parse_json(body)
            text = values["choices"][0]["message"]["content"]
            if not isinstance(text, str | None):
                raise TypeError
        except (ValueError, LookupError, TypeError):
            raise _FailedError(f"the answer is no chat completion: {self._shown(body)}") from None
        text = (text or "").encode("utf-8", "replace").decode()  # without lone surrogates, which no file can hold
        usage = values.get("usage") or {}
        return Reply(self.without_key(text), _count(usage, "prompt_tokens"), _count(usage, "completion_tokens"))


def _compression(encoding: str | None, body: bytes) -> str:
    """Return what a compressed body is, in words, by its header or its first bytes, or an empty text if it is plain."""
    named = (encoding or "").strip().lower()
    found = next((name for start, name in _COMPRESSED.items() if body.startswith(start)), "")
    if named in ("", "identity"):
        named = found
    return f"the answer is compressed ({short_repr(named, 40)})" if named else ""


def _count(usage: Any, name: str) -> int:
    """Return a number of tokens that a server reports, or 0 if it reports none that is possible."""
    value = usage.get(name) if isinstance(usage, dict) else None
    return value if type(value) is int and 0 <= value <= 10**9 else 0


def _seconds(text: str | None) -> float:
    return float(text) if text is not None and text.isdecimal() and len(text) < 6 else 0.0
