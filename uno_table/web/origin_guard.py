"""Refuse requests from pages of other sites: :class:`OriginGuard`, around the whole application.

A page of another site must not reach the tables through the browser of somebody who plays here. The ``Host`` that was
asked for must be one of ours, else a foreign name that resolves to this machine would do (DNS rebinding); and what
changes anything, sockets included, must come from a page of the same host (``Origin``).
"""

import ipaddress
import socket
from collections.abc import Iterable
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOOPBACK = ("127.0.0.1", "localhost", "::1")

_PORTS = {"http": 80, "https": 443}

SECURITY_HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-cache",
}

GAME_PAGE_HEADERS = {
    "content-security-policy": "sandbox allow-scripts; default-src 'none'; style-src 'unsafe-inline'; "
    "script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
}
"""Of a game's page: the sandbox makes it a site of its own, which reaches nothing of the tables'. The page
itself allows only the script that it has the hash of."""


class HostNames:
    """Names under which the server may be asked for: the address that it listens on, and more, as ``https://name``
    those of a proxy that encrypts what this server sends.
    """

    def __init__(self, bound: str, more: Iterable[str] = ()) -> None:
        further = [name.lower() for name in more]
        self.encrypted = {name.removeprefix("https://") for name in further if name.startswith("https://")}
        self.names = {*LOOPBACK, bound, *(name.removeprefix("https://") for name in further)}
        self.any_address = bound not in LOOPBACK
        if self.any_address:
            self.names.add(socket.gethostname().lower())

    def allow(self, host: str) -> bool:
        """Return whether a ``Host`` header, with or without a port, is one of ours."""
        name = _without_port(host).lower()
        return name in self.names or (self.any_address and _is_address(name))

    def is_own(self, origin: str, host: str) -> bool:
        """Return whether an ``Origin`` header is that of our own pages, asked for under a ``Host`` that is allowed."""
        scheme = "https" if _without_port(host).lower() in self.encrypted else "http"
        return _address(origin) == _address(f"{scheme}://{host}") is not None


def _address(origin: str) -> tuple[str, str, int] | None:
    """Scheme, host and port of an origin, or None if it is no origin of a site."""
    origin = origin.lower()
    try:
        parts = urlsplit(origin)
        port = parts.port or _PORTS[parts.scheme]
    except (ValueError, KeyError):
        return None
    if not parts.hostname or f"{parts.scheme}://{parts.netloc}" != origin or "@" in parts.netloc:
        return None
    return parts.scheme, parts.hostname, port


class OriginGuard:
    """Turns away what comes from elsewhere, and puts the security headers on every answer."""

    def __init__(self, app: ASGIApp, hosts: HostNames) -> None:
        self.app, self.hosts = app, hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or turn it away."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        reason = self._reason_against(scope)
        if reason is None:
            await self.app(scope, receive, _with_security_headers(send))
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008, "reason": reason})
        else:
            await PlainTextResponse(reason, 403)(scope, receive, _with_security_headers(send))

    def _reason_against(self, scope: Scope) -> str | None:
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self.hosts.allow(hosts[0]):
            return "this server is not known under that name: start it with --allow-host NAME, or --allow-host \
https://NAME behind a proxy with HTTPS, which has to pass the Host header on"
        origin = headers.get("origin")
        reads_only = scope["type"] == "http" and scope["method"] in ("GET", "HEAD")
        if origin is None or reads_only or self.hosts.is_own(origin, hosts[0]):
            return None
        if origin.lower() == f"https://{hosts[0].lower()}":
            return f"the page was asked for by HTTPS: start the server with --allow-host {origin}"
        return "requests from other sites are refused"


def _with_security_headers(send: Send) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in SECURITY_HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return send_with_headers


def _without_port(host: str) -> str:
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.rpartition(":")[0] if ":" in host else host


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
