"""Running the server of the tables: :func:`serve`."""

import socket
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import uvicorn

from agents.human.web.app import make_app
from agents.human.web.lobby import Lobby
from agents.human.web.messages import LONGEST_MESSAGE
from agents.human.web.origin_guard import LOOPBACK, HostNames


def bind(host: str, port: int) -> socket.socket:
    """A socket that listens.

    Raises:
        ValueError: the address is in use, or is none of this machine's.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise ValueError(
            f"cannot listen on {host} port {port} ({error.strerror}): choose another --port or --host"
        ) from (error)
    return listener


def serve(
    listener: socket.socket,
    defaults: Mapping[str, Any],
    allowed: Iterable[str] = (),
    write: Callable[[str], None] = print,
) -> None:
    """Serve tables until Ctrl-C.

    Args:
        listener: what :func:`bind` returned.
        defaults: see :class:`Lobby`.
        allowed: further names under which the server may be asked for.
        write: shows a text.
    """
    lobby = Lobby(defaults)
    host, port = listener.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    write(f"Set up a table: http://{shown}:{port}/#key={lobby.key}")
    if host not in LOOPBACK:
        write("Everyone who can reach this machine can reach the server, and what it sends is not encrypted.")
    write("Ctrl-C closes the tables.")
    server_for(lobby, host, allowed).run(sockets=[listener])


def server_for(lobby: Lobby, host: str, allowed: Iterable[str] = ()) -> uvicorn.Server:
    """A server of a lobby's tables that listens on ``host``; see :func:`serve`."""
    config = uvicorn.Config(
        make_app(lobby, HostNames(host, allowed)),
        ws="websockets-sansio",
        ws_max_size=4 * LONGEST_MESSAGE,
        lifespan="off",
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=1,
    )
    return uvicorn.Server(config)
