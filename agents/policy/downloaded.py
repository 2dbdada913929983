"""Policies behind an address: ``https://HOST/policy.safetensors#sha256=DIGITS``.

The digest says which file is meant, whoever holds it: the file is compared with it before a byte of it is read as a
policy, each time. So it is required. A file is fetched once, and kept in the user's cache under its digest. Only the
user, on the command line or in Python, names addresses; in files and messages they are refused (:mod:`agents.trust`).
"""

import contextlib
import hashlib
import http.client
import io
import re
import ssl
import sys
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from agents.policy.policy_file import ONNX_SUFFIX, POLICY_SUFFIX
from uno_env.common.files import MAX_BYTES, read_file, replace_file
from uno_env.common.plain_text import printable
from uno_env.common.validation import short_repr

SCHEMES = ("https", "http")
LOCAL = ("localhost", "127.0.0.1", "::1")
"""Hosts that may be asked without HTTPS."""
SECONDS, QUIET_SECONDS = 600.0, 30.0
"""The longest time for a file, from the search for its host to its last byte, and the longest silence of a server."""
_AROUND = 1 << 20
"""Bytes of an answer that are no content, at most: headers, and the sizes of its chunks."""
_PART = 1 << 16
_LONGEST_ADDRESS = 300
_DIGEST = re.compile(r"sha256=([0-9a-f]{64})")
_USER = re.compile(r"(?<=//)[^/?#]*@")


def cache_folder() -> Path:
    """The folder of files that were fetched. Raises ValueError if the user has no home."""
    try:
        return Path.home() / ".cache" / "uno_env" / "policies"
    except RuntimeError:
        raise ValueError("there is no folder for policies from addresses: this user has no home") from None


def downloaded(address: str) -> Path:
    """The file of an address, fetched if it is not kept yet.

    Raises ValueError if the address is none, or lacks the digest; the file cannot be had, is larger than
    :data:`uno_env.common.files.MAX_BYTES`, or has another digest. Nothing is kept then.
    """
    plain, digest = _split(address)
    path = cache_folder() / f"{digest}{Path(urlsplit(plain).path).suffix}"
    with contextlib.suppress(OSError):
        if hashlib.sha256(read_file(path)).hexdigest() == digest:
            return path
    data = _fetch(plain)
    found = hashlib.sha256(data).hexdigest()
    if found != digest:
        raise ValueError(f"{_shown(plain)} is not the file that is meant: its SHA-256 is {found}, not {digest}")
    try:
        replace_file(path, data, private=True)
    except OSError as error:
        raise ValueError(f"{str(path)!r} cannot be written ({error.strerror})") from None
    return path


def _split(address: str) -> tuple[str, str]:
    """Split an address into the address without its digest, and the digest. Raises ValueError if it is not allowed."""
    plain, _, rest = address.partition("#")
    _verify_address(plain)
    if not urlsplit(plain).path.endswith((POLICY_SUFFIX, ONNX_SUFFIX)):
        raise ValueError(f"{_shown(plain)} is no address of a policy: let it end in {POLICY_SUFFIX} or {ONNX_SUFFIX}")
    digest = _DIGEST.fullmatch(rest)
    if digest is None:
        raise ValueError(
            f"{_shown(address)} does not say which file is meant: add #sha256= and the 64 digits, in small letters, "
            "of the SHA-256 of the file that you trust"
        )
    return plain, digest[1]


def _verify_address(address: str) -> None:
    """Raise :class:`ValueError` if an address is none, or is without HTTPS and not on this machine."""
    try:
        parts = urlsplit(address)
        host, _ = parts.hostname, parts.port
    except ValueError:
        host = None
    if not host or parts.scheme not in SCHEMES or "@" in parts.netloc or not address.isascii() or " " in address:
        raise ValueError(f"{_shown(address)} is no address: write https://HOST/policy{POLICY_SUFFIX}#sha256=DIGITS")
    if parts.scheme == "http" and host not in LOCAL:
        raise ValueError(f"{_shown(address)} is not allowed: without https, only this machine is asked")


def _fetch(address: str) -> bytes:
    """The content behind an address. Raises ValueError if it cannot be had. The work is done by a thread, which is left
    alone after :data:`SECONDS`. So nobody waits longer, whatever a server or a search for its name does.
    """
    print(f"uno-env: fetching {printable(address)[:_LONGEST_ADDRESS]}, once", file=sys.stderr, flush=True)
    found: list[bytes | Exception] = []
    until = time.monotonic() + SECONDS
    worker = threading.Thread(target=lambda: found.append(_content_or_error(address, until)), daemon=True)
    worker.start()
    worker.join(SECONDS)
    result = found[0] if found else TimeoutError()
    if isinstance(result, bytes):
        return result
    if isinstance(result, TimeoutError):
        raise _failure(address, f"no answer in {QUIET_SECONDS:g} seconds, or not all of it in {SECONDS:g}")
    if isinstance(result, urllib.error.HTTPError):
        raise _failure(address, f"status {result.code}")
    reason = result.reason if isinstance(result, urllib.error.URLError) else result
    raise _failure(address, str(reason) or type(reason).__name__)


def _content_or_error(address: str, until: float) -> bytes | Exception:
    """The content behind an address, or the error that it cannot be had with before ``until``."""
    handlers: list[urllib.request.BaseHandler] = [_Redirects(), _Connections(until)]
    if urlsplit(address).scheme == "http":
        handlers.append(urllib.request.ProxyHandler({}))  # this machine is asked directly
    data = bytearray()
    try:
        with urllib.request.build_opener(*handlers).open(address, timeout=QUIET_SECONDS) as answer:
            while part := answer.read1(_PART):
                data += part
            if len(data) > MAX_BYTES:
                raise _too_large()
            if answer.length:
                raise ValueError(f"it ended {answer.length:,} bytes too early")
    except urllib.error.HTTPError as error:
        error.close()
        return error
    except (OSError, ValueError, http.client.HTTPException) as error:
        return error
    return bytes(data)


class _Connections(urllib.request.HTTPSHandler, urllib.request.HTTPHandler):
    """Opens connections as urllib does. All that comes in by them has one bound of time and one of size."""

    def __init__(self, until: float) -> None:
        super().__init__()
        self._until = until

    def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        """Same as urllib's."""
        return self.do_open(self._bounded(http.client.HTTPConnection), req)

    def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        """Same as urllib's."""
        return self.do_open(self._bounded(http.client.HTTPSConnection), req, context=ssl.create_default_context())

    def _bounded(self, kind: type[http.client.HTTPConnection]) -> Any:
        """Return a kind of connections, whose answers are bounded."""

        def answer(*arguments: Any, **options: Any) -> http.client.HTTPResponse:
            made = http.client.HTTPResponse(*arguments, **options)
            made.fp = io.BufferedReader(_Bounded(made.fp.detach(), self._until))
            return made

        return type("Bounded", (kind,), {"response_class": staticmethod(answer)})


class _Bounded(io.RawIOBase):
    """The bytes that come in by a connection, content or not. Reading raises TimeoutError after a time, and ValueError
    after more bytes than a file may have.
    """

    def __init__(self, raw: io.RawIOBase, until: float) -> None:
        self._raw, self._until = raw, until
        self._left = MAX_BYTES + _AROUND

    def readable(self) -> bool:
        """True: it can be read."""
        return True

    def readinto(self, buffer: Any) -> int | None:
        """Read what is there."""
        if time.monotonic() > self._until:
            raise TimeoutError
        number = self._raw.readinto(buffer)
        self._left -= number or 0
        if self._left < 0:
            raise _too_large()
        return number

    def close(self) -> None:
        """Close the connection."""
        self._raw.close()
        super().close()


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows a redirect to another address of the same scheme, and does not read what else came with it."""

    def redirect_request(
        self, req: urllib.request.Request, fp: Any, code: int, msg: str, headers: Any, newurl: str
    ) -> urllib.request.Request | None:
        """Same as urllib's. Raises ValueError if the new address is not allowed."""
        fp.close()
        _verify_address(newurl)
        if urlsplit(newurl).scheme != req.type:
            raise ValueError(f"it leads to {_shown(newurl)}, and an address of {req.type} was asked for")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _too_large() -> ValueError:
    return ValueError(f"it has more than {MAX_BYTES:,} bytes")


def _failure(address: str, reason: str) -> ValueError:
    return ValueError(f"{_shown(address)} cannot be fetched: {printable(reason)[:_LONGEST_ADDRESS]}")


def _shown(address: str) -> str:
    """An address for a sentence, without what may be a password."""
    return short_repr(_USER.sub("…@", address), _LONGEST_ADDRESS)
