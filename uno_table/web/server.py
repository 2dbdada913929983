"""Running the server of the tables: :func:`serve`."""

import socket
from collections.abc import Iterable

import uvicorn

from uno_env.common.files import reason_of
from uno_table.web.app import make_app
from uno_table.web.lobby import Lobby
from uno_table.web.messages import LONGEST_MESSAGE
from uno_table.web.origin_guard import LOOPBACK, HostNames
from uno_table.web.storage import TableFolder


def bind(host: str, port: int) -> socket.socket:
    """A socket that listens. Raises ValueError if the address is empty, in use, or none of this machine's."""
    if not host:  # the system would listen on all addresses
        raise ValueError("--host '' is no address: choose 127.0.0.1 for this machine alone, 0.0.0.0 for all addresses")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen()
    except OSError as error:
        listener.close()
        raise ValueError(
            f"cannot listen on {host} port {port} ({error.strerror}): choose another --port or --host"
        ) from error
    return listener


def serve(listener: socket.socket, lobby: Lobby, allowed: Iterable[str] = ()) -> None:
    """Serve a lobby's tables until Ctrl-C, and close it.

    Args:
        listener: of :func:`bind`.
        lobby: all tables.
        allowed: further names under which the server may be asked for.
    """
    host, port = listener.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    print(f"Set up a table: http://{shown}:{port}/#key={lobby.key}")
    if host not in LOOPBACK:
        print("Everyone who can reach this machine can reach the server, and what it sends is not encrypted.")
    for line in _saved_lines(lobby.folder):
        print(line)
    print("Ctrl-C ends the server." if lobby.folder else "Ctrl-C ends the server and forgets its tables.")
    try:
        server_for(lobby, host, allowed).run(sockets=[listener])
    finally:
        lobby.close()


def _saved_lines(folder: TableFolder | None) -> list[str]:
    """The printed lines about a folder with saved tables."""
    if folder is None:
        return []
    good, bad = 0, []
    for table_id in folder.ids():
        try:
            folder.read(table_id)
            good += 1
        except (ValueError, OSError) as error:
            bad.append(f"{folder.path / table_id}.json is skipped: {reason_of(error)}")
    found = f"; {good} saved before can be played on at {'its' if good == 1 else 'their'} old addresses" if good else ""
    return [f"Tables are saved in {folder.path}{found}.", *bad]


def server_for(lobby: Lobby, host: str, allowed: Iterable[str] = ()) -> uvicorn.Server:
    """A server of a lobby's tables that listens on ``host``, as :func:`serve` runs it."""
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
    return _Server(config, lobby)


class _Server(uvicorn.Server):
    """A server that waits for no agent when it ends."""

    def __init__(self, config: uvicorn.Config, lobby: Lobby) -> None:
        super().__init__(config)
        self._lobby = lobby

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End all requests and connections."""
        self._lobby.background.close()
        await super().shutdown(sockets)
